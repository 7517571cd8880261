//! How a transfer goes on: a table without a database.

use serde::{Deserialize, Serialize};

/// After so many attempts it is given up, whatever was the reason; a server that was killed counts.
pub const ATTEMPTS_MAX: i64 = 100;

/// How far a transfer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransferState {
    /// The old side serves, and its rows are being carried.
    Copying,
    /// Nobody serves: the last changes are being carried, and both sides compared.
    Closing,
    /// On the way back: the old side is made whole, and what was carried is thrown away.
    Reopening,
    /// The new side serves; the old one is being set aside.
    Switched,
    /// An archive becomes a store that nobody serves yet.
    Arriving,
    /// Ended well.
    Done,
    /// Given up; all is as it was before.
    Failed,
    /// Taken back; all is as it was before.
    Cancelled,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The work of its state begins.
    Began,
    /// The new side is near the old one.
    Copied,
    /// Both sides hold the same: so many rows, with this digest.
    Matched {
        /// Rows.
        rows: i64,
        /// Digest of all tables.
        digest: String,
    },
    /// The old side has its new name.
    KeptAside,
    /// The old side is whole again.
    Reopened,
    /// The archive is a store.
    Arrived {
        /// Rows.
        rows: i64,
    },
    /// The work of its state did not come to its end.
    Failed {
        /// Why.
        reason: String,
    },
    /// Somebody wants it back.
    Cancelled,
}

impl TransferState {
    /// Every state.
    pub const ALL: [Self; 8] = [
        Self::Copying,
        Self::Closing,
        Self::Reopening,
        Self::Switched,
        Self::Arriving,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The word used in tables and answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Copying => "copying",
            Self::Closing => "closing",
            Self::Reopening => "reopening",
            Self::Switched => "switched",
            Self::Arriving => "arriving",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Whether nothing follows.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// The state after an event; nothing if the event has no place in it. `attempts` were begun, this one included, and `cancelled` is
/// what somebody wished before.
#[must_use]
pub fn next(state: TransferState, event: &Event, attempts: i64, cancelled: bool) -> Option<TransferState> {
    use TransferState as S;
    let is_over = attempts > ATTEMPTS_MAX;
    Some(match (state, event) {
        (S::Copying, Event::Copied) => S::Closing,
        (S::Copying, Event::Began) if is_over => S::Reopening,
        (S::Copying, Event::Began | Event::Failed { .. }) => S::Copying,
        (S::Closing, Event::Matched { .. }) => S::Switched,
        (S::Closing, Event::Began) if !is_over => S::Closing,
        // Whatever stands in the way must not keep the namespace closed.
        (S::Closing, Event::Began | Event::Failed { .. } | Event::Cancelled) | (S::Copying, Event::Cancelled) => {
            S::Reopening
        }
        (S::Reopening, Event::Reopened) if cancelled => S::Cancelled,
        (S::Reopening, Event::Reopened) if is_over => S::Failed,
        (S::Reopening, Event::Reopened) => S::Copying,
        // The only way is back, however long it takes.
        (S::Reopening, Event::Began | Event::Failed { .. } | Event::Cancelled) => S::Reopening,
        (S::Switched, Event::KeptAside) => S::Done,
        (S::Switched, Event::Began | Event::Failed { .. }) => S::Switched,
        (S::Arriving, Event::Arrived { .. }) => S::Done,
        (S::Arriving, Event::Began) if is_over => S::Failed,
        (S::Arriving, Event::Began | Event::Failed { .. }) => S::Arriving,
        (S::Arriving, Event::Cancelled) => S::Cancelled,
        (
            S::Copying | S::Closing | S::Reopening | S::Switched | S::Arriving | S::Done | S::Failed | S::Cancelled,
            Event::Began
            | Event::Copied
            | Event::Matched { .. }
            | Event::KeptAside
            | Event::Reopened
            | Event::Arrived { .. }
            | Event::Failed { .. }
            | Event::Cancelled,
        ) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::TransferState as S;
    use super::*;

    fn events() -> [Event; 8] {
        [
            Event::Began,
            Event::Copied,
            Event::Matched { rows: 0, digest: String::new() },
            Event::KeptAside,
            Event::Reopened,
            Event::Arrived { rows: 0 },
            Event::Failed { reason: String::new() },
            Event::Cancelled,
        ]
    }

    #[test]
    fn ker_3_a_move_that_goes_well() {
        let [began, copied, matched, aside, ..] = events();
        let path = [began.clone(), copied, began.clone(), matched, began, aside];
        let walked = path.iter().try_fold(S::Copying, |state, event| next(state, event, 1, false));
        assert_eq!(walked, Some(S::Done));
    }

    #[test]
    fn ker_3_a_closed_namespace_opens_again_whatever_goes_wrong() {
        let failed = Event::Failed { reason: "away".into() };
        assert_eq!(next(S::Closing, &failed, 1, false), Some(S::Reopening));
        assert_eq!(next(S::Reopening, &failed, 500, false), Some(S::Reopening), "until it is done");
        assert_eq!(next(S::Reopening, &Event::Reopened, 1, false), Some(S::Copying), "and begins again");
        assert_eq!(next(S::Reopening, &Event::Reopened, ATTEMPTS_MAX + 1, false), Some(S::Failed));
        assert_eq!(next(S::Reopening, &Event::Reopened, 1, true), Some(S::Cancelled));
    }

    #[test]
    fn ker_44_work_that_ends_the_process_is_given_up_in_the_end() {
        for (state, after) in [(S::Copying, S::Reopening), (S::Closing, S::Reopening), (S::Arriving, S::Failed)] {
            assert_eq!(next(state, &Event::Began, ATTEMPTS_MAX, false), Some(state));
            assert_eq!(next(state, &Event::Began, ATTEMPTS_MAX + 1, false), Some(after));
        }
        assert_eq!(
            next(S::Switched, &Event::Began, ATTEMPTS_MAX + 1, false),
            Some(S::Switched),
            "there is no way back"
        );
    }

    #[test]
    fn ker_3_after_the_switch_there_is_no_way_back_and_after_the_end_none_at_all() {
        for event in events() {
            for state in S::ALL {
                let after = next(state, &event, 1, false);
                assert!(!state.is_final() || after.is_none(), "{state:?} {event:?}");
                assert!(state != S::Switched || matches!(after, None | Some(S::Switched | S::Done)), "{event:?}");
                assert!(after != Some(S::Switched) || matches!(state, S::Closing | S::Switched), "{state:?}");
            }
        }
        assert!(S::ALL.into_iter().all(|state| S::from_word(state.word()) == Some(state)));
    }
}
