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
    Tries,
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

/// How often something was tried, and what came of it the last time.
pub(crate) const fn tries(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: Form::Tries }
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
            (Form::Tries, Some(value)) => tried(value),
            (_, Some(value)) => word(value),
        }
    }

    pub(super) fn is_right(&self) -> bool {
        self.form == Form::Number
    }

    /// Whether it may be cut where room is short: what cannot be typed again from half of it may not.
    pub(super) fn may_be_cut(&self) -> bool {
        matches!(self.form, Form::Text | Form::Json | Form::Tries) && !matches!(self.head, "ID" | "NAME")
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

/// `3 (last: answered 500)`.
fn tried(value: &Value) -> String {
    let tries = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(last) = tries.iter().max_by_key(|one| one["number"].as_i64()) else { return String::new() };
    let came = match (last["error"].as_str(), last["status"].as_i64()) {
        (Some(error), _) => escaped(error),
        (None, Some(status)) => format!("answered {status}"),
        (None, None) => "under way".to_owned(),
    };
    if tries.len() == 1 { format!("1 ({came})") } else { format!("{} (last: {came})", tries.len()) }
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

#[cfg(test)]
mod tests {
    use base::Wall;
    use serde_json::json;

    use super::*;

    #[test]
    fn con_9_tries_are_told_in_words() {
        let out = Output::plain(Wall(0));
        let cell = |told: Value| tries("TRIES", "/tries").cell(&out, &json!({ "tries": told }));
        let one = |number: u8, status: Option<u16>, error: Option<&str>| json!({"number": number, "status": status, "error": error});
        assert_eq!(cell(json!([])), "");
        assert_eq!(cell(json!([one(1, Some(204), None)])), "1 (answered 204)");
        assert_eq!(cell(json!([one(2, Some(500), None), one(1, None, Some("x"))])), "2 (last: answered 500)");
        assert_eq!(cell(json!([one(1, None, Some("\u{1b}[31mred"))])), "1 (\\u{1b}[31mred)");
    }
}
