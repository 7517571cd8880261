//! Creates a task by itself, for people and programs outside.

use base::{Id, OpError, OpResult, Tx, Wall, codes};
use serde::{Deserialize, Serialize};

use super::cron::Cron;
use super::start::Start;
use crate::cx::OpCx;
use crate::effects::NewTask;
use crate::op::Op;

/// Creates a task.
pub static CREATE: Op<Create, Created> = Op::new("task.create", create);

/// What the task shall be. Whether its operation is known is asked before.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Name of the operation.
    pub op: String,
    /// Its parameter.
    #[serde(default)]
    pub param: serde_json::Value,
    /// Text that people find it by.
    #[serde(default)]
    pub info: String,
    /// When to start; at once, or at the next due moment of `cron`.
    #[serde(default)]
    pub start_at: Option<Wall>,
    /// Its queue; the one of the operation.
    #[serde(default)]
    pub queue: Option<i64>,
    /// One in flight per lane, oldest first.
    #[serde(default)]
    pub lane: Option<String>,
    /// When to run again and again.
    #[serde(default)]
    pub cron: Option<Cron>,
    /// A URL to be called in place of a built-in operation.
    #[serde(default)]
    pub target: Option<String>,
}

/// The new task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Created {
    /// Its id.
    pub id: Id,
}

fn create(_: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Create) -> OpResult<Created> {
    if input.op.is_empty() || input.info.chars().any(char::is_control) {
        return Err(OpError::new(codes::ABODY, "op is empty or info has control characters"));
    }
    if let Some(target) = &input.target
        && !(target.starts_with("https://") || target.starts_with("http://"))
    {
        return Err(OpError::new(codes::ABODY, "target is no http or https URL"));
    }
    let id = cx.id();
    let Create { op, param, info, start_at, queue, lane, cron, target } = input.clone();
    let start = start_at.map_or(Start::Now, Start::At);
    cx.fx.task(NewTask { id, op, param: param.to_string(), info, queue, lane, start, cron, target, unique_key: None });
    Ok(Created { id })
}
