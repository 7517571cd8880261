//! A task that calls outside and leaves a mark when it was answered.

use base::{Call, CallResult, HttpCall, OpError, OpResult, Tx, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{leave_mark, read};

/// Partners of the drill hang and fail often: each is tried again at once.
pub(super) const TASK: TaskDef = TaskDef::new("drill.call", plan).settled_by(settle).retrying(&[0; 64]).callable();

/// Time for a call: longer than a node may stand still, so that the answer is still there when it goes on.
const TIMEOUT_MS: u64 = 60_000;

/// Which mark, and who is called before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallAndMark {
    /// Name of the mark.
    pub name: String,
    /// Who is called.
    pub url: String,
}

fn plan(_: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let CallAndMark { name, url } = read(&task.param)?;
    let headers = vec![("webhook-id".to_owned(), task.id.to_string())];
    let body = json!({ "name": name, "attempt": task.attempt }).to_string().into_bytes();
    let call = HttpCall { method: "POST", url, headers, body, timeout_ms: TIMEOUT_MS, reply_max: 1_024 };
    Ok(Plan::Call(Call::Http(call)))
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, called: &CallResult) -> OpResult<Plan> {
    match called {
        CallResult::Http(reply) if reply.status == 200 => {
            let CallAndMark { name, .. } = read(&task.param)?;
            leave_mark(tx, cx, task, &name, 0)?;
            Ok(Plan::Done)
        }
        other => Err(OpError::new(codes::XTARGET, format!("not answered: {other:?}"))),
    }
}
