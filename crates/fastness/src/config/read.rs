//! From what was given to a value that keeps the limits of its key.

use super::field::Value;
use super::key::Kind;
use super::units;

/// Longest path and secret.
const TEXT_MAX: usize = 4_096;

/// What was given, before the key's kind says how to read it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Raw<'a> {
    /// From the environment or a flag: text that may mean anything.
    Bare(&'a str),
    /// Text in quotes.
    Text(&'a str),
    /// A number, or `None` for one beyond all limits.
    Integer(Option<i128>),
    /// A truth value.
    Truth(bool),
    /// What no key takes: a fraction, a date, a list, a table.
    Other,
}

impl Raw<'_> {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Bare(text) | Self::Text(text) => Some(text),
            Self::Integer(_) | Self::Truth(_) | Self::Other => None,
        }
    }

    fn integer(&self) -> Option<u64> {
        match self {
            Self::Bare(text) => bare_integer(text),
            Self::Integer(number) => u64::try_from((*number)?).ok(),
            Self::Text(_) | Self::Truth(_) | Self::Other => None,
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Self::Bare(text) => text.parse().ok(),
            Self::Truth(truth) => Some(*truth),
            Self::Text(_) | Self::Integer(_) | Self::Other => None,
        }
    }
}

impl Kind {
    /// The value, or `None` if the key does not take it.
    pub(super) fn read(&self, raw: Raw<'_>) -> Option<Value> {
        let text = || raw.text().filter(|text| !text.contains(char::is_control));
        match self {
            Self::Address => text()?.parse().ok().map(Value::Address),
            Self::Path => text().filter(|text| (1..=TEXT_MAX).contains(&text.len())).map(to_value),
            Self::Text(rule) => text().filter(|text| (rule.holds)(text)).map(to_value),
            Self::OptionalPath | Self::Secret => text().filter(|text| text.len() <= TEXT_MAX).map(to_value),
            Self::Integer { min, max, .. } => within(raw.integer()?, *min, *max),
            Self::Size { min, max } => {
                within(raw.integer().or_else(|| units::read(text()?, units::SIZES))?, *min, *max)
            }
            Self::Duration { min_ms, max_ms } => within(units::read(text()?, units::DURATIONS)?, *min_ms, *max_ms),
            Self::Truth => raw.truth().map(Value::Truth),
            Self::OneOf(words) => text().filter(|text| words.contains(text)).map(to_value),
        }
    }

    /// What to say when a value of the right look but the wrong type was given.
    pub(super) fn hint(&self, raw: Raw<'_>) -> &'static str {
        match (self, raw) {
            (Self::Integer { .. } | Self::Truth, Raw::Text(_)) => "; write it without quotes",
            (Self::Duration { .. }, Raw::Integer(_)) => "; write it in quotes",
            _ => "",
        }
    }
}

fn to_value(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn within(number: u64, min: u64, max: u64) -> Option<Value> {
    (min..=max).contains(&number).then_some(Value::Number(number))
}

/// Digits, with `_` between groups as TOML allows it.
fn bare_integer(text: &str) -> Option<u64> {
    let grouped = text.split('_').all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    grouped.then(|| text.replace('_', "").parse().ok()).flatten()
}
