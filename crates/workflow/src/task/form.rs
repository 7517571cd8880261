//! A task as it is asked for, and the results that workers bring. Checked before anything changes. Pure.

use base::{OpError, OpResult, Wall, codes};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::args::Argument;
use super::retry::Retry;
use crate::codes::AWORKFLOW;
use crate::names::{NAME_MAX, check_actor, check_text, check_word};

/// Bytes of a value, or of all arguments of a task.
pub const VALUE_BYTES_MAX: usize = 1 << 20;
/// Arguments of a task, and tasks that one waits for.
const LIST_MAX: usize = 2_000;
/// The longest that a task may be given.
const TIMEOUT_MS_MAX: i64 = 366 * 86_400_000;

/// A task that is asked for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowTaskForm)]
pub struct TaskForm {
    /// What this decision calls it, so that its other tasks and its result can refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who does it: `name#version`, or one of the server's own: `@signal`, `@timer`, `@process`.
    pub actor: String,
    /// What is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// Values, and promises of the results of other tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Argument>,
    /// Tasks that have to end before, whatever their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wait_for: Vec<String>,
    /// What happens after an error; not given: the error counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// How long it may take, counted from when it is queued; instead of the actor's task timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
    /// An error is a result like any other for those who wait for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accept_fail: bool,
    /// Not before this moment, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<String>,
    /// A queue of its own beside the actor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_list: Option<String>,
    /// Passed on to whoever does it, who can tell by it that something was done before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl TaskForm {
    /// Refuses what cannot be. What it refers to is looked at when it is laid out.
    ///
    /// # Errors
    /// `AWORKFLOW`, `ALIMIT`.
    pub fn check(&self) -> OpResult<()> {
        check_actor(&self.actor)?;
        self.id.iter().try_for_each(|id| check_text("task id", id))?;
        self.key.iter().try_for_each(|key| check_text("task key", key))?;
        self.task_list.iter().try_for_each(|list| check_word("task list", list))?;
        if self.method.len() > NAME_MAX || self.method.chars().any(char::is_control) {
            return Err(OpError::new(
                AWORKFLOW,
                format!("a method is at most {NAME_MAX} bytes without control characters"),
            ));
        }
        self.retry.iter().try_for_each(Retry::check)?;
        if self.timeout_ms.is_some_and(|ms| !(1..=TIMEOUT_MS_MAX).contains(&ms)) {
            return Err(OpError::new(AWORKFLOW, "timeout_ms is 1 to 366 days"));
        }
        self.starts_at()?;
        self.check_args()
    }

    fn check_args(&self) -> OpResult<()> {
        if self.args.len() > LIST_MAX || self.wait_for.len() > LIST_MAX {
            return Err(OpError::new(
                codes::ALIMIT,
                format!("at most {LIST_MAX} arguments and {LIST_MAX} tasks to wait for"),
            ));
        }
        if self.args.iter().any(|argument| argument.value.is_some() == argument.promise.is_some()) {
            return Err(OpError::new(AWORKFLOW, "an argument is either a value or a promise"));
        }
        let bytes: usize =
            self.args.iter().filter_map(|argument| argument.value.as_ref()).map(|value| value.get().len()).sum();
        if bytes > VALUE_BYTES_MAX {
            return Err(OpError::new(codes::ALIMIT, format!("{bytes} bytes of arguments, at most {VALUE_BYTES_MAX}")));
        }
        Ok(())
    }

    /// The moment of `start_at`.
    ///
    /// # Errors
    /// `AWORKFLOW`: it is none.
    pub fn starts_at(&self) -> OpResult<Option<Wall>> {
        let read = |text: &String| {
            let none =
                || OpError::new(AWORKFLOW, format!("start_at `{}` is no RFC 3339 time", crate::names::short(text)));
            Wall::parse_rfc3339(text).ok_or_else(none)
        };
        self.start_at.as_ref().map(read).transpose()
    }
}

/// An error that a worker tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowError)]
pub struct ErrorForm {
    /// Its class, by which it is found and tried again or not.
    #[serde(default)]
    pub class: String,
    /// For people.
    #[serde(default)]
    pub message: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

impl ErrorForm {
    /// An error of ours.
    #[must_use]
    pub fn new(class: &str, message: impl Into<String>) -> Self {
        Self { class: class.into(), message: message.into(), trace: None }
    }

    /// No more of it than is kept: what is cut is the end of its texts.
    #[must_use]
    pub fn bounded(&self) -> Self {
        let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
        let class = if self.class.is_empty() { "Error".to_owned() } else { cut(&self.class, NAME_MAX) };
        Self { class, message: cut(&self.message, 4_000), trace: self.trace.as_deref().map(|trace| cut(trace, 32_000)) }
    }
}

/// The task that a value promises the result of, if it does: `{"promise": "id"}` and nothing else.
#[must_use]
pub fn promised(value: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Promise {
        promise: String,
    }
    let text = value.get();
    (text.len() < 1_000 && text.starts_with('{'))
        .then(|| serde_json::from_str::<Promise>(text).ok())
        .flatten()
        .map(|it| it.promise)
}

/// Refuses a value that is too large.
///
/// # Errors
/// `ALIMIT`.
pub fn check_value(value: &RawValue) -> OpResult<()> {
    let bytes = value.get().len();
    if bytes > VALUE_BYTES_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("a value of {bytes} bytes, at most {VALUE_BYTES_MAX}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> serde_json::Result<TaskForm> {
        serde_json::from_str(text)
    }

    #[test]
    fn wfl_3_a_task_is_read_and_checked() {
        let good = form(
            r#"{"actor":"bill#1","args":[{"value":null},{"promise":"a"}],"retry":{"max_attempts":3},"start_at":"2026-11-16T12:00:00Z"}"#,
        );
        let good = good.unwrap();
        assert_eq!(good.check(), Ok(()));
        assert_eq!(good.args[0].value.as_ref().unwrap().get(), "null");
        for bad in [
            r#"{"actor":"bill"}"#,
            r#"{"actor":"bill#1","args":[{}]}"#,
            r#"{"actor":"bill#1","args":[{"value":1,"promise":"a"}]}"#,
            r#"{"actor":"bill#1","start_at":"tomorrow"}"#,
            r#"{"actor":"bill#1","timeout_ms":0}"#,
            r#"{"actor":"bill#1","id":""}"#,
            r#"{"actor":"bill#1","task_list":"a b"}"#,
        ] {
            assert_eq!(form(bad).unwrap().check().unwrap_err().code, AWORKFLOW, "{bad}");
        }
        for unreadable in [r#"{"actor":1}"#, r#"{"actor":"bill#1","more":1}"#, r#"{"method":"x"}"#] {
            assert!(form(unreadable).is_err(), "{unreadable}");
        }
    }

    #[test]
    fn wfl_3_too_large_arguments_are_refused() {
        let large = format!(r#"{{"actor":"bill#1","args":[{{"value":"{}"}}]}}"#, "x".repeat(VALUE_BYTES_MAX));
        assert_eq!(form(&large).unwrap().check().unwrap_err().code, codes::ALIMIT);
    }

    #[test]
    fn wfl_5_a_result_may_be_a_promise() {
        let promise = |text: &str| promised(&RawValue::from_string(text.into()).unwrap());
        assert_eq!(promise(r#"{"promise":"a"}"#), Some("a".into()));
        for value in ["null", "{}", r#"{"promise":1}"#, r#"{"promise":"a","b":1}"#, r#""promise""#] {
            assert_eq!(promise(value), None, "{value}");
        }
    }
}
