//! What workers and the server say to each other.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::failure::Failure;
use super::task::Task;

/// Who asks for work.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Poll {
    pub(super) actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task_list: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) worker: Option<String>,
    pub(super) max: usize,
    pub(super) wait_ms: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Polled {
    pub(super) tasks: Vec<Given>,
}

/// A task that was given out.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Given {
    #[serde(flatten)]
    pub(super) pass: Pass,
    pub(super) process_id: String,
    pub(super) method: String,
    pub(super) args: Vec<Filled>,
    pub(super) timeout_ms: u64,
    #[serde(default)]
    pub(super) checkpoint: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) key: Option<String>,
}

/// By what right somebody works on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pass {
    pub(super) task_id: String,
    pub(super) attempt: i64,
    pub(super) pass: String,
}

/// An argument as it is given out.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Filled {
    #[serde(default)]
    pub(super) value: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) error: Option<Failure>,
}

/// A result.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Brought {
    #[serde(flatten)]
    pub(super) pass: Pass,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<Failure>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tasks: Vec<Task>,
}

impl Brought {
    pub(super) fn error(pass: Pass, error: Failure) -> Self {
        Self { pass, value: None, error: Some(error), tasks: vec![] }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Released {
    pub(super) results: Vec<Verdict>,
}

/// What became of a result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Verdict {
    pub(super) accepted: bool,
    #[serde(default)]
    pub(super) reason: Option<String>,
}

/// Somebody is at a task.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Beat {
    #[serde(flatten)]
    pub(super) pass: Pass,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extend_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) checkpoint: Option<Box<RawValue>>,
}

impl Beat {
    pub(super) fn of(pass: &Pass) -> Self {
        Self { pass: pass.clone(), extend_ms: None, checkpoint: None }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Beaten {
    pub(super) tasks: Vec<BeatenTask>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BeatenTask {
    pub(super) ok: bool,
}
