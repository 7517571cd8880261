//! What follows a run that failed or was lost: the next try, or parking (KER-17, KER-44). Pure.

use base::Wall;

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
    fn ker_18_what_was_lost_starts_at_once_until_it_is_parked() {
        assert_eq!(after_loss(&task(1, 0, 0), &[1], Wall(7)), After::Again(Wall(7)));
        assert_eq!(after_loss(&task(2, 1, 0), &[1], Wall(7)), After::Parked);
    }
}
