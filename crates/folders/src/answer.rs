//! What somebody is answered who wants to change a file (FLD-5, FLD-10).

use crate::seat::{Seat, Status};

/// A change that is asked for. `C`: what tells contents apart, their hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<C> {
    /// The version that it was made from; 0: the file is new.
    pub base: u64,
    /// The content that it brings.
    pub content: C,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known<C> {
    /// Its version.
    pub version: u64,
    /// Its content.
    pub content: C,
    /// The version under which the same client brought the same change before, if it did.
    pub brought: Option<u64>,
}

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It is there already, under this version: its answer was lost, or somebody else brought the same content.
    There(u64),
    /// It can be written, or why not.
    Status(Status),
}

/// Judges a change. Its time says nothing: clocks of devices lie, and whoever is late is told by the version.
pub fn answer<C: PartialEq, W: Clone + PartialEq>(
    change: &Change<C>,
    known: &Known<C>,
    seat: &Seat<W>,
    who: &W,
) -> Answer {
    if let Some(version) = known.brought {
        return Answer::There(version);
    }
    if change.content == known.content {
        return Answer::There(known.version);
    }
    Answer::Status(match change.base == known.version {
        false => Status::Denied,
        true if seat.is_free_for(who) => Status::Free,
        true => Status::Blocked,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(base: u64, content: &str, brought: Option<u64>, holder: Option<u8>) -> Answer {
        let mut seat = Seat::default();
        holder.iter().for_each(|who| seat.take(who));
        answer(&Change { base, content }, &Known { version: 3, content: "now", brought }, &seat, &1)
    }

    #[test]
    fn fld_5_a_change_is_taken_only_on_top_of_the_version_that_it_was_made_from() {
        assert_eq!(judged(3, "new", None, None), Answer::Status(Status::Free));
        assert_eq!(judged(2, "new", None, None), Answer::Status(Status::Denied));
        assert_eq!(judged(4, "new", None, None), Answer::Status(Status::Denied), "of a server that was put back");
        assert_eq!(judged(2, "new", None, Some(2)), Answer::Status(Status::Denied), "nothing to wait for");
    }

    #[test]
    fn fld_5_only_one_writes_at_a_time() {
        assert_eq!(judged(3, "new", None, Some(2)), Answer::Status(Status::Blocked));
        assert_eq!(judged(3, "new", None, Some(1)), Answer::Status(Status::Free), "the same one asks again");
    }

    #[test]
    fn fld_10_equal_content_is_no_conflict_and_a_repeat_is_answered_the_same() {
        assert_eq!(judged(1, "now", None, Some(2)), Answer::There(3));
        assert_eq!(judged(1, "old", Some(2), None), Answer::There(2));
    }
}
