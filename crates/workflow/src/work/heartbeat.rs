//! A worker is at it (WFL-6, WFL-26): its time is extended, and what it saved is kept for the next attempt.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Tx, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::actors::rules;
use crate::decision::row::Decision;
use crate::names::TaskId;
use crate::task::check_value;
use crate::task::row::Task;

/// Tasks of one call.
const TASKS_MAX: usize = 500;
/// How long a heartbeat may extend.
const EXTEND_MS_MAX: i64 = 86_400_000;

/// Extends times.
pub static HEARTBEAT: Op<Heartbeat, Beaten> = Op::new("workflow.heartbeat", heartbeat).ending();

/// Who is at what.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowHeartbeat)]
pub struct Heartbeat {
    /// Tasks.
    pub tasks: Vec<Beat>,
}

/// Somebody is at a task.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowBeat)]
pub struct Beat {
    /// The task.
    pub task_id: String,
    /// The attempt that it was given out with.
    pub attempt: i64,
    /// The pass that it was given out with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
    /// How long nothing may be heard from now on; not given: as long as the actor's work timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extend_ms: Option<i64>,
    /// What the next attempt should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub checkpoint: Option<Box<RawValue>>,
}

/// What became of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowBeaten)]
pub struct Beaten {
    /// In the same order.
    pub tasks: Vec<BeatenTask>,
}

/// Whether a task is still that attempt's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowBeatenTask)]
pub struct BeatenTask {
    /// The task.
    pub task_id: String,
    /// It is; else whoever works on it can stop.
    pub ok: bool,
}

fn heartbeat(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Heartbeat) -> OpResult<Beaten> {
    if told.tasks.len() > TASKS_MAX {
        return Err(OpError::new(
            codes::ALIMIT,
            format!("{} tasks in one call, at most {TASKS_MAX}", told.tasks.len()),
        ));
    }
    for beat in &told.tasks {
        beat.checkpoint.iter().try_for_each(|value| check_value(value))?;
        if beat.extend_ms.is_some_and(|ms| !(1..=EXTEND_MS_MAX).contains(&ms)) {
            return Err(OpError::new(codes::ALIMIT, "extend_ms is 1 ms to a day"));
        }
    }
    let tasks = told.tasks.iter().map(|beat| keep_up(tx, cx, beat)).collect::<OpResult<_>>()?;
    Ok(Beaten { tasks })
}

fn keep_up(tx: &mut dyn Tx, cx: &OpCx<'_>, beat: &Beat) -> OpResult<BeatenTask> {
    let told = |ok| BeatenTask { task_id: beat.task_id.clone(), ok };
    let Ok(id) = beat.task_id.parse::<TaskId>() else { return Ok(told(false)) };
    let (Some(task), Some(decision)) = (Task::find(tx, &id)?, Decision::find(tx, &id)?) else { return Ok(told(false)) };
    if !cx.caller.may("actor", &task.actor) || (beat.pass.is_some() && beat.pass != decision.pass) {
        return Ok(told(false));
    }
    let rules = rules::of_actor(tx, &task.actor)?.for_task(task.timeout_ms);
    let until = rules.work_until(decision.queued, cx.heard, beat.extend_ms);
    let attempt = if mutants::on(Mutant::WorkflowBeatOfAnybody) { decision.attempt } else { beat.attempt };
    Decision::keep_up(tx, &id, attempt, until, beat.checkpoint.as_deref().map(RawValue::get)).map(told)
}
