//! Parks a task: it waits for a person, who is told (KER-17).

use base::{OpError, OpResult, Sql, Tx, args};

use super::end::{alert_key, fenced, succeed};
use super::lane;
use super::row::{Task, parked_at};
use super::tally;
use crate::cx::OpCx;

/// Longest report that is kept.
const REPORT_MAX: usize = 4_000;

pub(super) static PARK: Sql = Sql::new(
    "task.park",
    "UPDATE task SET start_time = NULL, owner = NULL, lost_at = NULL, start_at = ?3, pause_ms = NULL, retry = retry + 1, exc = ?4, report = ?5, \
     cron = NULL, standing = NULL, unique_key = NULL WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL",
);

/// Parks a claimed task. Its lane goes on without it, and a cron task's next run is inscribed all the same.
pub(super) fn park(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, exc: &str, report: &str) -> OpResult<()> {
    let held = tx.execute(&PARK, args![task.id, task.attempt, parked_at(), exc, report])?;
    if held == 0 {
        return Err(fenced(task));
    }
    tally::count(cx, task, tally::PARKED);
    if let Some(lane) = &task.lane {
        lane::leave(tx, cx, lane)?;
    }
    if let Some(cron) = &task.cron {
        succeed(tx, cx, task, cron.next_after(cx.wall))?;
    }
    let about = format!("task {} ({}) was parked after attempt {}: {report}", task.id, task.op, task.attempt);
    cx.fx.open_alert(alert_key(task.id), "task.parked", &about);
    cx.fx.journal("task.parked", task.id.to_string(), about);
    Ok(())
}

/// What is kept of an error.
pub(super) fn report(error: &OpError) -> String {
    let mut report = error.message.clone();
    error.detail.iter().for_each(|line| report.extend(["\n", line]));
    let cut = report.floor_char_boundary(REPORT_MAX.min(report.len()));
    report.truncate(cut);
    report
}
