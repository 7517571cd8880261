//! One cycle of a job, one commit: a bounded number of processes from where it stands.
//!
//! A cycle that fails is run again more carefully: with one process, and then without it, so that one process that cannot be worked on
//! does not hold up all behind it.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Tx, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

use super::actions::{Did, act};
use super::create::begin;
use super::form::Action;
use super::row::{Job, State};
use crate::search::{Order, Seen, Walk, Wanted, matches};

/// The kernel's task, with the number of a job.
pub(crate) const TASK: TaskDef = TaskDef::new(RUN, plan)
    .queue(2)
    .retrying(&[0, 0, 1, 10, 60, 180])
    .keyed(|row| crate::key_of(&format!("job {}", row.param)));
pub(super) const RUN: &str = "workflow.job";

/// Processes that one cycle looks at.
const EXAMINED_MAX: usize = 400;
/// Processes that one cycle works on.
const CHANGED_MAX: usize = 20;
/// How often a job looks whether one of a higher priority is over.
const WAIT_MS: i64 = 1_000;

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, row: &TaskRow) -> OpResult<Plan> {
    let wrong = || OpError::new(codes::BDETECTED, format!("`{}` is no number of a job", row.param));
    let mut job = Job::get(tx, row.param.parse().map_err(|_| wrong())?)?;
    if job.state != State::Running || job.task != row.id.to_string() {
        return Ok(Plan::Done);
    }
    let again = |ms: i64| Plan::CheckpointAt("null".into(), cx.wall.plus_ms(ms));
    if job.higher(tx)?.is_some() {
        return Ok(again(WAIT_MS));
    }
    let allowed = if is_free(&job) { EXAMINED_MAX } else { job.pace().allowed(cx.heard) };
    if allowed == 0 {
        return Ok(again(job.pace().wait_ms(cx.heard)));
    }
    let portion = Portion { most: if row.retry > 0 { 1 } else { allowed.min(most(&job)) }, passes: row.retry > 1 };
    let place = job.after.clone();
    let worked = work(tx, cx, &mut job, &portion)?;
    if mutants::on(Mutant::WorkflowPlaceOfJobLost) {
        job.after = place;
    }
    if !is_free(&job) {
        job.due_us = job.pace().after(worked, cx.heard);
    }
    if row.retry > 0 && job.state == State::Running {
        // It worked: from here on with a task that did not fail yet.
        job.task = begin(cx, job.number);
    }
    job.save(tx)?;
    Ok(match job.state {
        State::Running if job.task == row.id.to_string() => Plan::Checkpoint("null".into()),
        State::Running | State::Paused | State::Done | State::Cancelled => Plan::Done,
    })
}

/// It changes nothing, so it has no rate.
fn is_free(job: &Job) -> bool {
    job.wish.dry_run || job.wish.action == Action::Analyse
}

fn most(job: &Job) -> usize {
    if is_free(job) { EXAMINED_MAX } else { CHANGED_MAX }
}

/// What one cycle may do.
struct Portion {
    /// Work on so many.
    most: usize,
    /// The first that is found fails whenever it is worked on.
    passes: bool,
}

/// Works on a portion; how many it worked on.
fn work(tx: &mut dyn Tx, cx: &mut OpCx<'_>, job: &mut Job, portion: &Portion) -> OpResult<usize> {
    let parts = job.wish.parts();
    let part = usize::try_from(job.part).ok().and_then(|part| parts.get(part));
    let Some(wanted) = part.map(crate::search::Search::read).transpose()? else {
        return Ok(end(cx, job));
    };
    let mut walk = Walk::of(&wanted, Order::Oldest, &job.after);
    let steps = walk.step(tx, EXAMINED_MAX.min(wanted.examined_max()))?;
    let mut worked = 0;
    for seen in steps {
        if seen.id > job.until {
            next_part(cx, job, parts.len());
            return Ok(worked);
        }
        if worked == portion.most {
            return Ok(worked);
        }
        worked += usize::from(pass(tx, cx, job, (&wanted, &seen), portion)?);
    }
    if walk.is_over {
        next_part(cx, job, parts.len());
    }
    Ok(worked)
}

/// Passes one process; whether it was worked on.
fn pass(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    job: &mut Job,
    (wanted, seen): (&Wanted, &Seen),
    portion: &Portion,
) -> OpResult<bool> {
    job.examined += 1;
    job.after.clone_from(&seen.id);
    if job.begun.is_empty() {
        job.begun.clone_from(&seen.id);
    }
    if !matches(tx, wanted, seen, (cx.heard, cx.wall))? {
        return Ok(false);
    }
    job.found += 1;
    let did = match portion.passes {
        true => Did::Failed("it could not be worked on: see the parked or failed task of this job".into()),
        false => act(tx, cx, job, seen)?,
    };
    let (outcome, text, count) = match &did {
        Did::Changed(text) => ("changed", text, &mut job.changed),
        Did::Would(text) => ("would", text, &mut job.changed),
        Did::Skipped(text) => ("skipped", text, &mut job.skipped),
        Did::Failed(text) => ("failed", text, &mut job.failed),
    };
    *count += 1;
    job.list(tx, &seen.id, outcome, text)?;
    Ok(!matches!(did, Did::Skipped(_)))
}

fn next_part(cx: &OpCx<'_>, job: &mut Job, parts: usize) {
    (job.part, job.after, job.begun) = (job.part + 1, String::new(), String::new());
    if usize::try_from(job.part).is_ok_and(|part| part >= parts) {
        end(cx, job);
    }
}

fn end(cx: &OpCx<'_>, job: &mut Job) -> usize {
    (job.state, job.ended_at) = (State::Done, Some(cx.wall));
    0
}
