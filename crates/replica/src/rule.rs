//! The rule: which answer brings a copy level, decided from two heads alone.

use crate::wire::Held;

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
/// # Errors
/// The copy is ahead within one epoch.
pub fn decide(held: &Held, source: Option<Head>, same_epoch: bool) -> Result<Case, Ahead> {
    let Some(source) = source else {
        return Ok(if held.v == 0 { Case::Level } else { Case::Deleted });
    };
    if held.v == 0 || held.ct != source.ct || !same_epoch {
        return Ok(Case::Full);
    }
    match held.v {
        v if v > source.v => Err(Ahead { held: v, known: source.v }),
        v if v == source.v => Ok(Case::Level),
        v if v >= source.dt => Ok(Case::Changes),
        _ => Ok(Case::ChangesAndKeys),
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
}
