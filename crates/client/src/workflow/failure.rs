//! Why a task has no value.

use serde::{Deserialize, Serialize};

/// The error that a task ends with: a class by which it is found and tried again or not, and a text for people.
///
/// Any error becomes one by `?`: its class is the name of its type. It is no [`std::error::Error`] itself, so that this works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its class.
    #[serde(default)]
    pub class: String,
    /// For people.
    #[serde(default)]
    pub message: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

impl Failure {
    /// An error of this class.
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self { class: class.into(), message: message.into(), trace: None }
    }

    /// With where it came from.
    #[must_use]
    pub fn with_trace(self, trace: impl Into<String>) -> Self {
        Self { trace: Some(trace.into()), ..self }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut trace = String::new();
        let mut cause = error.source();
        while let Some(error) = cause {
            trace += &format!("caused by: {error}\n");
            cause = error.source();
        }
        let failure = Self::new(class_of(std::any::type_name::<E>()), error.to_string());
        if trace.is_empty() { failure } else { failure.with_trace(trace) }
    }
}

/// The name of a type without its path; where that is just `Error`, with the last word of the path that tells more.
fn class_of(type_name: &str) -> String {
    let plain = type_name.split('<').next().unwrap_or_default();
    let words: Vec<&str> = plain.split("::").collect();
    match words.as_slice() {
        [path @ .., "Error"] => {
            let told = path.iter().rev().find(|word| !matches!(**word, "error" | "errors"));
            told.map_or_else(|| "Error".to_owned(), |word| format!("{word}::Error"))
        }
        [.., name] => (*name).to_owned(),
        [] => "Error".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_8_the_class_of_an_error_is_the_name_of_its_type() {
        let class = |error: Failure| error.class;
        assert_eq!(class(std::io::Error::other("no").into()), "io::Error");
        assert_eq!(class("x".parse::<u8>().unwrap_err().into()), "ParseIntError");
        assert_eq!(class(serde_json::from_str::<u8>("x").unwrap_err().into()), "serde_json::Error");
        assert_eq!(class_of("a::Wrapped<b::Error>"), "Wrapped");
    }

    #[test]
    fn wfl_8_causes_are_in_the_trace() {
        #[derive(Debug, thiserror::Error)]
        #[error("the order cannot be read")]
        struct Unreadable(#[source] std::num::ParseIntError);
        let failure = Failure::from(Unreadable("x".parse::<u8>().unwrap_err()));
        assert_eq!((failure.class.as_str(), failure.message.as_str()), ("Unreadable", "the order cannot be read"));
        assert_eq!(failure.trace.as_deref(), Some("caused by: invalid digit found in string\n"));
    }
}
