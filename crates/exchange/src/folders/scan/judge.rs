//! What it means that a message's file was found where it was, or not at all. Pure.
//!
//! While files are looked at, no clerk is at work, so a file lies where it was found. Rows are the truth: a file that lies elsewhere is
//! brought to its place, unless an administrator moved it by hand. That is so if its message is at rest: where the row knows its file to
//! lie is where it belongs, and nobody holds it.

use super::Known;

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// In the folder of this place.
    pub(super) place: &'static str,
    /// Its bytes.
    pub(super) size: i64,
}

/// What it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Rows and files agree, or the clerk will see to it.
    Fine,
    /// It lies where it belongs, which the row did not know yet.
    Arrived,
    /// It lies there, or nowhere: the clerk is to bring it to its place.
    Lies(Option<&'static str>),
    /// An administrator moved it there.
    Moved(&'static str),
    /// An administrator moved it there, but it is held, or that is no place to move to: the clerk brings it back.
    Misplaced(&'static str),
    /// What lies there is not the message, and its text is nowhere else.
    Damaged(&'static str),
    /// It is nowhere, and its text neither.
    Lost,
}

/// Judges a message by its row and its files; whether the folders are those that the store left. The places of files that are to be removed come with it.
pub(super) fn judge(known: &Known, found: &[Found], is_trusted: bool) -> (Verdict, Vec<&'static str>) {
    let Some(kept) = kept(known, found) else { return judge_without(known, found) };
    let surplus = found.iter().filter(|file| file.place != kept).map(|file| file.place).collect();
    let verdict = match judge_place(known, kept) {
        // Not by hand: these folders are older than the rows.
        Verdict::Moved(place) if !is_trusted => Verdict::Lies(Some(place)),
        verdict => verdict,
    };
    (verdict, surplus)
}

/// Where the file lies that is the message's, if one is whole.
pub(super) fn kept(known: &Known, found: &[Found]) -> Option<&'static str> {
    let whole: Vec<&Found> = found.iter().filter(|file| file.size == known.size).collect();
    choose(known, &whole)
}

/// The one in its place, else the one where it is known to lie, else any.
fn choose(known: &Known, whole: &[&Found]) -> Option<&'static str> {
    let at = |place: &str| whole.iter().find(|file| file.place == place);
    let first = at(&known.place).or_else(|| at(known.on_disk.as_deref()?));
    first.or_else(|| whole.first()).map(|file| file.place)
}

/// No file of it is whole.
fn judge_without(known: &Known, found: &[Found]) -> (Verdict, Vec<&'static str>) {
    let wrong: Vec<&'static str> = found.iter().map(|file| file.place).collect();
    match wrong.first().copied() {
        _ if known.is_gone() && known.is_due => (Verdict::Fine, wrong),
        _ if known.is_gone() => (Verdict::Lies(None), wrong),
        None if known.on_disk.is_none() && known.is_due => (Verdict::Fine, wrong),
        _ if known.has_text || known.is_packed => (Verdict::Lies(None), wrong),
        Some(place) if !known.is_held => (Verdict::Damaged(place), wrong[1..].to_vec()),
        Some(_) | None => (Verdict::Lost, vec![]),
    }
}

fn judge_place(known: &Known, lies: &'static str) -> Verdict {
    let on_disk = known.on_disk.as_deref();
    let is_at_rest = on_disk == Some(&known.place) && !known.is_gone();
    if lies == known.place {
        return if is_at_rest { Verdict::Fine } else { Verdict::Arrived };
    }
    match on_disk {
        Some(place) if place == lies && known.is_due => Verdict::Fine,
        Some(_) if is_at_rest && (known.is_held || lies == "prepared") => Verdict::Misplaced(lies),
        Some(_) if is_at_rest => Verdict::Moved(lies),
        // On its way: laid before its row knew, or moved by hand meanwhile. It goes where it belongs.
        Some(_) | None => Verdict::Lies(Some(lies)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(place: &str, on_disk: Option<&str>) -> Known {
        let (place, on_disk) = (place.to_owned(), on_disk.map(str::to_owned));
        let is_due = on_disk.as_ref() != Some(&place);
        Known {
            number: 1,
            name: String::new(),
            place,
            on_disk,
            is_held: false,
            has_text: true,
            is_packed: false,
            size: 10,
            is_due,
            is_flawed: false,
        }
    }

    fn found(places: &[(&'static str, i64)]) -> Vec<Found> {
        places.iter().map(|(place, size)| Found { place, size: *size }).collect()
    }

    fn of(known: &Known, places: &[(&'static str, i64)]) -> (Verdict, Vec<&'static str>) {
        judge(known, &found(places), true)
    }

    #[test]
    fn exc_7_a_file_where_its_row_says_is_fine() {
        assert_eq!(of(&known("log", Some("log")), &[("log", 10)]), (Verdict::Fine, vec![]));
        assert_eq!(of(&known("log", Some("messages")), &[("messages", 10)]), (Verdict::Fine, vec![]), "on its way");
        assert_eq!(of(&known("log", Some("messages")), &[("log", 10)]), (Verdict::Arrived, vec![]));
        assert_eq!(of(&known("log", None), &[("log", 10)]), (Verdict::Arrived, vec![]));
        assert_eq!(of(&known("messages", None), &[]), (Verdict::Fine, vec![]), "not laid yet");
    }

    #[test]
    fn exc_7_a_half_moved_file_stays_in_its_place_only() {
        let (verdict, surplus) = of(&known("log", Some("messages")), &[("messages", 10), ("log", 10)]);
        assert_eq!((verdict, surplus), (Verdict::Arrived, vec!["messages"]));
        let (verdict, surplus) = of(&known("log", Some("messages")), &[("messages", 10), ("log", 3)]);
        assert_eq!((verdict, surplus), (Verdict::Fine, vec!["log"]), "the whole one");
        assert_eq!(of(&known("log", None), &[("messages", 10)]), (Verdict::Lies(Some("messages")), vec![]));
    }

    #[test]
    fn exc_7_what_was_moved_by_hand_is_moved_unless_it_is_held_or_goes_nowhere() {
        assert_eq!(of(&known("messages", Some("messages")), &[("log", 10)]), (Verdict::Moved("log"), vec![]));
        let held = Known { is_held: true, ..known("messages", Some("messages")) };
        assert_eq!(of(&held, &[("log", 10)]), (Verdict::Misplaced("log"), vec![]));
        assert_eq!(of(&known("log", Some("log")), &[("prepared", 10)]), (Verdict::Misplaced("prepared"), vec![]));
        let pending = known("log", Some("messages"));
        assert_eq!(of(&pending, &[("error", 10)]), (Verdict::Lies(Some("error")), vec![]), "the row goes first");
    }

    #[test]
    fn exc_7_an_old_copy_of_the_folders_says_nothing_about_messages() {
        let done = Known { has_text: false, ..known("log", Some("log")) };
        let old = judge(&done, &found(&[("messages", 10)]), false);
        assert_eq!(old, (Verdict::Lies(Some("messages")), vec![]), "it is brought to its place, and not done again");
    }

    #[test]
    fn exc_7_what_is_missing_or_torn_is_laid_again_as_long_as_its_text_is_there() {
        let there = known("messages", Some("messages"));
        assert_eq!(of(&there, &[]), (Verdict::Lies(None), vec![]));
        assert_eq!(of(&there, &[("messages", 3)]), (Verdict::Lies(None), vec!["messages"]));
        let without = Known { has_text: false, ..known("log", Some("log")) };
        assert_eq!(of(&without, &[]), (Verdict::Lost, vec![]));
        assert_eq!(of(&without, &[("log", 3)]), (Verdict::Damaged("log"), vec![]));
        let packed = Known { is_packed: true, ..without };
        assert_eq!(of(&packed, &[]), (Verdict::Lies(None), vec![]), "from its pack");
        let switched = Known { is_due: false, ..known("messages", None) };
        assert_eq!(of(&switched, &[]), (Verdict::Lies(None), vec![]), "from the store to folders");
    }

    #[test]
    fn exc_7_a_message_that_is_gone_has_no_file() {
        assert_eq!(of(&known("gone", None), &[("prepared", 10)]), (Verdict::Lies(Some("prepared")), vec![]));
        assert_eq!(of(&known("gone", Some("log")), &[]), (Verdict::Fine, vec![]));
        assert_eq!(of(&known("gone", Some("log")), &[("log", 3)]), (Verdict::Fine, vec!["log"]));
    }
}
