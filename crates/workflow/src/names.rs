//! What things are called: actors `name#version`, queues (an actor, and a task list of its own), tasks `process.number`. Pure.

use std::fmt;
use std::str::FromStr;

use base::{Id, OpError, OpResult};

use crate::codes::AWORKFLOW;

/// Letters of the name of an actor, a method, a type, a task list.
pub const NAME_MAX: usize = 100;
/// Letters of an id of somebody else's.
pub const CUSTOM_MAX: usize = 200;

/// The actor of tasks that end when a signal comes; the method is its name.
pub const SIGNAL: &str = "@signal";
/// The actor of tasks that end at their time.
pub const TIMER: &str = "@timer";
/// The actor of tasks that end with a process of their own; the method is its type, the argument its start.
pub const PROCESS: &str = "@process";

/// Whether the server itself does what this actor does.
#[must_use]
pub fn is_own(actor: &str) -> bool {
    actor.starts_with('@')
}

/// Refuses what is no `name#version` and none of our own.
///
/// # Errors
/// `AWORKFLOW`.
pub fn check_actor(actor: &str) -> OpResult<()> {
    let is_name = |name: &str| is_word(name, NAME_MAX);
    if [SIGNAL, TIMER, PROCESS].contains(&actor)
        || actor.split_once('#').is_some_and(|(name, version)| is_name(name) && is_name(version))
    {
        return Ok(());
    }
    Err(OpError::new(
        AWORKFLOW,
        format!("`{}` is no actor: name#version, each 1 to {NAME_MAX} of A-Za-z0-9._-", short(actor)),
    ))
}

/// Refuses what is no word of `A-Za-z0-9._-`.
///
/// # Errors
/// `AWORKFLOW`.
pub fn check_word(what: &str, word: &str) -> OpResult<()> {
    if is_word(word, NAME_MAX) {
        return Ok(());
    }
    Err(OpError::new(AWORKFLOW, format!("{what} `{}` is not 1 to {NAME_MAX} of A-Za-z0-9._-", short(word))))
}

/// Refuses texts of others that are empty, too long or hold control characters.
///
/// # Errors
/// `AWORKFLOW`.
pub fn check_text(what: &str, text: &str) -> OpResult<()> {
    if !text.is_empty() && text.len() <= CUSTOM_MAX && !text.chars().any(char::is_control) {
        return Ok(());
    }
    Err(OpError::new(
        AWORKFLOW,
        format!("{what} `{}` is not 1 to {CUSTOM_MAX} bytes without control characters", short(text)),
    ))
}

fn is_word(word: &str, most: usize) -> bool {
    let fits = |c: u8| c.is_ascii_alphanumeric() || b"._-".contains(&c);
    (1..=most).contains(&word.len()) && word.bytes().all(fits)
}

/// The beginning of a text, for messages.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The queue of an actor, or of a task list of its own.
#[must_use]
pub fn queue(actor: &str, list: &str) -> String {
    if list.is_empty() { actor.to_owned() } else { format!("{actor}/{list}") }
}

/// A task of a process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId {
    /// The process.
    pub process: String,
    /// Its number there.
    pub number: i64,
}

impl TaskId {
    /// A task of a process.
    #[must_use]
    pub fn new(process: &str, number: i64) -> Self {
        Self { process: process.to_owned(), number }
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.process, self.number)
    }
}

impl FromStr for TaskId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (process, number) = text.split_once('.').ok_or(())?;
        let is_plain = number.bytes().all(|c| c.is_ascii_digit()) && !number.starts_with('0');
        let number = number.parse().ok().filter(|number| is_plain && *number > 0).ok_or(())?;
        process.parse::<Id>().map_err(|_| ())?;
        Ok(Self { process: process.to_owned(), number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_1_an_actor_is_a_name_and_a_version() {
        for good in ["bill#1", "a.b-c_d#2.0-rc1", "@signal", "@timer", "@process"] {
            assert_eq!(check_actor(good), Ok(()), "{good}");
        }
        let long = format!("{}#1", "a".repeat(101));
        for bad in ["", "bill", "#1", "bill#", "bill#1#2", "b ill#1", "@other", "bill#1/x", "счёт#1", &long] {
            assert_eq!(check_actor(bad).unwrap_err().code, AWORKFLOW, "{bad}");
        }
    }

    #[test]
    fn a_task_is_named_by_its_process_and_number() {
        let id = TaskId::new("01ARZ3NDEKTSV4RRFFQ69G5FAV", 12);
        assert_eq!(id.to_string().parse(), Ok(id));
        for bad in [
            "",
            "x.1",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV.",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV.0",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV.-1",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV.+1",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV.01",
        ] {
            assert_eq!(bad.parse::<TaskId>(), Err(()), "{bad}");
        }
    }
}
