//! A schedule is due: it starts what it starts, and waits for its next moment, in one commit.

use base::{OpError, OpResult, Tx, codes};
use kernel::{NewTask, OpCx, Plan, TaskDef, TaskRow};

use super::change::Schedule;
use crate::process::start::start_once;

/// The kernel's task, with the id of a schedule.
pub(crate) const TASK: TaskDef = TaskDef::new(RUN, plan).queue(1);
pub(super) const RUN: &str = "workflow.schedule";

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, row: &TaskRow) -> OpResult<Plan> {
    let wrong = |_| OpError::new(codes::BDETECTED, format!("`{}` is no schedule", row.param));
    let id: String = serde_json::from_str(&row.param).map_err(wrong)?;
    let Some(mut schedule) = Schedule::find(tx, &id)? else { return Ok(Plan::Done) };
    if schedule.paused || schedule.task.as_deref() != Some(&row.id.to_string()) {
        return Ok(Plan::Done);
    }
    let calendar = schedule.wish.calendar()?;
    let (due, left_out) = schedule.wish.runs(&calendar, schedule.next, cx.wall);
    for at in &due {
        let key = format!("@schedule/{id}/{}", at.rfc3339());
        let (process, is_new) = start_once(tx, cx, &schedule.wish.start.wanted(), &key)?;
        schedule.runs += i64::from(is_new);
        (schedule.last_at, schedule.last_process) = (Some(*at), Some(process));
    }
    schedule.missed += i64::from(left_out);
    wait(cx, &mut schedule)?;
    schedule.save(tx)?;
    Ok(Plan::Done)
}

/// It waits for its next moment.
pub(super) fn wait(cx: &mut OpCx<'_>, schedule: &mut Schedule) -> OpResult<()> {
    schedule.next = schedule.wish.calendar()?.next_after(cx.wall);
    come(cx, schedule);
    Ok(())
}

/// Its moment comes, at once if that is past. A calendar that ran ahead and was put right pulls it back with it.
pub(super) fn come(cx: &mut OpCx<'_>, schedule: &mut Schedule) {
    let task = cx.id();
    let pause_ms = (schedule.next.0 - cx.wall.0).max(0);
    let param = serde_json::Value::from(schedule.id.as_str()).to_string();
    cx.fx.task(NewTask::new(task, RUN).param(param).info(format!("schedule {}", schedule.id)).after_ms(pause_ms));
    schedule.task = Some(task.to_string());
}
