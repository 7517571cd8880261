//! What the collection has done outside of transactions, as data, and how it is done on any place.

use base::{BlobName, Blobs, CallResult, OpError, OpResult, WorkCall, codes};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Removes bytes.
pub const REMOVE: &str = "blob.remove";
/// Lists bytes.
pub const LIST: &str = "blob.list";

/// Time for one portion.
const TIMEOUT_MS: u64 = 600_000;

#[derive(Serialize, Deserialize)]
pub(super) struct RemoveNames {
    pub(super) names: Vec<String>,
}

/// What was removed, and why the rest was not.
#[derive(Serialize, Deserialize)]
pub(super) struct Removed {
    pub(super) names: Vec<String>,
    pub(super) failed: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ListNames {
    pub(super) after: Option<String>,
    pub(super) limit: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) names: Vec<String>,
}

/// A call of one of these works; whoever performs it knows which namespace its task is of.
pub(super) fn call(name: &'static str, param: &impl Serialize) -> OpResult<WorkCall> {
    let param = serde_json::to_string(param).map_err(|error| OpError::new(codes::BDETECTED, error.to_string()))?;
    Ok(WorkCall { name, namespace: String::new(), param, timeout_ms: TIMEOUT_MS })
}

/// What came of it.
pub(super) fn result<T: DeserializeOwned>(result: &CallResult) -> OpResult<T> {
    match result {
        CallResult::Worked(text) => {
            serde_json::from_str(text).map_err(|error| OpError::new(codes::BDETECTED, format!("`{text}`: {error}")))
        }
        CallResult::NotMade(reason) | CallResult::Unknown(reason) => {
            Err(OpError::new(codes::XUNEXPECTED, format!("the place of the blobs did not answer: {reason}")))
        }
        other => Err(OpError::new(codes::BDETECTED, format!("not an answer to work on blobs: {other:?}"))),
    }
}

/// Performs such a call on the namespace's place; blocks as long as that takes. It may be repeated: removing what is removed
/// changes nothing.
#[must_use]
pub fn perform(blobs: &dyn Blobs, call: &WorkCall) -> CallResult {
    let done = match call.name {
        REMOVE => serde_json::from_str(&call.param).map(|names| remove(blobs, &names)),
        LIST => serde_json::from_str(&call.param).map(|wanted| list(blobs, &wanted)),
        other => return CallResult::NotMade(format!("`{other}` is no work on blobs")),
    };
    done.unwrap_or_else(|error| CallResult::NotMade(format!("`{}`: {error}", call.param)))
}

fn remove(blobs: &dyn Blobs, wanted: &RemoveNames) -> CallResult {
    let mut removed = Removed { names: vec![], failed: None };
    for text in &wanted.names {
        match text.parse().map_err(std::io::Error::other).and_then(|name: BlobName| blobs.remove(&name)) {
            Ok(()) => removed.names.push(text.clone()),
            Err(error) => removed.failed = Some(format!("{text}: {error}")),
        }
    }
    worked(&removed)
}

fn list(blobs: &dyn Blobs, wanted: &ListNames) -> CallResult {
    let after = match wanted.after.as_deref().map(str::parse).transpose() {
        Ok(after) => after,
        Err(error) => return CallResult::NotMade(format!("{error}")),
    };
    match blobs.list(after.as_ref(), wanted.limit as usize) {
        Ok(names) => worked(&Listed { names: names.iter().map(ToString::to_string).collect() }),
        Err(error) => CallResult::NotMade(error.to_string()),
    }
}

fn worked(value: &impl Serialize) -> CallResult {
    serde_json::to_string(value).map_or_else(|error| CallResult::NotMade(error.to_string()), CallResult::Worked)
}
