//! What a configuration key is: its path, what it takes, its default and its documentation.

use super::field::{Field, Shape, Value};
use super::units::{DURATIONS, SIZES, grouped, names, one_of, write};

/// One configuration key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Section and name: `server.listen`.
    pub path: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is when nobody sets it.
    pub preset: Preset,
    /// What it means.
    pub doc: &'static str,
}

/// A section of the file: a group of keys.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// The part of the path before the dot.
    pub name: &'static str,
    /// What its keys are about.
    pub doc: &'static str,
}

/// What a key takes, with its limits.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// An IP address and a port.
    Address,
    /// A path of the file system.
    Path,
    /// A path of the file system; empty means not set.
    OptionalPath,
    /// Text that keeps a rule.
    Text(&'static TextRule),
    /// Text that is never shown; empty means not set.
    Secret,
    /// A whole number of something.
    Integer {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
        /// What is counted, in the plural.
        unit: &'static str,
    },
    /// A number of bytes, written with a unit.
    Size {
        /// Least.
        min: u64,
        /// Most.
        max: u64,
    },
    /// A time span, written with a unit.
    Duration {
        /// Least.
        min_ms: u64,
        /// Most.
        max_ms: u64,
    },
    /// True or false.
    Truth,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// A rule for text.
#[derive(Debug, Clone, Copy)]
pub struct TextRule {
    /// The rule in words, for errors and the reference.
    pub says: &'static str,
    /// The rule.
    pub holds: fn(&str) -> bool,
}

/// The default of a key.
#[derive(Debug, Clone, Copy)]
pub enum Preset {
    /// Text as one would write it.
    Text(&'static str),
    /// A count, bytes or milliseconds, as the kind has it.
    Number(u64),
    /// A truth value.
    Truth(bool),
}

impl Key {
    /// A key for a field of type `T`; one whose kind does not fit the type does not compile in a `const`.
    pub(super) const fn new<T: Field>(path: &'static str, kind: Kind, preset: Preset, doc: &'static str) -> Self {
        assert!(kind.shape() as u8 == T::SHAPE as u8, "the kind of this key does not fit the type of its field");
        assert!(kind.max() <= T::MAX, "the limit of this key does not fit the type of its field");
        Self { path, kind, preset, doc }
    }

    /// The section: `server`.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.path.split_once('.').map_or("", |(section, _)| section)
    }

    /// The name within the section: `listen`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.split_once('.').map_or(self.path, |(_, name)| name)
    }

    /// The environment variable: `FASTNESS_SERVER__LISTEN`.
    #[must_use]
    pub fn env(&self) -> String {
        format!("FASTNESS_{}", self.path.replace('.', "__").to_ascii_uppercase())
    }

    /// The default as one would write it in the environment.
    #[must_use]
    pub fn default_text(&self) -> String {
        match self.preset {
            Preset::Text(text) => text.to_owned(),
            Preset::Number(number) => self.kind.write(&Value::Number(number)),
            Preset::Truth(truth) => truth.to_string(),
        }
    }

    /// Whether its value must not be shown.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        matches!(self.kind, Kind::Secret)
    }
}

impl Kind {
    const fn shape(&self) -> Shape {
        match self {
            Self::Address => Shape::Address,
            Self::Path => Shape::Path,
            Self::OptionalPath => Shape::OptionalPath,
            Self::Text(_) => Shape::Text,
            Self::Secret => Shape::Secret,
            Self::Integer { .. } | Self::Size { .. } => Shape::Number,
            Self::Duration { .. } => Shape::Duration,
            Self::Truth => Shape::Truth,
            Self::OneOf(_) => Shape::Word,
        }
    }

    const fn max(&self) -> u64 {
        match self {
            Self::Integer { max, .. } | Self::Size { max, .. } | Self::Duration { max_ms: max, .. } => *max,
            Self::Address
            | Self::Path
            | Self::OptionalPath
            | Self::Text(_)
            | Self::Secret
            | Self::Truth
            | Self::OneOf(_) => 0,
        }
    }

    /// What it takes, in words: `a duration from 1s to 10m, written as …`.
    #[must_use]
    pub fn takes(&self) -> String {
        match self {
            Self::Integer { unit, .. } => format!("a whole number from {} {unit}", self.limits()),
            Self::Size { .. } => format!("a size from {}, written as a number and {}", self.limits(), names(SIZES)),
            Self::Duration { .. } => {
                format!("a duration from {}, written as a number and {}", self.limits(), names(DURATIONS))
            }
            Self::Address
            | Self::Path
            | Self::OptionalPath
            | Self::Text(_)
            | Self::Secret
            | Self::Truth
            | Self::OneOf(_) => self.limits(),
        }
    }

    /// Its limits alone, short enough for a table: `1s to 10m`.
    #[must_use]
    pub fn limits(&self) -> String {
        match self {
            Self::Address => "an IP address and a port, such as 127.0.0.1:7400 or [::1]:7400".to_owned(),
            Self::Path => "a path of 1 to 4096 bytes".to_owned(),
            Self::OptionalPath => "a path of at most 4096 bytes; empty means not set".to_owned(),
            Self::Text(rule) => rule.says.to_owned(),
            Self::Secret => "text of at most 4096 bytes on one line; empty means not set".to_owned(),
            Self::Integer { min, max, .. } => format!("{} to {}", grouped(*min), grouped(*max)),
            Self::Size { min, max } => format!("{} to {}", write(*min, SIZES, " "), write(*max, SIZES, " ")),
            Self::Duration { min_ms, max_ms } => {
                format!("{} to {}", write(*min_ms, DURATIONS, ""), write(*max_ms, DURATIONS, ""))
            }
            Self::Truth => "true or false".to_owned(),
            Self::OneOf(words) => one_of(words),
        }
    }

    /// A value as one would write it in the environment.
    pub(super) fn write(&self, value: &Value) -> String {
        match (self, value) {
            (Self::Size { .. }, Value::Number(bytes)) => write(*bytes, SIZES, " "),
            (Self::Duration { .. }, Value::Number(ms)) => write(*ms, DURATIONS, ""),
            (_, Value::Number(number)) => grouped(*number),
            (_, Value::Address(address)) => address.to_string(),
            (_, Value::Text(text)) => text.clone(),
            (_, Value::Truth(truth)) => truth.to_string(),
        }
    }

    /// A value as TOML. Values hold no control characters, so that two escapes are enough.
    pub(super) fn write_toml(&self, value: &Value) -> String {
        let text = self.write(value);
        match self {
            Self::Integer { .. } | Self::Truth => text,
            _ => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }
}
