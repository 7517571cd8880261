//! What a statement may ask of a message: `:id`, `:payload` and so on. Pure.

use base::Wall;
use client::exchange::Message;

/// A value for a statement, as every engine can take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlValue {
    /// A text; the database makes of it what its column is.
    Text(String),
    /// A number.
    Int(i64),
    /// Nothing.
    Null,
}

/// How a database wants moments to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentForm {
    /// `2026-11-16T12:00:00.000Z`.
    Rfc3339,
    /// `2026-11-16 12:00:00.000`, in UTC: Firebird knows no zones before version 4.
    Blank,
}

/// Something of a message or of its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// Of the message.
    Id,
    /// Type of the body.
    Type,
    /// Version of the body.
    Version,
    /// The payload as JSON.
    Payload,
    /// The payload if it is a text, without quotes; else as JSON.
    PayloadText,
    /// Who sent it.
    Sender,
    /// Whom it is for: this database.
    Recipient,
    /// Of which company.
    Company,
    /// Of which subsystem.
    Subsystem,
    /// When it was made.
    CreatedAt,
    /// Its place among those of one time.
    Order,
    /// Which message it answers.
    ReplyTo,
    /// In which process it is processed.
    Process,
}

/// All names, as statements write them.
pub const NAMES: [(&str, Name); 13] = [
    ("id", Name::Id),
    ("type", Name::Type),
    ("version", Name::Version),
    ("payload", Name::Payload),
    ("payload_text", Name::PayloadText),
    ("sender", Name::Sender),
    ("recipient", Name::Recipient),
    ("company", Name::Company),
    ("subsystem", Name::Subsystem),
    ("created_at", Name::CreatedAt),
    ("order", Name::Order),
    ("reply_to", Name::ReplyTo),
    ("process", Name::Process),
];

impl Name {
    /// The name that is written so.
    pub(crate) fn of(word: &str) -> Option<Self> {
        NAMES.iter().find(|(name, _)| *name == word).map(|(_, name)| *name)
    }
}

/// The values that a statement asks for.
pub(crate) fn values_of(names: &[Name], message: &Message, process: &str, form: MomentForm) -> Vec<SqlValue> {
    names.iter().map(|name| value_of(*name, message, process, form)).collect()
}

fn value_of(name: Name, message: &Message, process: &str, form: MomentForm) -> SqlValue {
    let text = |text: &str| SqlValue::Text(text.to_owned());
    let (head, body) = (&message.head, &message.body);
    match name {
        Name::Id => text(&message.id),
        Name::Type => text(&body.kind),
        Name::Version => {
            body.version.as_i64().map_or_else(|| text(&json_text(&body.version.to_string())), SqlValue::Int)
        }
        Name::Payload => text(body.payload.get()),
        Name::PayloadText => SqlValue::Text(json_text(body.payload.get())),
        Name::Sender => text(&head.from),
        Name::Recipient => text(&head.to),
        Name::Company => text(&head.company),
        Name::Subsystem => text(&head.subsystem),
        Name::CreatedAt => SqlValue::Text(moment(&head.created_at, form)),
        Name::Order => head.order.map_or(SqlValue::Null, SqlValue::Int),
        Name::ReplyTo => head.reply_to.as_deref().map_or(SqlValue::Null, text),
        Name::Process => text(process),
    }
}

/// What a JSON text says, or the JSON itself if it is no text.
fn json_text(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap_or_else(|_| json.to_owned())
}

fn moment(rfc3339: &str, form: MomentForm) -> String {
    let Some(wall) = Wall::parse_rfc3339(rfc3339) else { return rfc3339.to_owned() };
    written(wall, form)
}

/// A moment as a database wants it.
pub(crate) fn written(wall: Wall, form: MomentForm) -> String {
    match form {
        MomentForm::Rfc3339 => wall.rfc3339(),
        MomentForm::Blank => wall.rfc3339().trim_end_matches('Z').replacen('T', " ", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Message {
        let text = r#"{"version":1,"id":"m-1","head":{"company":"c","subsystem":"s","from":"phone","to":"erp",
            "created_at":"2026-11-16T14:00:00+02:00"},"body":{"type":"order","version":"2b","payload":"Привет"}}"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn exc_25_statements_get_what_they_ask_for() {
        let value = |word: &str| value_of(Name::of(word).unwrap(), &message(), "p-1", MomentForm::Blank);
        let text = |text: &str| SqlValue::Text(text.to_owned());
        assert_eq!(value("payload"), text("\"Привет\""));
        assert_eq!(value("payload_text"), text("Привет"));
        assert_eq!(value("version"), text("2b"));
        assert_eq!(value("created_at"), text("2026-11-16 12:00:00.000"), "in UTC");
        assert_eq!((value("reply_to"), value("order")), (SqlValue::Null, SqlValue::Null));
        assert_eq!((value("process"), value("sender")), (text("p-1"), text("phone")));
        assert_eq!(moment("2026-11-16T12:00:00Z", MomentForm::Rfc3339), "2026-11-16T12:00:00.000Z");
    }
}
