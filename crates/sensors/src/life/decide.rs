//! Whether a silent sensor is lost.

use super::COARSE_PART;
use crate::ear::Listened;
use crate::limits::DURABLE_PART;

/// The time of which Redis knows every sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Since when it lost nothing.
    pub since: Listened,
    /// Up to when every node has brought what it heard.
    pub until: Listened,
}

/// What is known of a sensor whose time seems to be over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Silence {
    /// The sign of life in its row.
    pub(crate) row: Option<Listened>,
    /// The last one that memory or Redis knows of.
    pub(crate) heard: Option<Listened>,
    pub(crate) silence_ms: i64,
    /// Whether the row may be a quarter of the silence behind.
    pub(crate) coarse: bool,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is lost.
    Lost,
    /// It spoke then.
    Spoke(Listened),
    /// Nobody can tell before that time.
    Wait(Listened),
}

/// Decides it.
pub(crate) fn decide(now: Listened, silence: &Silence, known: Option<Span>) -> Fate {
    let time_ms = silence.silence_ms + silence.silence_ms / DURABLE_PART;
    // A store that was set back to an earlier state knows nothing of what was heard later.
    let heard = silence.heard.filter(|heard| *heard <= now);
    let last = silence.row.max(heard);
    let Some(last) = last else { return Fate::Lost };
    if last.plus_ms(time_ms) > now {
        return Fate::Spoke(last);
    }
    let Some(row) = silence.row.filter(|_| silence.coarse) else { return Fate::Lost };
    let silent_within =
        |span: Span| span.since.plus_ms(time_ms) <= span.until.min(now) && last.plus_ms(time_ms) <= span.until.min(now);
    let by_row = row.plus_ms(time_ms + silence.silence_ms / COARSE_PART);
    if known.is_some_and(silent_within) || by_row <= now { Fate::Lost } else { Fate::Wait(by_row) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3_600_000;
    const TIME: i64 = HOUR + HOUR / 60;

    fn silence(row: i64, heard: Option<i64>) -> Silence {
        Silence { row: Some(Listened(row)), heard: heard.map(Listened), silence_ms: HOUR, coarse: true }
    }

    fn span(since: i64, until: i64) -> Option<Span> {
        Some(Span { since: Listened(since), until: Listened(until) })
    }

    #[test]
    fn sen_12_without_redis_the_row_decides() {
        let fine = Silence { coarse: false, ..silence(0, None) };
        assert_eq!(decide(Listened(TIME - 1), &fine, None), Fate::Spoke(Listened(0)));
        assert_eq!(decide(Listened(TIME), &fine, None), Fate::Lost);
        assert_eq!(
            decide(Listened(9), &Silence { row: None, ..fine }, None),
            Fate::Lost,
            "never heard, and its time is over"
        );
    }

    #[test]
    fn sen_12_redis_is_believed_only_for_the_time_of_which_it_knows_all() {
        let now = Listened(10 * HOUR);
        let quiet = silence(10 * HOUR - TIME, Some(10 * HOUR - TIME));
        assert_eq!(decide(now, &quiet, span(0, 10 * HOUR)), Fate::Lost);
        let wait = Fate::Wait(Listened(10 * HOUR + HOUR / 4));
        assert_eq!(decide(now, &quiet, None), wait, "Redis is away");
        assert_eq!(decide(now, &quiet, span(9 * HOUR, 10 * HOUR)), wait, "it was emptied an hour ago");
        assert_eq!(decide(now, &quiet, span(0, 10 * HOUR - 1)), wait, "a node is behind");
        assert_eq!(decide(Listened(10 * HOUR + HOUR / 4), &quiet, None), Fate::Lost, "at the latest then");
        assert_eq!(decide(now, &silence(8 * HOUR, Some(9 * HOUR)), None), Fate::Spoke(Listened(9 * HOUR)));
        assert_eq!(
            decide(now, &silence(0, Some(11 * HOUR)), None),
            Fate::Lost,
            "what is heard tomorrow is not of this store"
        );
    }

    proptest! {
        /// Signs of life, of which the row knows one a quarter of a silence back at worst, and Redis those within its span.
        #[test]
        fn sen_12_nobody_who_spoke_is_lost(
            spoke in proptest::collection::vec(0_i64..10 * HOUR, 1..20), behind in 0_i64..HOUR / 4,
            since in 0_i64..10 * HOUR, length in 0_i64..10 * HOUR, after in 0_i64..2 * HOUR, believed: bool,
        ) {
            let last = *spoke.iter().max().unwrap();
            let (now, until) = (last + after, (since + length).min(last + after));
            let in_span = spoke.iter().copied().filter(|at| (since..=until).contains(at)).max();
            let known = silence(last - behind, in_span.filter(|_| believed));
            let fate = decide(Listened(now), &known, span(since, until).filter(|_| believed));
            if after < HOUR {
                prop_assert!(fate != Fate::Lost, "{:?}", fate);
            }
            if after >= TIME + HOUR / 4 {
                prop_assert_eq!(fate, Fate::Lost);
            }
        }
    }
}
