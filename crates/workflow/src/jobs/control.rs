//! Pauses, resumes, cancels and changes jobs.

use base::{OpError, OpResult, Tx};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::create::begin;
use super::form::{check_priority, check_rate};
use super::row::{Job, State};
use crate::codes::AFLOW;

/// Pauses, resumes or cancels a job.
pub static CONTROL_JOB: Op<ControlJob, ()> = Op::new("workflow.control_job", control).ending();
/// Changes the rate and the priority of a job that is not over.
pub static CHANGE_JOB: Op<ChangeJob, ()> = Op::new("workflow.change_job", change);

/// What is done with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobControl {
    /// It stands until it is resumed.
    Pause,
    /// It goes on where it stood.
    Resume,
    /// It ends here; what it did stays.
    Cancel,
}

/// Which job, and what.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ControlJob {
    /// Its number.
    pub job: i64,
    /// What is done.
    pub control: JobControl,
}

/// What changes of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangeJob {
    /// Its number.
    pub job: i64,
    /// Processes that are changed in a second at most.
    pub rate: Option<i64>,
    /// Its priority.
    pub priority: Option<i64>,
}

fn control(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &ControlJob) -> OpResult<()> {
    let mut job = Job::get(tx, wanted.job)?;
    job.state = match (job.state, wanted.control) {
        (State::Running, JobControl::Pause) => State::Paused,
        (State::Paused, JobControl::Resume) => State::Running,
        (State::Running | State::Paused, JobControl::Cancel) => State::Cancelled,
        // Said twice is said once.
        (State::Paused, JobControl::Pause)
        | (State::Running, JobControl::Resume)
        | (State::Cancelled, JobControl::Cancel) => return Ok(()),
        (State::Done | State::Cancelled, _) => return Err(over(&job)),
    };
    match job.state {
        State::Running => job.task = begin(cx, job.number),
        State::Paused | State::Cancelled | State::Done => {
            job.task.parse().into_iter().for_each(|task| cx.fx.cancel_task(task));
        }
    }
    job.ended_at = job.state.is_over().then_some(cx.wall);
    cx.fx.journal("workflow.job", job.number.to_string(), job.state.text());
    job.save(tx)
}

fn change(tx: &mut dyn Tx, _: &mut OpCx<'_>, wanted: &ChangeJob) -> OpResult<()> {
    wanted.rate.map_or(Ok(()), check_rate)?;
    wanted.priority.map_or(Ok(()), check_priority)?;
    let mut job = Job::get(tx, wanted.job)?;
    if job.state.is_over() {
        return Err(over(&job));
    }
    job.rate = wanted.rate.unwrap_or(job.rate);
    job.priority = wanted.priority.unwrap_or(job.priority);
    job.save(tx)
}

fn over(job: &Job) -> OpError {
    OpError::new(AFLOW, format!("job {} is {}", job.number, job.state.text()))
}
