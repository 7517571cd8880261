//! Arguments of tasks: values and promises, as they are asked for, kept and handed out.

use std::collections::BTreeSet;

use base::{OpError, OpResult, codes};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::form::ErrorForm;

/// An argument of a task that is asked for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowArgument)]
pub struct Argument {
    /// A value.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub value: Option<Box<RawValue>>,
    /// The result of a task: one of the same decision by the id that it gives it, or one of the process by its task id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
}

/// A field that is there, also if it is null.
pub(super) fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// An argument as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) promise: Option<i64>,
}

/// An argument as it is handed out.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowFilled)]
pub struct Filled {
    /// The value.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub value: Option<Box<RawValue>>,
    /// The error of a task that may fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorForm>,
}

impl Filled {
    /// A value.
    #[must_use]
    pub fn value(value: Box<RawValue>) -> Self {
        Self { value: Some(value), error: None }
    }
}

/// Arguments as they are kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Args(pub(crate) Vec<Kept>);

impl Args {
    pub(crate) fn read(text: &str) -> OpResult<Self> {
        let damaged = |error| OpError::new(codes::BDETECTED, format!("arguments cannot be read: {error}"));
        serde_json::from_str(text).map(Self).map_err(damaged)
    }

    pub(crate) fn text(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// The tasks whose results it wants.
    pub(crate) fn promises(&self) -> BTreeSet<i64> {
        self.0.iter().filter_map(|argument| argument.promise).collect()
    }
}
