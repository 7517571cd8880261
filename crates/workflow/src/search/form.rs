//! What is looked for. Pure.

use base::{OpError, OpResult, Wall, codes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::broken::{Broken, BrokenBy};
use crate::codes::AWORKFLOW;
use crate::names::{check_actor, check_text, check_word, short};
use crate::process::row::State;

/// Bytes of a text that errors are searched for.
const ERROR_MAX: usize = 1_000;
/// Bytes of a value that arguments are searched for.
const ARGUMENT_MAX: usize = 10_000;

/// What is looked for: all that is said must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = ProcessSearch)]
pub struct Search {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The id that whoever started it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_id: Option<String>,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// An actor that has a task in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// ACTIVE, FINISHED, BROKEN or ABORTED.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Started at this moment or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_from: Option<String>,
    /// Started before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_to: Option<String>,
    /// Ended at this moment or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_from: Option<String>,
    /// Ended before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_to: Option<String>,
    /// A text that occurs in the message or the trace of its error, in small or capital letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The class of its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_class: Option<String>,
    /// What occurs in the arguments that it was started with: a text within any text of them, any other value as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub argument: Option<Value>,
    /// It is broken by a task of which this holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenBy>,
    /// It took so long at least; one that is not over yet: up to now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_min_ms: Option<i64>,
    /// It took so long at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_max_ms: Option<i64>,
    /// Its state is as it is for so long at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchanged_min_ms: Option<i64>,
    /// Its state is as it is for so long at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchanged_max_ms: Option<i64>,
}

/// A search that was read: times are times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    pub(crate) search: Search,
    pub(crate) state: Option<State>,
    pub(crate) started: (Option<Wall>, Option<Wall>),
    pub(crate) ended: (Option<Wall>, Option<Wall>),
    pub(crate) broken: Option<Broken>,
    /// In small letters.
    pub(crate) error: Option<String>,
}

impl Wanted {
    /// Rows that one look may pass: fewer where more has to be read of each.
    pub(crate) fn examined_max(&self) -> usize {
        match (&self.search.argument, &self.error, &self.search.actor, &self.broken) {
            (Some(_), ..) => 200,
            (None, Some(_), ..) | (None, None, Some(_), _) | (None, None, None, Some(_)) => 400,
            (None, None, None, None) => 2_000,
        }
    }
}

impl Search {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// `AWORKFLOW`, `ALIMIT`.
    pub fn check(&self) -> OpResult<()> {
        self.read().map(drop)
    }

    pub(crate) fn read(&self) -> OpResult<Wanted> {
        self.id.iter().try_for_each(|id| check_text("id", id))?;
        self.custom_id.iter().try_for_each(|id| check_text("custom_id", id))?;
        self.kind.iter().try_for_each(|kind| check_word("type", kind))?;
        self.actor.iter().try_for_each(|actor| check_actor(actor))?;
        self.error_class.iter().try_for_each(|class| check_text("error_class", class))?;
        self.check_sizes()?;
        Ok(Wanted {
            state: self.read_state()?,
            broken: self.broken.as_ref().map(BrokenBy::read).transpose()?,
            started: (moment("started_from", &self.started_from)?, moment("started_to", &self.started_to)?),
            ended: (moment("ended_from", &self.ended_from)?, moment("ended_to", &self.ended_to)?),
            error: self.error.as_ref().map(|text| text.to_lowercase()),
            search: self.clone(),
        })
    }

    /// Only what is broken is broken by something.
    fn read_state(&self) -> OpResult<Option<State>> {
        let said = self.state.as_deref().map(state).transpose()?;
        match (&self.broken, said) {
            (None, said) => Ok(said),
            (Some(_), None | Some(State::Broken)) => Ok(Some(State::Broken)),
            (Some(_), Some(_)) => Err(OpError::new(AWORKFLOW, "`broken` goes with the state BROKEN alone")),
        }
    }

    fn check_sizes(&self) -> OpResult<()> {
        if self.error.as_ref().is_some_and(|text| text.is_empty() || text.len() > ERROR_MAX) {
            return Err(OpError::new(codes::ALIMIT, format!("error is 1 to {ERROR_MAX} bytes")));
        }
        if self.argument.as_ref().is_some_and(|value| value.to_string().len() > ARGUMENT_MAX) {
            return Err(OpError::new(codes::ALIMIT, format!("argument is at most {ARGUMENT_MAX} bytes")));
        }
        let lengths = [self.duration_min_ms, self.duration_max_ms, self.unchanged_min_ms, self.unchanged_max_ms];
        if lengths.into_iter().flatten().any(|ms| ms < 0) {
            return Err(OpError::new(AWORKFLOW, "durations and ages are 0 ms or more"));
        }
        Ok(())
    }
}

fn state(text: &str) -> OpResult<State> {
    let states = [State::Active, State::Finished, State::Broken, State::Aborted];
    let unknown =
        || OpError::new(AWORKFLOW, format!("state `{}` is none of ACTIVE, FINISHED, BROKEN, ABORTED", short(text)));
    states.into_iter().find(|state| state.text() == text).ok_or_else(unknown)
}

/// A moment that somebody named.
pub(crate) fn moment(what: &str, text: &Option<String>) -> OpResult<Option<Wall>> {
    let read = |text: &String| {
        let none = || OpError::new(AWORKFLOW, format!("{what} `{}` is no RFC 3339 time", short(text)));
        Wall::parse_rfc3339(text).ok_or_else(none)
    };
    text.as_ref().map(read).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<OpResult<()>, String> {
        serde_json::from_str::<Search>(text).map(|search| search.check()).map_err(|error| error.to_string())
    }

    #[test]
    fn wfl_18_a_search_is_read_and_what_cannot_be_is_refused() {
        assert_eq!(read(r#"{"type":"order","state":"BROKEN","started_from":"2026-11-16T00:00:00Z"}"#), Ok(Ok(())));
        assert_eq!(read("{}"), Ok(Ok(())), "all processes");
        assert!(read(r#"{"typ":"order"}"#).unwrap_err().contains("typ"), "an unknown field is named");
        for bad in [
            r#"{"state":"BROKE"}"#,
            r#"{"started_to":"yesterday"}"#,
            r#"{"type":"a b"}"#,
            r#"{"actor":"nobody"}"#,
            r#"{"duration_min_ms":-1}"#,
        ] {
            assert_eq!(read(bad).unwrap().unwrap_err().code, AWORKFLOW, "{bad}");
        }
        let large = format!(r#"{{"argument":"{}"}}"#, "x".repeat(5 << 20));
        assert_eq!(read(&large).unwrap().unwrap_err().code, codes::ALIMIT);
        assert_eq!(read(r#"{"error":""}"#).unwrap().unwrap_err().code, codes::ALIMIT);
    }
}
