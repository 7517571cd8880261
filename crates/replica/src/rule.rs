//! The rule: which answer brings a copy level, decided from two heads alone.

use std::cmp::Ordering;

use crate::wire::{Held, Upgrade};

/// What is known of a document without its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Version.
    pub v: i64,
    /// Creation stamp.
    pub ct: i64,
    /// All tombstones newer than this are known.
    pub dt: i64,
}

impl Head {
    /// Nothing is held.
    pub const NOTHING: Self = Self { v: 0, ct: 0, dt: 0 };
}

/// The answers that there are, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Case {
    /// Case 0: level already; nothing is sent.
    Level,
    /// Case 1, `v >= dt` of the source: what changed, and the tombstones after `v`.
    Changes,
    /// Case 2, `v < dt` of the source: what changed, the tombstones after `dt`, and the keys of what did not change.
    ChangesAndKeys,
    /// Case 3: everything, because nothing that is held can be relied on.
    Full,
    /// Case 4: the document is no more.
    Deleted,
}

/// The copy is ahead of its source: one of them is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("version {held} is ahead of the source, which has {known}")]
pub struct Ahead {
    /// Version that the copy says it holds.
    pub held: i64,
    /// Version of the source.
    pub known: i64,
}

/// Which answer brings a copy level with the source's document (`None`: there is none).
///
/// `same_epoch` is false after the source was put back from a backup: versions that were given out before may then have been
/// given anew to something else, so that nothing that is held can be relied on.
///
/// For the reference, which is never behind: another creation stamp is another life, whichever is greater. A source that may
/// itself lag has to look further, see [`crate::DocCopy::relay_for`].
///
/// # Errors
/// The copy is ahead within one epoch.
pub fn decide(held: &Held, source: Option<Head>, same_epoch: bool) -> Result<Case, Ahead> {
    let Some(source) = source else {
        return Ok(if held.v <= 0 { Case::Level } else { Case::Deleted });
    };
    if held.v <= 0 || held.ct != source.ct || !same_epoch {
        return Ok(Case::Full);
    }
    match held.v {
        v if v > source.v => Err(Ahead { held: v, known: source.v }),
        v if v == source.v => Ok(Case::Level),
        v if v >= source.dt => Ok(Case::Changes),
        _ => Ok(Case::ChangesAndKeys),
    }
}

/// Whether an upgrade that was asked for with `asked` still helps a copy that stands at `now`, all of one epoch.
///
/// Answers come late and cross each other: two calls that name the same document, a live stream beside a call. An upgrade may be
/// taken if it was made for this state or for an earlier one of the same life, and leads further; a full copy if it is newer; the
/// word that the document is no more if it was said of this life or a later one. All else is old news, and leaving it out is safe.
#[must_use]
pub fn is_news(asked: &Held, now: Head, upgrade: &Upgrade) -> bool {
    if upgrade.v == 0 {
        return now.v > 0 && now.ct <= asked.ct;
    }
    let is_made_for_it = upgrade.full || (asked.ct == now.ct && asked.v <= now.v);
    match upgrade.ct.cmp(&now.ct) {
        Ordering::Less => false,
        Ordering::Equal => is_made_for_it && upgrade.v > now.v,
        Ordering::Greater => upgrade.full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(v: i64, ct: i64, source: Option<Head>, same_epoch: bool) -> Result<Case, Ahead> {
        decide(&Held { v, ct, ..Held::nothing("C", "1") }, source, same_epoch)
    }

    #[test]
    fn doc_9_the_five_cases_are_told_apart() {
        let source = Some(Head { v: 20, ct: 5, dt: 10 });
        for (v, ct, expected) in [
            (20, 5, Case::Level),
            (19, 5, Case::Changes),
            (10, 5, Case::Changes),
            (9, 5, Case::ChangesAndKeys),
            (0, 0, Case::Full),
            (-1, 5, Case::Full),
            (20, 4, Case::Full),
            (25, 4, Case::Full),
        ] {
            assert_eq!(decided(v, ct, source, true), Ok(expected), "{v} {ct}");
            assert_eq!(decided(v, ct, source, false), Ok(Case::Full), "another epoch: {v} {ct}");
        }
        assert_eq!(decided(7, 5, None, true), Ok(Case::Deleted));
        assert_eq!(decided(0, 0, None, true), Ok(Case::Level));
        assert_eq!(decided(21, 5, source, true), Err(Ahead { held: 21, known: 20 }));
    }
    #[test]
    fn doc_9_late_answers_never_take_a_copy_back() {
        let now = Head { v: 20, ct: 5, dt: 0 };
        let asked = |v, ct| Held { v, ct, ..Held::nothing("C", "1") };
        let upgrade = |v, ct, full| Upgrade { v, ct, full, ..Upgrade::deleted("C", "1") };
        for (asked, upgrade, expected, why) in [
            (asked(20, 5), upgrade(25, 5, false), true, "made for this state"),
            (asked(10, 5), upgrade(25, 5, false), true, "made for an earlier state: it holds more than is needed"),
            (asked(10, 5), upgrade(15, 5, false), false, "leads back"),
            (asked(22, 5), upgrade(25, 5, false), false, "made for a later state: something would be missing"),
            (asked(0, 0), upgrade(15, 5, true), false, "an older full copy"),
            (asked(0, 0), upgrade(25, 5, true), true, "a newer full copy"),
            (asked(0, 0), upgrade(31, 30, true), true, "a full copy of a later life"),
            (asked(3, 2), upgrade(4, 2, true), false, "a full copy of an earlier life"),
            (asked(10, 5), Upgrade::deleted("C", "1"), true, "this life is over"),
            (asked(3, 2), Upgrade::deleted("C", "1"), false, "an earlier life is over"),
        ] {
            assert_eq!(is_news(&asked, now, &upgrade), expected, "{why}");
        }
    }
}
