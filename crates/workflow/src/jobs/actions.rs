//! What a job does with one process: first whether it can be done, which a dry run tells, then the doing.

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::form::{Action, TaskChoice};
use super::repair;
use super::row::Job;
use crate::broken::{broken_of, calm, retry_held};
use crate::engine::Engine;
use crate::names::TaskId;
use crate::process::row::{Process, State};
use crate::process::start::start_once;
use crate::process::{Start, abort_held, from_start, from_task};
use crate::search::Seen;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&FIRST_TASK];

static FIRST_TASK: Sql = Sql::new(
    "wfl_task.first_chosen",
    "SELECT t.number, d.number FROM wfl_task t LEFT JOIN wfl_decision d ON d.process = t.process AND d.number = t.number \
     WHERE t.process = ?1 AND (?2 = '' OR t.actor = ?2) AND (?3 = '' OR t.method = ?3) AND (?4 = '' OR COALESCE(t.local, '') = ?4) \
     ORDER BY CASE WHEN d.number IS NULL THEN 1 ELSE 0 END, t.number LIMIT 1",
);

/// What became of a process.
pub(super) enum Did {
    /// It was changed.
    Changed(String),
    /// It would be, or something was found: nothing is changed.
    Would(String),
    /// There was nothing to do.
    Skipped(String),
    /// It could not be done.
    Failed(String),
}

/// What is going to be done.
enum Step {
    Recover,
    Restart,
    RestartFrom(TaskId),
    Retry(Vec<TaskId>),
    Abort,
    Clone(String),
}

/// Does it, or tells what it would do.
pub(super) fn act(tx: &mut dyn Tx, cx: &mut OpCx<'_>, job: &Job, seen: &Seen) -> OpResult<Did> {
    let process = Process::get(tx, &seen.id)?;
    let (step, text) = match plan(tx, cx, job, &process, seen)? {
        Ok(planned) => planned,
        Err(did) => return Ok(did),
    };
    if job.wish.dry_run {
        return Ok(Did::Would(text));
    }
    let kind = process.kind.clone();
    let did = carry_out(tx, cx, job, process, step, text)?;
    calm(tx, cx, &kind)?;
    Ok(did)
}

/// What is to be done with a process, and in words; or why nothing is. Changes nothing.
fn plan(
    tx: &mut dyn Tx,
    cx: &OpCx<'_>,
    job: &Job,
    process: &Process,
    seen: &Seen,
) -> OpResult<Result<(Step, String), Did>> {
    let is = || format!("it is {}", process.state.text());
    Ok(match job.wish.action {
        Action::Recover | Action::Analyse => match repair::finding(tx, cx, process)? {
            Some(found) if job.wish.action == Action::Recover => Ok((Step::Recover, found)),
            Some(found) => Err(Did::Would(found)),
            None => Err(Did::Skipped("nothing is wrong".into())),
        },
        Action::Restart => Ok((Step::Restart, "begun anew".into())),
        Action::RestartFrom => plan_restart_from(tx, process, &job.wish.task.clone().unwrap_or_default())?,
        Action::RetryBroken if process.state != State::Broken => Err(Did::Skipped(is())),
        Action::RetryBroken => match broken_of(tx, &process.id)? {
            none if none.is_empty() => {
                Err(Did::Failed("it is broken, and no task of it is: restart or recover it".into()))
            }
            broken => {
                let text = format!("{} broken tasks are tried again", broken.len());
                Ok((Step::Retry(broken), text))
            }
        },
        Action::Abort if process.state.is_over() => Err(Did::Skipped(is())),
        Action::Abort => Ok((Step::Abort, "aborted".into())),
        Action::Clone => {
            let own = format!("@job {}/", job.number);
            match seen.start_key.as_ref().is_some_and(|key| key.starts_with(&own)) {
                true => Err(Did::Skipped("this job started it".into())),
                false => Ok((Step::Clone(format!("{own}{}", process.id)), "started once more".into())),
            }
        }
    })
}

fn plan_restart_from(tx: &mut dyn Tx, process: &Process, wanted: &TaskChoice) -> OpResult<Result<(Step, String), Did>> {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let row = args![&process.id, text(&wanted.actor), text(&wanted.method), text(&wanted.id)];
    let Some(row) = tx.query_one(&FIRST_TASK, row)? else {
        return Ok(Err(Did::Failed("it has no such task".into())));
    };
    let id = TaskId::new(&process.id, row.int(0));
    if row.opt_int(1).is_none() {
        return Ok(Err(Did::Failed(format!("task {id} never ran: there is nothing to begin anew"))));
    }
    if process.state.is_over() && process.parent.is_some() {
        return Ok(Err(Did::Failed("the process that waits for it has its result already".into())));
    }
    let text = format!("begun anew from task {id}");
    Ok(Ok((Step::RestartFrom(id), text)))
}

fn carry_out(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    job: &Job,
    process: Process,
    step: Step,
    text: String,
) -> OpResult<Did> {
    if let Step::Clone(key) = &step {
        let start = Start { start: process.start_form()?, kind: process.kind, custom_id: process.custom_id, key: None };
        let (id, _) = start_once(tx, cx, &start, key)?;
        return Ok(Did::Changed(format!("{text}: {id}")));
    }
    if matches!(step, Step::Recover) {
        let repaired = repair::recover(tx, cx, &process, &job.source())?;
        return Ok(if repaired.is_empty() { Did::Skipped(text) } else { Did::Changed(text) });
    }
    let mut engine = Engine::new(tx, cx);
    engine.source = job.source();
    match step {
        Step::Restart => from_start(&mut engine, process, &job.source())?,
        Step::RestartFrom(task) => from_task(&mut engine, process, &task.to_string())?,
        Step::Retry(tasks) => retry_held(&mut engine, &process, &tasks)?,
        Step::Abort => abort_held(&mut engine, &process.id, &job.source())?,
        Step::Recover | Step::Clone(_) => {}
    }
    engine.settle()?;
    Ok(Did::Changed(text))
}
