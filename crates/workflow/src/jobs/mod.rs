//! Jobs of operators over many processes (WFL-16, WFL-28): they begin at once on however many rows, go on by a durable place, count as
//! they go, and change no more in a second than they were told, so that a mass restart does not choke the live flow.
//!
//! A job is a task of the kernel. Each of its cycles is one commit: what it changed, what it counted and where it stands. A cycle that is
//! run again after a crash therefore finds what the last one left, and does nothing twice.

mod actions;
mod control;
mod create;
mod cycle;
mod form;
mod pace;
mod repair;
mod row;
mod show;

pub use control::{CHANGE_JOB, CONTROL_JOB, ChangeJob, ControlJob, JobControl};
pub use create::{CREATE_JOB, CreatedJob};
pub use form::{Action, CreateJob, TaskChoice, TypePriority};
pub use show::{JOB, JOB_RESULTS, JOBS, JobResult, JobResults, JobView, JobsOf, ResultsOf};

pub(crate) use cycle::TASK;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[row::STATEMENTS, create::STATEMENTS, show::STATEMENTS, actions::STATEMENTS];
