//! When something is said of a kind of alerts. Pure, so it is tested by table.
//!
//! The first change waits a short time for others, then one message tells all; the next message of the same kind comes no
//! sooner than a pace later, however often conditions come and go. What stays open and nobody acknowledged is said again,
//! ever more slowly.

use base::Heard;
use serde::{Deserialize, Serialize};

/// How fast messages of one kind follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// How long the first change waits for others to come along.
    pub gather_ms: i64,
    /// Least time between two messages of one kind.
    pub pace_ms: i64,
    /// After how long an open alert is said again for the first time; then after twice, then always after four times as long.
    pub repeat_ms: i64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { gather_ms: 30_000, pace_ms: 300_000, repeat_ms: 6 * 3_600_000 }
    }
}

/// What a kind's rows say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Since when something opened or closed that no message told.
    pub(crate) untold_since: Option<Heard>,
    /// When the last message was made.
    pub(crate) sent_at: Option<Heard>,
    /// How often it was said again since something opened.
    pub(crate) repeats: i64,
    /// Whether something is open that nobody acknowledged.
    pub(crate) nagging: bool,
}

/// What to do for a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Send a message now.
    Send,
    /// Not before this moment.
    Wait(Heard),
    /// There is nothing to say until something changes.
    Rest,
}

/// What to do for a kind now.
pub(crate) fn next(standing: &Standing, pace: &Pace, now: Heard) -> Next {
    // A store whose listening time went back (another database server) must not silence anybody.
    let sent_at = standing.sent_at.map(|at| at.min(now));
    let due = match (standing.untold_since.map(|at| at.min(now)), standing.nagging) {
        (Some(since), _) => since.plus_ms(pace.gather_ms).max(sent_at.map_or(since, |sent| sent.plus_ms(pace.pace_ms))),
        (None, true) => sent_at.map_or(now, |sent| sent.plus_ms(repeat_after_ms(standing.repeats, pace))),
        (None, false) => return Next::Rest,
    };
    if due <= now { Next::Send } else { Next::Wait(due) }
}

fn repeat_after_ms(repeats: i64, pace: &Pace) -> i64 {
    let times = 1 << repeats.clamp(0, 2);
    pace.repeat_ms.saturating_mul(times).max(pace.pace_ms)
}

/// How long after a message that no channel took all channels are tried again.
pub(crate) fn again_after_ms(rounds: i64) -> i64 {
    const MINUTES: [i64; 5] = [1, 5, 15, 30, 60];
    let at = usize::try_from(rounds).unwrap_or(0).min(MINUTES.len() - 1);
    MINUTES[at] * 60_000
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { gather_ms: 30, pace_ms: 300, repeat_ms: 6_000 };

    fn check(untold_since: Option<i64>, sent_at: Option<i64>, repeats: i64, nagging: bool, now: i64) -> Next {
        let (untold_since, sent_at) = (untold_since.map(Heard), sent_at.map(Heard));
        next(&Standing { untold_since, sent_at, repeats, nagging }, &PACE, Heard(now))
    }

    #[test]
    fn ker_27_the_first_change_waits_a_short_time_for_others() {
        assert_eq!(check(Some(100), None, 0, true, 100), Next::Wait(Heard(130)));
        assert_eq!(check(Some(100), None, 0, true, 129), Next::Wait(Heard(130)));
        assert_eq!(check(Some(100), None, 0, true, 130), Next::Send);
    }

    #[test]
    fn ker_27_two_messages_of_a_kind_are_a_pace_apart_however_much_comes_and_goes() {
        assert_eq!(check(Some(140), Some(130), 0, true, 140), Next::Wait(Heard(430)));
        assert_eq!(check(Some(140), Some(130), 0, false, 430), Next::Send);
        assert_eq!(
            check(Some(9_000), Some(130), 0, false, 9_000),
            Next::Wait(Heard(9_030)),
            "long silence: gather only"
        );
    }

    #[test]
    fn ker_27_what_stays_open_is_said_again_ever_more_slowly() {
        for (repeats, due) in [(0, 6_100), (1, 12_100), (2, 24_100), (3, 24_100), (99, 24_100)] {
            assert_eq!(check(None, Some(100), repeats, true, 101), Next::Wait(Heard(due)), "{repeats}");
            assert_eq!(check(None, Some(100), repeats, true, due), Next::Send, "{repeats}");
        }
    }

    #[test]
    fn ker_27_nothing_is_said_of_what_is_told_and_closed_or_acknowledged() {
        assert_eq!(check(None, Some(100), 0, false, 1_000_000), Next::Rest);
        assert_eq!(check(None, None, 0, false, 0), Next::Rest);
    }

    #[test]
    fn ker_43_listening_time_that_went_back_silences_nobody() {
        assert_eq!(check(Some(5_000), Some(5_000), 0, true, 100), Next::Wait(Heard(400)));
        assert_eq!(check(None, None, 0, true, 100), Next::Send);
    }

    #[test]
    fn ker_27_a_message_that_nobody_took_is_tried_again_forever_at_most_an_hour_later() {
        let minutes: Vec<i64> = (0..7).map(|rounds| again_after_ms(rounds) / 60_000).collect();
        assert_eq!(minutes, [1, 5, 15, 30, 60, 60, 60]);
    }
}
