//! What of a JSON object is shown, and how.

use serde_json::Value;

use super::text::escaped;
use super::{Output, time};

/// A column of a table, or a line of a sheet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(super) head: &'static str,
    at: &'static str,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Number,
    Moment,
    Clock,
    State,
    Flag,
    Json,
}

/// Text; `at` is a JSON pointer.
pub(crate) const fn text(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::Text }
}

/// A number, to the right.
pub(crate) const fn number(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::Number }
}

/// A moment: relative in a table, relative and absolute on a sheet.
pub(crate) const fn moment(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::Moment }
}

/// A moment to the second, which stays the same however often it is shown.
pub(crate) const fn clock(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::Clock }
}

/// A word with a colour.
pub(crate) const fn state(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::State }
}

/// `yes` or nothing.
pub(crate) const fn flag(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::Flag }
}

/// Whatever it is, as JSON.
pub(crate) const fn json(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::Json }
}

impl Column {
    /// The cell in a table.
    pub(super) fn cell(&self, out: &Output, row: &Value) -> String {
        match self.form {
            Form::Moment => escaped(&time::relative(&self.plain(row), out.now)),
            Form::Clock => escaped(&time::clock(&self.plain(row))),
            _ => self.plain(row),
        }
    }

    /// The value on a sheet, which has room.
    pub(super) fn value(&self, out: &Output, row: &Value) -> String {
        match self.form {
            Form::Moment => escaped(&time::both(&self.plain(row), out.now)),
            _ => self.plain(row),
        }
    }

    fn plain(&self, row: &Value) -> String {
        match (self.form, row.pointer(self.at)) {
            (_, None | Some(Value::Null)) => String::new(),
            (Form::Flag, Some(value)) => if value == &Value::Bool(true) { "yes" } else { "" }.to_owned(),
            (Form::Json, Some(value)) if is_empty(value) => String::new(),
            (Form::Json, Some(value)) => Output::json_text(value),
            (_, Some(value)) => word(value),
        }
    }

    pub(super) fn is_right(&self) -> bool {
        self.form == Form::Number
    }

    /// Whether it may be cut where room is short: what cannot be typed again from half of it may not.
    pub(super) fn may_be_cut(&self) -> bool {
        matches!(self.form, Form::Text | Form::Json) && !matches!(self.head, "ID" | "NAME")
    }

    /// The colour's code for a word.
    pub(super) fn colour(&self, cell: &str) -> Option<&'static str> {
        let known = match cell {
            "parked" | "refused" | "Down" | "removing" | "failed" | "BROKEN" => "31",
            "open" if self.head == "ALERT" => "31",
            "behind" | "overlapping" | "closed" | "read-only" | "ReadOnly" | "suspended" | "unknown" | "silent"
            | "blocked" | "PAUSED" => "33",
            "running" | "Good" | "open" | "active" | "done" | "FINISHED" | "FINISH" | "DONE" => "32",
            "revoked" => "2",
            _ => return None,
        };
        (self.form == Form::State).then_some(known)
    }
}

/// The value at a pointer in one line.
pub(super) fn plain(row: &Value, at: &str) -> String {
    row.pointer(at).map(word).unwrap_or_default()
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => escaped(text),
        Value::Array(list) if list.iter().all(Value::is_string) => list.iter().map(word).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => Output::json_text(other),
    }
}
