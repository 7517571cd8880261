//! Creates a job: it begins at once.

use base::{OpResult, Sql, Tx, args};
use kernel::{NewTask, Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cycle::RUN;
use super::form::CreateJob;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&NUMBER, &INSERT];

static NUMBER: Sql = Sql::new(
    "wfl_number.next",
    "INSERT INTO wfl_number (name, last) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET last = wfl_number.last + 1 RETURNING last",
);
static INSERT: Sql = Sql::new(
    "wfl_job.insert",
    "INSERT INTO wfl_job (number, state, wish, priority, rate, task, until, pace, created_at, created_by) \
     VALUES (?1, 'RUNNING', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
);

/// Creates a job.
pub static CREATE_JOB: Op<CreateJob, CreatedJob> =
    Op::new("workflow.create_job", create).keyed(|_| crate::key_of("jobs"));

/// It is durable, and runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedJob {
    /// Its number.
    pub job: i64,
}

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &CreateJob) -> OpResult<CreatedJob> {
    wanted.check()?;
    let number = tx.query_one(&NUMBER, args!["job"])?.map_or(1, |row| row.int(0));
    let (task, until) = (begin(cx, number), cx.id());
    let wish = serde_json::to_string(wanted).unwrap_or_default();
    let pace = cx.heard.0.saturating_mul(1_000);
    let (priority, rate, by) = (wanted.priority, wanted.rate, &cx.caller.name);
    tx.write(&INSERT, args![number, wish, priority, rate, &task, until, pace, cx.wall, by])?;
    cx.fx.journal("workflow.job", number.to_string(), format!("{:?}", wanted.action).to_lowercase());
    Ok(CreatedJob { job: number })
}

/// A task of the kernel that runs it; its id. One that ran it before has nothing to say any more.
pub(super) fn begin(cx: &mut OpCx<'_>, number: i64) -> String {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, RUN).param(number.to_string()).info(format!("job {number}")));
    id.to_string()
}
