//! Tasks whose work is done by a URL outside (KER-19).
//!
//! The target is called with the task's id, the same over all attempts, and signed with the namespace's key. What is unknown is
//! called unknown (`XCONTACT`) and tried again; the target may report a late end.

use std::collections::BTreeMap;

use base::{Call, CallResult, HttpCall, HttpReply, OpError, OpResult, Tx, codes};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::cx::OpCx;
use crate::secret;
use crate::service::{Plan, TaskRow};

/// Time for a call (KER-14).
const TIMEOUT_MS: u64 = 30 * 60_000;
/// Bytes of an answer: a checkpoint is small.
const REPLY_MAX: usize = 64 * 1024;

/// What the target is told.
#[derive(Serialize)]
struct Told<'a> {
    ns: &'a str,
    task_id: String,
    op: &'a str,
    param: &'a RawValue,
    retry: i64,
    attempt: i64,
    start_time: String,
    checkpoint: Option<&'a RawValue>,
}

pub(super) fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let url = task.target.clone().unwrap_or_default();
    let body = body(cx.namespace, task)?;
    let (id, at) = (task.id.to_string(), cx.wall.0 / 1000);
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    headers.extend(secret::webhook_headers(&secret::of_namespace(tx, cx)?, &id, at, body.as_bytes()));
    let body = body.into_bytes();
    let call = HttpCall { method: "POST", url, headers, body, timeout_ms: TIMEOUT_MS, reply_max: REPLY_MAX };
    Ok(Plan::Call(Call::Http(call)))
}

fn body(namespace: &str, task: &TaskRow) -> OpResult<String> {
    let no_json = |error: serde_json::Error| OpError::new(codes::BDETECTED, format!("task {}: {error}", task.id));
    let told = Told {
        ns: namespace,
        task_id: task.id.to_string(),
        op: &task.op,
        param: serde_json::from_str(&task.param).map_err(no_json)?,
        retry: task.retry,
        attempt: task.attempt,
        start_time: task.start_time.rfc3339(),
        checkpoint: task.checkpoint.as_deref().map(serde_json::from_str).transpose().map_err(no_json)?,
    };
    serde_json::to_string(&told).map_err(no_json)
}

/// 2xx ends it; a checkpoint in the answer continues it.
pub(super) fn settle(called: &CallResult) -> OpResult<Plan> {
    match called {
        CallResult::Http(reply) if (200..300).contains(&reply.status) => Ok(answered(reply)),
        CallResult::Http(reply) => {
            Err(OpError::new(codes::XTARGET, format!("the target answered with status {}", reply.status)))
        }
        CallResult::NotMade(why) => Err(OpError::new(codes::XTARGET, format!("the target could not be called: {why}"))),
        CallResult::Unknown(why) => {
            let error = OpError::new(codes::XCONTACT, format!("whether the target did it is unknown: {why}"));
            Err(OpError { outcome_unknown: true, ..error })
        }
        CallResult::Mailed | CallResult::Worked(_) => {
            Err(OpError::new(codes::BDETECTED, "a target was called by other means than HTTP"))
        }
    }
}

fn answered(reply: &HttpReply) -> Plan {
    let answered: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&reply.body).unwrap_or_default();
    let checkpoint = answered.get("checkpoint").map(|checkpoint| checkpoint.get()).filter(|text| *text != "null");
    checkpoint.map_or(Plan::Done, |checkpoint| Plan::Checkpoint(checkpoint.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> CallResult {
        CallResult::Http(HttpReply { status, headers: vec![], body: body.into() })
    }

    #[test]
    fn ker_19_what_a_target_answers() {
        for done in ["", "{}", "not json", "[1]", "{\"checkpoint\":null}"] {
            assert_eq!(settle(&answer(200, done)), Ok(Plan::Done), "{done}");
        }
        assert_eq!(settle(&answer(202, r#"{"checkpoint": {"at": 7}}"#)), Ok(Plan::Checkpoint(r#"{"at": 7}"#.into())));
        for refused in [301, 400, 404, 429, 500, 503] {
            assert_eq!(settle(&answer(refused, "")).unwrap_err().code, codes::XTARGET, "{refused}");
        }
        assert_eq!(settle(&CallResult::NotMade("no".into())).unwrap_err().code, codes::XTARGET);
        assert_eq!(settle(&CallResult::Unknown("?".into())).unwrap_err().code, codes::XCONTACT);
    }
}
