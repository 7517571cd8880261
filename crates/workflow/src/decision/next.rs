//! What comes of a result, of silence and of an error (WFL-7, WFL-8, WFL-11, WFL-12): pure.
//!
//! ```text
//! REGISTERED ──taken──▶ WORK ──result──▶ FINISH
//!     ▲   │               │  └─error: to be tried again, or counted ─▶ REGISTERED or FINISH
//!     │   └─task timeout──┼────────────▶ FINISH (an error)
//!     └────work timeout───┘
//! ```
//!
//! The attempt only grows, with every taking. Only a result of the present attempt may bring an error; an earlier one may still bring a
//! value where the actor says that the first one counts.

use base::Heard;
use base::mutants::{self, Mutant};

use crate::task::Retry;

/// Where a decision stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is ready, and in its queue.
    Registered,
    /// Somebody has taken it.
    Work,
    /// It is over.
    Finish,
}

/// What holds for an actor (WFL-10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActorRules {
    /// It gets nothing.
    pub blocked: bool,
    /// How long one may be silent.
    pub work_timeout_ms: i64,
    /// Silence means that somebody else tries; else it is an error.
    pub restart_after_work_timeout: bool,
    /// How long a task may take from its queueing; 0: for ever.
    pub task_timeout_ms: i64,
    /// Then it ends also if somebody works on it.
    pub force_finish_after_task_timeout: bool,
    /// The first value counts, whoever brings it.
    pub accept_first: bool,
}

impl Default for ActorRules {
    fn default() -> Self {
        Self {
            blocked: false,
            work_timeout_ms: 60_000,
            restart_after_work_timeout: true,
            task_timeout_ms: 0,
            force_finish_after_task_timeout: false,
            accept_first: true,
        }
    }
}

impl ActorRules {
    /// With the task's own timeout instead of the actor's.
    #[must_use]
    pub fn for_task(self, timeout_ms: Option<i64>) -> Self {
        Self { task_timeout_ms: timeout_ms.unwrap_or(self.task_timeout_ms), ..self }
    }

    /// When somebody has to look at a task that was queued then.
    #[must_use]
    pub fn queued_until(&self, queued: Heard) -> Option<Heard> {
        (self.task_timeout_ms > 0).then(|| queued.plus_ms(self.task_timeout_ms))
    }

    /// When somebody has to look at a task that was queued and heard of then.
    #[must_use]
    pub fn work_until(&self, queued: Heard, heard_of: Heard, extend_ms: Option<i64>) -> Heard {
        let silent = heard_of.plus_ms(extend_ms.unwrap_or(self.work_timeout_ms));
        match self.queued_until(queued) {
            Some(end) if self.force_finish_after_task_timeout => silent.min(end),
            _ => silent,
        }
    }
}

/// What a worker brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brought<'a> {
    /// Of which attempt.
    pub attempt: i64,
    /// With which pass.
    pub pass: Option<&'a str>,
    /// An error, not a value.
    pub is_error: bool,
}

/// A decision as a result finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    /// Where it stands; `None`: it is lost.
    pub state: Option<State>,
    /// The attempt that the task's row knows.
    pub attempt: i64,
    /// The pass of who took it last.
    pub pass: Option<&'a str>,
    /// Results up to this attempt were dropped, when somebody began anew from here.
    pub dropped: i64,
}

/// Why a result does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such task.
    Unknown,
    /// Nobody took it yet, or not so often.
    NeverTaken,
    /// It ended before.
    Finished,
    /// Somebody else has taken it since.
    Overtaken,
    /// It is not the pass that was given.
    Pass,
    /// The process is over.
    ProcessEnded,
}

impl Refusal {
    /// For the answer.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Unknown => "no such task",
            Self::NeverTaken => "this attempt was never given out",
            Self::Finished => "the task ended before",
            Self::Overtaken => "another attempt was begun since",
            Self::Pass => "the pass is not the one that was given with this attempt",
            Self::ProcessEnded => "the process is over",
        }
    }
}

/// Whether a result counts.
///
/// # Errors
/// Why not.
pub fn judge(found: Found<'_>, brought: Brought<'_>, accept_first: bool) -> Result<(), Refusal> {
    if found.state == Some(State::Finish) && !mutants::on(Mutant::WorkflowSecondResult) {
        return Err(Refusal::Finished);
    }
    if (brought.attempt < 1 || brought.attempt > found.attempt) && !mutants::on(Mutant::WorkflowAttemptIgnored) {
        return Err(Refusal::NeverTaken);
    }
    if brought.attempt <= found.dropped {
        return Err(Refusal::Overtaken);
    }
    if mutants::on(Mutant::WorkflowPassIgnored) {
        return Ok(());
    }
    let is_present = brought.attempt == found.attempt && found.state != Some(State::Registered);
    if brought.pass.is_some() && is_present && found.pass.is_some() && brought.pass != found.pass {
        return Err(Refusal::Pass);
    }
    let any_attempt = accept_first && !brought.is_error;
    if !is_present && !any_attempt {
        return Err(Refusal::Overtaken);
    }
    if !accept_first && (brought.pass.is_none() || brought.pass != found.pass) {
        return Err(Refusal::Pass);
    }
    Ok(())
}

/// What silence leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overdue {
    /// It is not so late yet: look again then.
    Wait(Heard),
    /// Somebody else tries.
    Requeue,
    /// It ends with an error: nobody answered in time.
    WorkTimeout,
    /// It ends with an error: its time is over.
    TaskTimeout,
}

/// What is to be done with a decision whose time passed.
#[must_use]
pub fn overdue(
    state: State,
    queued: Heard,
    taken: Option<Heard>,
    recovery: Heard,
    rules: &ActorRules,
    now: Heard,
) -> Overdue {
    if recovery > now {
        return Overdue::Wait(recovery);
    }
    let is_over = rules.queued_until(queued).is_some_and(|end| end <= now);
    match state {
        State::Registered if is_over => Overdue::TaskTimeout,
        State::Registered => Overdue::Wait(rules.queued_until(queued).unwrap_or(Heard(i64::MAX))),
        State::Work if is_over && rules.force_finish_after_task_timeout => Overdue::TaskTimeout,
        State::Work if is_over && taken.is_some_and(|taken| taken.plus_ms(rules.work_timeout_ms) > now) => {
            Overdue::Wait(taken.map_or(now, |taken| taken.plus_ms(rules.work_timeout_ms)))
        }
        State::Work if rules.restart_after_work_timeout && !is_over => Overdue::Requeue,
        State::Work if is_over => Overdue::TaskTimeout,
        State::Work => Overdue::WorkTimeout,
        State::Finish => Overdue::Wait(Heard(i64::MAX)),
    }
}

/// What an error leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It is tried again after a pause.
    Again {
        /// The pause.
        pause_ms: i64,
    },
    /// The error is the result.
    Accepted,
    /// Nobody accepts it: the task is interrupted, the process broken.
    Broken,
}

/// What an error leads to, after so many failures (this one included), so long after the task was first queued.
#[must_use]
pub fn failed(retry: Option<&Retry>, failures: i64, class: &str, age_ms: i64, accept_fail: bool) -> Failure {
    match retry.and_then(|retry| retry.pause_ms(failures, class, age_ms)) {
        Some(pause_ms) => Failure::Again { pause_ms },
        None if accept_fail => Failure::Accepted,
        None => Failure::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(state: State, attempt: i64) -> Found<'static> {
        Found { state: Some(state), attempt, pass: (state == State::Work).then_some("now"), dropped: 0 }
    }

    fn value(attempt: i64) -> Brought<'static> {
        Brought { attempt, pass: None, is_error: false }
    }

    #[test]
    fn wfl_7_the_first_value_wins_once_whoever_brings_it() {
        assert_eq!(judge(found(State::Work, 2), value(2), true), Ok(()));
        assert_eq!(judge(found(State::Work, 2), value(1), true), Ok(()), "late, and the first");
        assert_eq!(judge(found(State::Registered, 2), value(2), true), Ok(()), "it was queued again meanwhile");
        assert_eq!(judge(found(State::Finish, 2), value(2), true), Err(Refusal::Finished));
        assert_eq!(judge(found(State::Work, 2), value(3), true), Err(Refusal::NeverTaken));
        assert_eq!(judge(found(State::Registered, 0), value(0), true), Err(Refusal::NeverTaken));
        let wrong = Brought { pass: Some("other"), ..value(2) };
        assert_eq!(judge(found(State::Work, 2), wrong, true), Err(Refusal::Pass));
    }

    #[test]
    fn wfl_7_an_error_counts_only_of_the_present_attempt() {
        let error = |attempt| Brought { is_error: true, ..value(attempt) };
        assert_eq!(judge(found(State::Work, 2), error(2), true), Ok(()));
        assert_eq!(judge(found(State::Work, 2), error(1), true), Err(Refusal::Overtaken));
        assert_eq!(judge(found(State::Registered, 2), error(2), true), Err(Refusal::Overtaken));
    }

    #[test]
    fn wfl_7_where_the_last_counts_attempt_and_pass_are_demanded() {
        let with = |attempt, pass| Brought { pass, ..value(attempt) };
        assert_eq!(judge(found(State::Work, 2), with(2, Some("now")), false), Ok(()));
        assert_eq!(judge(found(State::Work, 2), with(2, None), false), Err(Refusal::Pass));
        assert_eq!(judge(found(State::Work, 2), with(1, Some("old")), false), Err(Refusal::Overtaken));
        assert_eq!(judge(found(State::Registered, 2), with(2, Some("old")), false), Err(Refusal::Overtaken));
        let lost = Found { state: None, attempt: 2, pass: None, dropped: 0 };
        assert_eq!(judge(lost, with(2, Some("now")), false), Err(Refusal::Pass), "nobody can tell");
        assert_eq!(judge(lost, value(2), true), Ok(()));
    }

    #[test]
    fn wfl_11_silence_gives_the_task_to_somebody_else() {
        let rules = ActorRules::default();
        let late =
            |rules: &ActorRules, now| overdue(State::Work, Heard(0), Some(Heard(10)), Heard(60_010), rules, Heard(now));
        assert_eq!(late(&rules, 60_009), Overdue::Wait(Heard(60_010)));
        assert_eq!(late(&rules, 60_010), Overdue::Requeue);
        let strict = ActorRules { restart_after_work_timeout: false, ..rules };
        assert_eq!(late(&strict, 60_010), Overdue::WorkTimeout);
    }

    #[test]
    fn wfl_12_a_task_whose_time_is_over_ends_with_an_error() {
        let rules = ActorRules { task_timeout_ms: 1_000, ..ActorRules::default() };
        let in_queue = overdue(State::Registered, Heard(0), None, Heard(1_000), &rules, Heard(1_000));
        assert_eq!(in_queue, Overdue::TaskTimeout);
        let in_work =
            |rules: &ActorRules, now| overdue(State::Work, Heard(0), Some(Heard(900)), Heard(1_000), rules, Heard(now));
        assert_eq!(in_work(&rules, 1_000), Overdue::Wait(Heard(60_900)), "its worker has its time");
        assert_eq!(in_work(&rules, 60_900), Overdue::TaskTimeout);
        let force = ActorRules { force_finish_after_task_timeout: true, ..rules };
        assert_eq!(in_work(&force, 1_000), Overdue::TaskTimeout);
        assert_eq!(force.work_until(Heard(0), Heard(900), None), Heard(1_000));
        assert_eq!(rules.work_until(Heard(0), Heard(900), None), Heard(60_900));
        assert_eq!(rules.for_task(Some(5)).queued_until(Heard(1)), Some(Heard(6)));
    }

    #[test]
    fn wfl_8_an_error_is_tried_again_then_accepted_or_final() {
        let retry = Retry { max_attempts: Some(2), ..Retry::default() };
        assert_eq!(failed(Some(&retry), 1, "Oops", 0, true), Failure::Again { pause_ms: 1_000 });
        assert_eq!(failed(Some(&retry), 2, "Oops", 0, true), Failure::Accepted);
        assert_eq!(failed(Some(&retry), 2, "Oops", 0, false), Failure::Broken);
        assert_eq!(failed(None, 1, "Oops", 0, false), Failure::Broken);
    }
}
