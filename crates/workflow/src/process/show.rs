//! A process as people and programs see it.

use base::{OpResult, Tx};
use kernel::Query;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::row::Process;
use crate::task::ErrorForm;

/// A process by its id.
pub static PROCESS: Query<String, ProcessView> = Query::new("workflow.process", show);

/// A process.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowProcess)]
pub struct ProcessView {
    /// Its id.
    pub process_id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id that whoever started it gave.
    pub custom_id: Option<String>,
    /// ACTIVE, FINISHED, BROKEN or ABORTED.
    #[schema(example = "ACTIVE")]
    pub state: String,
    /// Its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub value: Option<Box<RawValue>>,
    /// Why it is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorForm>,
    /// When it was started.
    #[schema(format = DateTime)]
    pub started_at: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
    /// The task of another process that waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

impl ProcessView {
    pub(crate) fn of(process: Process) -> Self {
        Self {
            process_id: process.id,
            kind: process.kind,
            custom_id: process.custom_id,
            state: process.state.text().into(),
            value: process.value.and_then(|value| RawValue::from_string(value).ok()),
            error: process.error,
            started_at: process.started_at.rfc3339(),
            ended_at: process.ended_at.map(|at| at.rfc3339()),
            parent: process.parent.map(|parent| parent.to_string()),
        }
    }
}

fn show(tx: &mut dyn Tx, id: &String) -> OpResult<ProcessView> {
    Process::get(tx, id).map(ProcessView::of)
}
