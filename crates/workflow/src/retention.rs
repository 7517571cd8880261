//! Lets go of what is over (WFL-24): finished processes after the time that their type says, aborted ones after a day, jobs of operators
//! after 30 days, answers to polls after an hour. A portion at a time, once an hour.
//!
//! Age is listening time of the store: a calendar that jumps ahead takes nothing that is young. The process itself goes last, so that a
//! portion that ends in the middle of a large one goes on there.

use base::{Heard, OpResult, Sql, Tx, args};
use kernel::{NewTask, Op, OpCx, Plan, TaskDef, TaskRow};

/// Lets go of what is over.
pub(crate) const FORGET: TaskDef = TaskDef::new(FORGET_OP, forget).queue(2).standing("H51").ending();
const FORGET_OP: &str = "workflow.forget";

/// Has it look now.
pub static FORGET_NOW: Op<(), ()> = Op::new("workflow.forget_now", forget_now).ending();

/// How long finished processes are kept unless their type says otherwise.
pub(crate) const KEPT_MS: i64 = 30 * 86_400_000;
/// How long aborted ones are.
const ABORTED_MS: i64 = 86_400_000;
/// Processes of one portion.
const PROCESSES: usize = 50;
/// Rows of one table that go at once.
const ROWS: u64 = 500;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &NEXT_TYPE,
    &KEPT,
    &OLD,
    &DROP_HISTORY,
    &DROP_DECISIONS,
    &DROP_TASKS,
    &DROP_SIGNALS,
    &DROP_GRAPH,
    &DROP_PROCESS,
    &OLD_JOB,
    &DROP_RESULTS,
    &DROP_JOB,
];

static NEXT_TYPE: Sql = Sql::new(
    "wfl_process.next_type_over",
    "SELECT type FROM wfl_process WHERE state = ?1 AND type > ?2 AND ended IS NOT NULL ORDER BY type LIMIT 1",
);
static KEPT: Sql = Sql::new("wfl_type.kept", "SELECT kept_ms FROM wfl_type WHERE id = ?1");
static OLD: Sql = Sql::new(
    "wfl_process.old",
    "SELECT id FROM wfl_process WHERE state = ?1 AND type = ?2 AND ended < ?3 AND ended IS NOT NULL ORDER BY ended, id LIMIT 50",
);
static DROP_HISTORY: Sql = Sql::new(
    "wfl_history.drop",
    "DELETE FROM wfl_history WHERE process = ?1 AND id IN (SELECT h.id FROM wfl_history h WHERE h.process = ?1 ORDER BY h.id LIMIT 500)",
);
static DROP_DECISIONS: Sql = Sql::new(
    "wfl_decision.drop",
    "DELETE FROM wfl_decision WHERE process = ?1 AND number IN \
     (SELECT d.number FROM wfl_decision d WHERE d.process = ?1 ORDER BY d.number LIMIT 500)",
);
static DROP_TASKS: Sql = Sql::new(
    "wfl_task.drop",
    "DELETE FROM wfl_task WHERE process = ?1 AND number IN \
     (SELECT t.number FROM wfl_task t WHERE t.process = ?1 ORDER BY t.number LIMIT 500)",
);
static DROP_SIGNALS: Sql = Sql::new(
    "wfl_signal.drop_some",
    "DELETE FROM wfl_signal WHERE process = ?1 AND id IN (SELECT s.id FROM wfl_signal s WHERE s.process = ?1 ORDER BY s.id LIMIT 500)",
);
static DROP_GRAPH: Sql = Sql::new("wfl_graph.drop", "DELETE FROM wfl_graph WHERE process = ?1");
static DROP_PROCESS: Sql =
    Sql::new("wfl_process.drop", "DELETE FROM wfl_process WHERE id = ?1 AND state IN ('FINISHED', 'ABORTED')");
static OLD_JOB: Sql = Sql::new(
    "wfl_job.old",
    "SELECT number FROM wfl_job WHERE ended IS NOT NULL AND ended < ?1 ORDER BY ended, number LIMIT 1",
);
static DROP_RESULTS: Sql = Sql::new(
    "wfl_job_result.drop",
    "DELETE FROM wfl_job_result WHERE job = ?1 AND place IN \
     (SELECT r.place FROM wfl_job_result r WHERE r.job = ?1 ORDER BY r.place LIMIT 500)",
);
static DROP_JOB: Sql = Sql::new("wfl_job.drop", "DELETE FROM wfl_job WHERE number = ?1");

fn forget_now(_: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<()> {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, FORGET_OP).unique("now"));
    Ok(())
}

fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let more = forget_processes(tx, cx.heard, "FINISHED")?
        || forget_processes(tx, cx.heard, "ABORTED")?
        || forget_jobs(tx, cx.heard)?
        || crate::work::forget(tx, cx.heard)?;
    Ok(if more { Plan::Checkpoint("null".into()) } else { Plan::Done })
}

/// Lets go of a portion; whether there may be more.
fn forget_processes(tx: &mut dyn Tx, now: Heard, state: &str) -> OpResult<bool> {
    let mut kind = String::new();
    while let Some(row) = tx.query_one(&NEXT_TYPE, args![state, &kind])? {
        row.text(0).clone_into(&mut kind);
        let before = now.plus_ms(-kept_ms(tx, state, &kind)?);
        let old = tx.query(&OLD, args![state, &kind, before], PROCESSES)?;
        for row in &old {
            if !forget_one(tx, row.text(0))? {
                return Ok(true);
            }
        }
        if old.len() == PROCESSES {
            return Ok(true);
        }
    }
    Ok(false)
}

fn kept_ms(tx: &mut dyn Tx, state: &str, kind: &str) -> OpResult<i64> {
    if state == "ABORTED" {
        return Ok(ABORTED_MS);
    }
    Ok(tx.query_one(&KEPT, args![kind])?.and_then(|row| row.opt_int(0)).unwrap_or(KEPT_MS))
}

/// Whether all of it went.
fn forget_one(tx: &mut dyn Tx, process: &str) -> OpResult<bool> {
    for drop in [&DROP_HISTORY, &DROP_DECISIONS, &DROP_TASKS, &DROP_SIGNALS] {
        if tx.execute(drop, args![process])? >= ROWS {
            return Ok(false);
        }
    }
    tx.write(&DROP_GRAPH, args![process])?;
    tx.write(&DROP_PROCESS, args![process])?;
    Ok(true)
}

/// One job of an operator at a time, with its results; whether there may be more.
fn forget_jobs(tx: &mut dyn Tx, now: Heard) -> OpResult<bool> {
    let Some(row) = tx.query_one(&OLD_JOB, args![now.plus_ms(-KEPT_MS)])? else { return Ok(false) };
    if tx.execute(&DROP_RESULTS, args![row.int(0)])? < ROWS {
        tx.write(&DROP_JOB, args![row.int(0)])?;
    }
    Ok(true)
}
