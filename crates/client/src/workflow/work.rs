//! The task that a function works on, as far as it needs to know.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use super::calls::Workflow;
use super::failure::Failure;
use super::wire::{Beat, Given, Pass};

/// How long a checkpoint may take to be kept.
const PATIENCE: Duration = Duration::from_secs(30);

/// The task itself. A function that has one as a parameter can tell by its id, or its key, that something was done before, and save how far
/// it is.
#[derive(Debug, Clone)]
pub struct Work {
    pass: Pass,
    process_id: Arc<str>,
    key: Option<Arc<str>>,
    checkpoint: Option<Arc<RawValue>>,
    workflow: Workflow,
}

impl Work {
    pub(super) fn of(given: &Given, workflow: &Workflow) -> Self {
        Self {
            pass: given.pass.clone(),
            process_id: given.process_id.as_str().into(),
            key: given.key.as_deref().map(Into::into),
            checkpoint: given.checkpoint.clone().map(Into::into),
            workflow: workflow.clone(),
        }
    }

    #[cfg(test)]
    pub(super) fn of_nothing(client: &crate::Client) -> Self {
        let pass = Pass { task_id: "p.1".into(), attempt: 1, pass: "x".into() };
        Self { pass, process_id: "p".into(), key: None, checkpoint: None, workflow: client.workflow() }
    }

    /// The task's id: the same in every attempt.
    #[must_use]
    pub fn task_id(&self) -> &str {
        &self.pass.task_id
    }

    /// Its process.
    #[must_use]
    pub fn process_id(&self) -> &str {
        &self.process_id
    }

    /// Which attempt this is.
    #[must_use]
    pub fn attempt(&self) -> i64 {
        self.pass.attempt
    }

    /// The key that it was asked for with.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// What an earlier attempt saved.
    ///
    /// # Errors
    /// It is something else.
    pub fn checkpoint<T: DeserializeOwned>(&self) -> Result<Option<T>, Failure> {
        self.checkpoint.as_ref().map(|text| serde_json::from_str(text.get()).map_err(Failure::from)).transpose()
    }

    /// Saves how far this is, for the next attempt. It is durable when this answers.
    ///
    /// # Errors
    /// The task is not this attempt's any more (class `NotMine`), or it could not be said.
    pub async fn save(&self, checkpoint: &impl Serialize) -> Result<(), Failure> {
        let beat = Beat { checkpoint: Some(to_raw_value(checkpoint)?), ..Beat::of(&self.pass) };
        match self.workflow.beat(&[beat], PATIENCE).await?.first() {
            Some(true) => Ok(()),
            _ => Err(Failure::new("NotMine", format!("task {} is somebody else's now", self.pass.task_id))),
        }
    }
}
