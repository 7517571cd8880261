//! The cycle's decision (KER-7): after an attempt failed, answer or run again? Pure, so it is tested by table.

use base::limits::OP_ATTEMPTS_MAX;
use base::mutants::{self, Mutant};
use base::{OpError, Phase};

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The error is the answer.
    Answer,
    /// Run again after about this many milliseconds (the caller adds chance).
    Again {
        /// Middle of the pause.
        pause_ms: u64,
    },
}

/// Contention, faults and detected bugs in work or validation are worth another attempt; refusals are not. An unknown
/// outcome is run again only where the request's row tells what happened.
pub(crate) fn next(attempt: u32, error: &OpError, told_by_row: bool) -> Next {
    let worth =
        matches!(error.code.letter(), 'C' | 'X' | 'B') && matches!(error.phase, Phase::Work | Phase::Validation);
    let safe = !error.outcome_unknown || told_by_row || mutants::on(Mutant::UnknownRunAgain);
    if worth && safe && !error.is_final && attempt < OP_ATTEMPTS_MAX {
        Next::Again { pause_ms: 10 * 4u64.pow(attempt - 1) }
    } else {
        Next::Answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::codes::*;

    fn after(attempt: u32, code: base::Code, phase: Phase) -> Next {
        next(attempt, &OpError::new(code, "").at(phase), false)
    }

    #[test]
    fn ker_7_contention_faults_and_bugs_are_run_again_three_times_at_most_with_growing_pauses() {
        for code in [CSERIAL, XSTORE, XDISK, XUNEXPECTED, BPANIC, BDETECTED] {
            for phase in [Phase::Work, Phase::Validation] {
                assert_eq!(after(1, code, phase), Next::Again { pause_ms: 10 });
                assert_eq!(after(2, code, phase), Next::Again { pause_ms: 40 });
                assert_eq!(after(3, code, phase), Next::Answer);
            }
        }
    }

    #[test]
    fn ker_7_other_codes_fail_at_once() {
        for code in [ABODY, NKEY, DBUILD, SROLE, TTIME, TBUDGET, base::Code::new("OCLOSED", 503)] {
            assert_eq!(after(1, code, Phase::Work), Next::Answer, "{}", code.name);
        }
    }

    #[test]
    fn ker_7_what_is_committed_or_never_began_is_not_run_again() {
        for phase in [Phase::Start, Phase::Afterwork, Phase::Synchronisation, Phase::Answer] {
            assert_eq!(after(1, XSTORE, phase), Next::Answer, "{phase:?}");
        }
    }

    #[test]
    fn ker_7_an_error_that_no_attempt_would_change_is_answered_at_once() {
        assert_eq!(next(1, &OpError::new(CSERIAL, "").finally(), false), Next::Answer);
    }

    #[test]
    fn ker_41_an_unknown_outcome_is_run_again_only_where_the_requests_row_tells() {
        let unknown = OpError { outcome_unknown: true, ..OpError::new(XSTORE, "").at(Phase::Validation) };
        assert_eq!(next(1, &unknown, false), Next::Answer);
        assert_eq!(next(1, &unknown, true), Next::Again { pause_ms: 10 });
    }
}
