//! A job as it is asked for. Checked before anything changes. Pure.

use base::{OpError, OpResult, codes};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::codes::AWORKFLOW;
use crate::names::{NAME_MAX, check_actor, check_text, check_word};
use crate::search::Search;

/// Types that one job names.
const TYPES_MAX: usize = 100;
/// Changes of a second.
const RATE_MAX: i64 = 10_000;
/// Changes of a second unless somebody says otherwise.
const RATE: i64 = 100;

/// What a job does with each process that it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = JobAction)]
pub enum Action {
    /// Brings it to a consistent state.
    Recover,
    /// Tells whether it is in one, and changes nothing.
    Analyse,
    /// Begins it anew.
    Restart,
    /// Begins it anew from a task.
    RestartFrom,
    /// Tries its broken tasks again.
    RetryBroken,
    /// Aborts it.
    Abort,
    /// Starts one like it.
    Clone,
}

/// A job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateJob {
    /// What is done.
    pub action: Action,
    /// With which processes; nothing said: with all.
    #[serde(default)]
    pub search: Search,
    /// From which task of each process, for `restart_from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskChoice>,
    /// Only these types, those of a higher priority first; then `search` names no type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<TypePriority>,
    /// Jobs of a lower priority wait while one of a higher runs; 0 unless it is said, -100 to 100.
    #[serde(default)]
    pub priority: i64,
    /// Processes that are changed in a second at most; 100 unless it is said.
    #[serde(default = "usual_rate")]
    pub rate: i64,
    /// Nothing is changed: what would be done is listed.
    #[serde(default)]
    pub dry_run: bool,
}

fn usual_rate() -> i64 {
    RATE
}

/// Which task of a process: the first that all of this fits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TaskChoice {
    /// Its actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Its method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What the decision that laid it out called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A type, and when its turn is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TypePriority {
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Higher ones first.
    #[serde(default)]
    pub priority: i64,
}

impl CreateJob {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// `AWORKFLOW`, `ALIMIT`.
    pub fn check(&self) -> OpResult<()> {
        self.search.check()?;
        check_rate(self.rate)?;
        check_priority(self.priority)?;
        match (self.action, &self.task) {
            (Action::RestartFrom, Some(task)) => task.check()?,
            (Action::RestartFrom, None) => {
                return Err(OpError::new(AWORKFLOW, "restart_from needs `task`: {actor?, method?, id?}"));
            }
            (_, Some(_)) => return Err(OpError::new(AWORKFLOW, "`task` is for restart_from alone")),
            (_, None) => {}
        }
        self.check_types()
    }

    fn check_types(&self) -> OpResult<()> {
        if self.types.len() > TYPES_MAX {
            return Err(OpError::new(codes::ALIMIT, format!("at most {TYPES_MAX} types")));
        }
        if !self.types.is_empty() && self.search.kind.is_some() {
            return Err(OpError::new(AWORKFLOW, "types are named either in `types` or in `search`"));
        }
        self.types.iter().try_for_each(|one| check_word("type", &one.kind))
    }

    /// The types one after the other, those of the highest priority first; without any: all processes at once.
    #[must_use]
    pub fn parts(&self) -> Vec<Search> {
        if self.types.is_empty() {
            return vec![self.search.clone()];
        }
        let mut types = self.types.clone();
        types.sort_by_key(|one| std::cmp::Reverse(one.priority));
        types.into_iter().map(|one| Search { kind: Some(one.kind), ..self.search.clone() }).collect()
    }
}

impl TaskChoice {
    fn check(&self) -> OpResult<()> {
        self.actor.iter().try_for_each(|actor| check_actor(actor))?;
        self.id.iter().try_for_each(|id| check_text("task id", id))?;
        if self.method.as_ref().is_some_and(|method| method.len() > NAME_MAX) {
            return Err(OpError::new(AWORKFLOW, format!("a method is at most {NAME_MAX} bytes")));
        }
        if *self == Self::default() {
            return Err(OpError::new(AWORKFLOW, "`task` says nothing: actor, method or id"));
        }
        Ok(())
    }
}

pub(super) fn check_rate(rate: i64) -> OpResult<()> {
    if (1..=RATE_MAX).contains(&rate) {
        return Ok(());
    }
    Err(OpError::new(AWORKFLOW, format!("rate {rate} is not 1 to {RATE_MAX} processes in a second")))
}

pub(super) fn check_priority(priority: i64) -> OpResult<()> {
    if (-100..=100).contains(&priority) {
        return Ok(());
    }
    Err(OpError::new(AWORKFLOW, format!("priority {priority} is not -100 to 100")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CreateJob, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn wfl_16_a_job_is_read_and_what_cannot_be_is_refused() {
        let job = read(r#"{"action":"recover"}"#).unwrap();
        assert_eq!((job.check(), job.rate, job.dry_run), (Ok(()), 100, false));
        for bad in [
            r#"{"action":"abort","rate":0}"#,
            r#"{"action":"abort","rate":-5}"#,
            r#"{"action":"abort","priority":101}"#,
            r#"{"action":"restart_from"}"#,
            r#"{"action":"restart_from","task":{}}"#,
            r#"{"action":"abort","task":{"id":"a"}}"#,
            r#"{"action":"abort","search":{"type":"a"},"types":[{"type":"b"}]}"#,
        ] {
            assert_eq!(read(bad).unwrap().check().unwrap_err().code, AWORKFLOW, "{bad}");
        }
        for unreadable in [r#"{"action":"destroy"}"#, r#"{"action":"abort","serach":{}}"#, "{}"] {
            assert!(read(unreadable).is_err(), "{unreadable}");
        }
    }

    #[test]
    fn wfl_16_types_of_a_higher_priority_come_first() {
        let job = read(r#"{"action":"recover","types":[{"type":"a"},{"type":"b","priority":5}]}"#).unwrap();
        let kinds: Vec<Option<String>> = job.parts().into_iter().map(|part| part.kind).collect();
        assert_eq!(kinds, [Some("b".to_owned()), Some("a".to_owned())]);
    }
}
