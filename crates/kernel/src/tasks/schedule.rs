//! What follows a run that failed or was lost: the next try, or parking (KER-17, KER-44). Pure.

use base::{OpError, Phase, Wall, codes};

use super::row::Task;

const MINUTE_MS: i64 = 60_000;

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Another try, not before that time.
    Again(Wall),
    /// A person must look.
    Parked,
}

/// How often it was tried: claims are counted before the work runs, so that work which ends the process counts too, though
/// nobody was left to count its failure.
fn tries(task: &Task) -> i64 {
    (task.attempt - task.forgiven).max(task.retry + 1)
}

/// After a failure: the minutes of the schedule, then parked.
pub(super) fn after_failure(task: &Task, minutes: &[u32], now: Wall) -> After {
    let pause = usize::try_from(tries(task) - 1).ok().and_then(|failed| minutes.get(failed));
    pause.map_or(After::Parked, |minutes| After::Again(now.plus_ms(i64::from(*minutes) * MINUTE_MS)))
}

/// First and longest pause after contention or a fault that passes by itself.
const FAULT_MS: (i64, i64) = (1_000, 300_000);

/// Whether a run failed at no fault of its own: contention, a fault that passes by itself, or it never began. Such a run uses
/// up no try, however long the fault lasts.
pub(super) fn is_forgiven(error: &OpError) -> bool {
    error.code.letter() == 'C' || error.code.passes() || (error.code == codes::TTIME && error.phase == Phase::Start)
}

/// How long a run that is forgiven stays away, the longer the more in a row were.
pub(super) fn fault_pause_ms(task: &Task) -> i64 {
    let doublings = u32::try_from(task.faults.clamp(0, 20)).unwrap_or(0);
    (FAULT_MS.0 << doublings).min(FAULT_MS.1)
}

/// After its node was lost: at once, as long as a failure would be tried again.
pub(super) fn after_loss(task: &Task, minutes: &[u32], now: Wall) -> After {
    match after_failure(task, minutes, now) {
        After::Again(_) => After::Again(now),
        After::Parked => After::Parked,
    }
}

#[cfg(test)]
mod tests {
    use base::Id;

    use super::*;

    fn task(attempt: i64, retry: i64, forgiven: i64) -> Task {
        Task {
            id: Id::new(Wall(0), [0; 10]),
            op: "t".into(),
            param: "null".into(),
            info: String::new(),
            queue: 0,
            lane: None,
            behind: false,
            start_at: Wall(0),
            start_time: None,
            owner: None,
            attempt,
            retry,
            forgiven,
            cron: None,
            standing: None,
            target: None,
            checkpoint: None,
            exc: None,
            report: None,
            created_at: Wall(0),
            faults: 0,
            unique_key: None,
        }
    }

    #[test]
    fn ker_17_the_schedule_grows_and_ends_parked() {
        let now = Wall(1_000);
        let pauses: Vec<After> =
            (0..5).map(|failed| after_failure(&task(failed + 1, failed, 0), crate::RETRY_MINUTES, now)).collect();
        let minutes = |minutes: i64| After::Again(now.plus_ms(minutes * 60_000));
        assert_eq!(pauses, [minutes(1), minutes(10), minutes(60), minutes(180), After::Parked]);
    }

    #[test]
    fn ker_17_ker_44_parking_looks_at_the_larger_of_attempt_and_retry() {
        let of = |attempt, retry, forgiven| after_failure(&task(attempt, retry, forgiven), &[1], Wall(0));
        assert_eq!(of(1, 0, 0), After::Again(Wall(60_000)));
        assert_eq!(of(2, 0, 0), After::Parked, "claims that nobody counted as failed");
        assert_eq!(of(1, 1, 0), After::Parked);
        assert_eq!(of(9, 0, 8), After::Again(Wall(60_000)), "given back eight times");
    }

    #[test]
    fn ker_17_contention_and_passing_faults_are_forgiven_and_each_pause_is_longer() {
        for forgiven in [codes::CSERIAL, codes::CLEASE, codes::XSTORE, codes::XDISK, codes::XBUSY, codes::OCLOSED] {
            assert!(is_forgiven(&OpError::new(forgiven, "")), "{forgiven:?}");
        }
        assert!(is_forgiven(&OpError::before_start(codes::TTIME, "")), "it never began");
        for counted in [codes::TTIME, codes::XTARGET, codes::XCONTACT, codes::BPANIC, codes::ALIMIT, codes::NOPERATION]
        {
            assert!(!is_forgiven(&OpError::new(counted, "")), "{counted:?}");
        }
        let pauses = [0, 1, 2, 8, 9, 1_000_000].map(|faults| fault_pause_ms(&Task { faults, ..task(9, 0, 9) }));
        assert_eq!(pauses, [1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
    }

    #[test]
    fn ker_18_what_was_lost_starts_at_once_until_it_is_parked() {
        assert_eq!(after_loss(&task(1, 0, 0), &[1], Wall(7)), After::Again(Wall(7)));
        assert_eq!(after_loss(&task(2, 1, 0), &[1], Wall(7)), After::Parked);
    }
}
