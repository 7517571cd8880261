//! The portable value set: what goes into a statement and what comes out of it.
//!
//! Truth is `Int` 0/1, JSON is `Text`, times are `Int`. A row of the wrong shape is a bug in our own statement,
//! so the accessors of [`Row`] panic; the engine contains the panic to the one operation.

use std::borrow::Cow;

use crate::blobs::{BlobName, Sha};
use crate::id::Id;
use crate::stamp::Stamp;
use crate::time::{Heard, Wall};

/// A parameter of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// 64-bit integer.
    Int(i64),
    /// 64-bit float.
    Real(f64),
    /// Text without NUL.
    Text(Cow<'a, str>),
    /// Bytes.
    Blob(Cow<'a, [u8]>),
}

/// The parameters of a statement: `args![id, "text", 5]`.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] };
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}
impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}
impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}
impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}
impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}
impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}
impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}
impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Blob(Cow::Borrowed(value))
    }
}
impl<'a, const N: usize> From<&'a [u8; N]> for Value<'a> {
    fn from(value: &'a [u8; N]) -> Self {
        Self::Blob(Cow::Borrowed(value))
    }
}
impl From<Vec<u8>> for Value<'_> {
    fn from(value: Vec<u8>) -> Self {
        Self::Blob(Cow::Owned(value))
    }
}
impl From<Id> for Value<'_> {
    fn from(value: Id) -> Self {
        Self::Text(Cow::Owned(value.to_string()))
    }
}
impl From<Sha> for Value<'_> {
    fn from(value: Sha) -> Self {
        Self::Text(Cow::Owned(value.to_string()))
    }
}
impl From<BlobName> for Value<'_> {
    fn from(value: BlobName) -> Self {
        Self::Text(Cow::Owned(value.to_string()))
    }
}
impl From<Stamp> for Value<'_> {
    fn from(value: Stamp) -> Self {
        Self::Int(value.number())
    }
}
impl From<Wall> for Value<'_> {
    fn from(value: Wall) -> Self {
        Self::Int(value.0)
    }
}
impl From<Heard> for Value<'_> {
    fn from(value: Heard) -> Self {
        Self::Int(value.0)
    }
}
impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A value that a statement gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// 64-bit integer.
    Int(i64),
    /// 64-bit float.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl From<Cell> for Value<'_> {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Int(number) => Self::Int(number),
            Cell::Real(number) => Self::Real(number),
            Cell::Text(text) => Self::Text(Cow::Owned(text)),
            Cell::Blob(bytes) => Self::Blob(Cow::Owned(bytes)),
        }
    }
}

/// One row; columns are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<Cell>);

impl Row {
    /// An integer.
    #[must_use]
    pub fn int(&self, column: usize) -> i64 {
        self.opt_int(column).unwrap_or_else(|| self.wrong(column, "an integer"))
    }

    /// An integer or nothing.
    #[must_use]
    pub fn opt_int(&self, column: usize) -> Option<i64> {
        match self.cell(column) {
            Cell::Null => None,
            Cell::Int(value) => Some(*value),
            Cell::Real(_) | Cell::Text(_) | Cell::Blob(_) => self.wrong(column, "an integer"),
        }
    }

    /// A float.
    #[must_use]
    pub fn real(&self, column: usize) -> f64 {
        self.opt_real(column).unwrap_or_else(|| self.wrong(column, "a float"))
    }

    /// A float or nothing.
    #[must_use]
    pub fn opt_real(&self, column: usize) -> Option<f64> {
        match self.cell(column) {
            Cell::Null => None,
            Cell::Real(value) => Some(*value),
            Cell::Int(_) | Cell::Text(_) | Cell::Blob(_) => self.wrong(column, "a float"),
        }
    }

    /// A text.
    #[must_use]
    pub fn text(&self, column: usize) -> &str {
        self.opt_text(column).unwrap_or_else(|| self.wrong(column, "a text"))
    }

    /// A text or nothing.
    #[must_use]
    pub fn opt_text(&self, column: usize) -> Option<&str> {
        match self.cell(column) {
            Cell::Null => None,
            Cell::Text(value) => Some(value),
            Cell::Int(_) | Cell::Real(_) | Cell::Blob(_) => self.wrong(column, "a text"),
        }
    }

    /// Bytes.
    #[must_use]
    pub fn blob(&self, column: usize) -> &[u8] {
        self.opt_blob(column).unwrap_or_else(|| self.wrong(column, "bytes"))
    }

    /// Bytes or nothing.
    #[must_use]
    pub fn opt_blob(&self, column: usize) -> Option<&[u8]> {
        match self.cell(column) {
            Cell::Null => None,
            Cell::Blob(value) => Some(value),
            Cell::Int(_) | Cell::Real(_) | Cell::Text(_) => self.wrong(column, "bytes"),
        }
    }

    /// An id.
    #[must_use]
    pub fn id(&self, column: usize) -> Id {
        self.text(column).parse().unwrap_or_else(|_| self.wrong(column, "an id"))
    }

    /// A stamp or nothing.
    #[must_use]
    pub fn opt_stamp(&self, column: usize) -> Option<Stamp> {
        let number = self.opt_int(column)?;
        Some(Stamp::new(number).unwrap_or_else(|_| self.wrong(column, "a stamp")))
    }

    /// A stamp.
    #[must_use]
    pub fn stamp(&self, column: usize) -> Stamp {
        self.opt_stamp(column).unwrap_or_else(|| self.wrong(column, "a stamp"))
    }

    fn cell(&self, column: usize) -> &Cell {
        self.0.get(column).unwrap_or_else(|| panic!("no column {column} in a row of {}", self.0.len()))
    }

    fn wrong<T>(&self, column: usize, wanted: &str) -> T {
        panic!("column {column} is {:?}, not {wanted}", self.0[column])
    }
}
