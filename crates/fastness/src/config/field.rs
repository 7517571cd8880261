//! The types that fields of the configuration have, and the values that carry them there and back.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use base::Engine;

/// A value that keeps the limits of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Of an address.
    Address(SocketAddr),
    /// Of text, paths, secrets and words.
    Text(String),
    /// Of counts, bytes and milliseconds.
    Number(u64),
    /// Of truth values.
    Truth(bool),
}

/// Which kinds a field type can hold; compared with the key's kind when the table is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Address,
    Path,
    OptionalPath,
    Text,
    Secret,
    Number,
    Duration,
    Truth,
    Word,
}

/// A type that a field of the configuration can have.
pub(super) trait Field: Sized {
    /// What it holds.
    const SHAPE: Shape;
    /// The largest number that it holds.
    const MAX: u64 = u64::MAX;
    /// `None` only for a value that its key does not take.
    fn from_value(value: &Value) -> Option<Self>;
    /// The value again.
    fn to_value(&self) -> Value;
}

/// Text that `{:?}` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself, for the one place that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Where the bytes of blobs lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobPlace {
    /// On the disk of this machine.
    Local,
    /// In S3-compatible storage.
    S3,
}

/// How many servers may work on the same data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeCount {
    /// One on SQLite, several on PostgreSQL.
    Auto,
    /// One.
    One,
    /// Any number.
    Several,
}

/// Which signals of sensors go into the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryScope {
    /// Those that changed something.
    Changes,
    /// All that were accepted.
    All,
}

/// What the queues of the message broker are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueWish {
    /// As they are, if they are there.
    Auto,
    /// On one node of the broker.
    Classic,
    /// Kept by a majority of its nodes.
    Quorum,
}

/// Where the texts of messages are (EXC-5, EXC-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodiesPlace {
    /// Folders on SQLite, the store on PostgreSQL.
    Auto,
    /// Files in folders.
    Folders,
    /// The store alone.
    Store,
    /// Blobs, once messages are done.
    Blobs,
}

/// A type whose values are words of a configuration key.
pub(super) trait Word: Copy + PartialEq + 'static {
    /// All of them, each with its word.
    const ALL: &'static [(&'static str, Self)];
}

impl Word for LogFormat {
    const ALL: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}

impl Word for BlobPlace {
    const ALL: &'static [(&'static str, Self)] = &[("local", Self::Local), ("s3", Self::S3)];
}

impl Word for NodeCount {
    const ALL: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("one", Self::One), ("several", Self::Several)];
}

impl Word for BodiesPlace {
    const ALL: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("folders", Self::Folders), ("store", Self::Store), ("blobs", Self::Blobs)];
}

impl Word for QueueWish {
    const ALL: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("classic", Self::Classic), ("quorum", Self::Quorum)];
}

impl Word for HistoryScope {
    const ALL: &'static [(&'static str, Self)] = &[("changes", Self::Changes), ("all", Self::All)];
}

impl Word for Engine {
    const ALL: &'static [(&'static str, Self)] = &[("sqlite", Self::Sqlite), ("postgres", Self::Postgres)];
}

impl<T: Word> Field for T {
    const SHAPE: Shape = Shape::Word;

    fn from_value(value: &Value) -> Option<Self> {
        let Value::Text(text) = value else { return None };
        T::ALL.iter().find(|(word, _)| word == text).map(|(_, value)| *value)
    }

    fn to_value(&self) -> Value {
        let word = T::ALL.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word);
        Value::Text(word.to_owned())
    }
}

macro_rules! field {
    ($type:ty, $shape:ident, $value:pat => $read:expr, $self:ident => $write:expr $(, max $max:expr)?) => {
        impl Field for $type {
            const SHAPE: Shape = Shape::$shape;
            $(const MAX: u64 = $max;)?

            fn from_value(value: &Value) -> Option<Self> {
                let $value = value else { return None };
                $read
            }

            fn to_value(&$self) -> Value {
                $write
            }
        }
    };
}

field!(SocketAddr, Address, Value::Address(address) => Some(*address), self => Value::Address(*self));
field!(PathBuf, Path, Value::Text(path) => Some(path.into()), self => Value::Text(self.to_string_lossy().into_owned()));
field!(Option<PathBuf>, OptionalPath,
    Value::Text(path) => Some((!path.is_empty()).then(|| path.into())),
    self => Value::Text(self.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()));
field!(String, Text, Value::Text(text) => Some(text.clone()), self => Value::Text(self.clone()));
field!(Option<Secret>, Secret,
    Value::Text(text) => Some((!text.is_empty()).then(|| Secret(text.clone()))),
    self => Value::Text(self.as_ref().map(|secret| secret.0.clone()).unwrap_or_default()));
field!(bool, Truth, Value::Truth(truth) => Some(*truth), self => Value::Truth(*self));
field!(u64, Number, Value::Number(number) => Some(*number), self => Value::Number(*self));
field!(u32, Number, Value::Number(number) => u32::try_from(*number).ok(), self => Value::Number(u64::from(*self)),
    max u32::MAX as u64);
field!(usize, Number, Value::Number(number) => usize::try_from(*number).ok(), self => Value::Number(*self as u64),
    max usize::MAX as u64);
field!(Duration, Duration, Value::Number(ms) => Some(Self::from_millis(*ms)),
    self => Value::Number(u64::try_from(self.as_millis()).unwrap_or(u64::MAX)));
