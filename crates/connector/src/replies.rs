//! Replies from rows of the user's query. Pure.

use base::Wall;
use client::exchange::{Body, Head, Message, VERSION};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::engine::Row;
use crate::next::BadReply;

/// Replies that are taken in one process; what is beyond waits for the next one.
pub(crate) const REPLIES_MAX: usize = 200;

/// Letters of what is said of a row that is no reply: its id may be anything.
const ERROR_CHARS: usize = 400;

/// What rows need not say, because it is known.
pub(crate) struct Known<'a> {
    /// The messages of the process, which the replies may answer.
    pub(crate) messages: &'a [Message],
    /// This database.
    pub(crate) database: &'a str,
    /// When it is.
    pub(crate) now: Wall,
}

/// The reply that a row is.
pub(crate) fn reply(row: &Row, known: &Known<'_>) -> Result<Message, String> {
    let id = needed(row, "id")?;
    let wrong = |why: String| format!("reply `{id}`: {why}");
    let to = needed(row, "recipient").map_err(wrong)?;
    let reply_to = text(row, "reply_to");
    let given = text(row, "subsystem").or_else(|| subsystem_of(known.messages, &to, reply_to.as_deref()));
    let subsystem = given.ok_or_else(|| wrong(format!("subsystem is empty, and `{to}` sent none of the messages")))?;
    let company = known.messages.first().map(|message| message.head.company.clone()).unwrap_or_default();
    let head = Head {
        company,
        subsystem,
        from: known.database.to_owned(),
        created_at: created_at(row, known.now).map_err(wrong)?,
        order: None,
        reply_to,
        to,
    };
    let body = Body {
        kind: needed(row, "type").map_err(wrong)?,
        version: row.get("version").filter(|version| !version.is_null()).cloned().unwrap_or(Value::from(1)),
        payload: payload(row).map_err(wrong)?,
    };
    Ok(Message { version: VERSION, id, head, body })
}

/// What is wrong with a row that is no reply, and which message of the process it says to answer.
pub(crate) fn bad(row: &Row, known: &Known<'_>, error: &str) -> BadReply {
    let named = text(row, "reply_to").filter(|id| known.messages.iter().any(|message| message.id == *id));
    BadReply { answers: named, error: error.chars().take(ERROR_CHARS).collect() }
}

/// That of the message that is answered, or else of one that its receiver sent.
fn subsystem_of(messages: &[Message], to: &str, reply_to: Option<&str>) -> Option<String> {
    let of = |message: &&Message| message.head.from == to;
    let answered = messages.iter().filter(of).find(|message| Some(message.id.as_str()) == reply_to);
    answered.or_else(|| messages.iter().find(of)).map(|message| message.head.subsystem.clone())
}

fn created_at(row: &Row, now: Wall) -> Result<String, String> {
    let Some(text) = text(row, "created_at") else { return Ok(now.rfc3339()) };
    let parsed = [text.clone(), format!("{}Z", text.replacen(' ', "T", 1))]
        .into_iter()
        .find_map(|text| Wall::parse_rfc3339(&text));
    parsed.map(Wall::rfc3339).ok_or_else(|| format!("created_at is `{text}`, no RFC 3339 time"))
}

fn payload(row: &Row) -> Result<Box<RawValue>, String> {
    let raw = |json: String| RawValue::from_string(json).map_err(|error| format!("payload is no JSON: {error}"));
    match (row.get("payload"), row.get("payload_text")) {
        (Some(Value::String(json)), _) => raw(json.clone()),
        // PostgreSQL gives a column of JSON as what it is.
        (Some(value), _) if !value.is_null() => raw(value.to_string()),
        (_, Some(Value::String(text))) => raw(Value::String(text.clone()).to_string()),
        _ => Err("neither payload nor payload_text is a text".into()),
    }
}

fn needed(row: &Row, name: &str) -> Result<String, String> {
    text(row, name).ok_or_else(|| format!("column {name} is missing or empty"))
}

/// Blanks at the end are Firebird's: it fills CHAR with them.
fn text(row: &Row, name: &str) -> Option<String> {
    let text = match row.get(name)? {
        Value::String(text) => text.trim_end().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn messages() -> Vec<Message> {
        let message = |id: &str, from: &str, subsystem: &str| -> Message {
            let json = json!({"version": 1, "id": id,
                "head": {"company": "c", "subsystem": subsystem, "from": from, "to": "erp", "created_at": "2026-11-16T12:00:00Z"},
                "body": {"type": "order", "version": 1, "payload": null}});
            serde_json::from_str(&json.to_string()).unwrap()
        };
        vec![message("m-1", "phone-1", "shop"), message("m-2", "phone-2", "store")]
    }

    fn read(row: &Value) -> Result<Message, String> {
        let known = Known { messages: &messages(), database: "erp", now: Wall(0) };
        reply(row.as_object().unwrap(), &known)
    }

    #[test]
    fn exc_25_a_row_becomes_a_reply() {
        let row = json!({"id": "r-1  ", "recipient": "phone-2", "type": "done", "payload": "{\"sum\": 1.10}", "reply_to": "m-2"});
        let reply = read(&row).unwrap();
        assert_eq!(
            (reply.id.as_str(), reply.head.from.as_str(), reply.head.subsystem.as_str()),
            ("r-1", "erp", "store")
        );
        assert_eq!(reply.body.payload.get(), "{\"sum\": 1.10}", "as it was written");
        assert_eq!(reply.head.created_at, "1970-01-01T00:00:00.000Z");
        let row = json!({"id": 7, "recipient": "phone-9", "subsystem": "other", "type": "t", "payload_text": "a \"b\"",
            "created_at": "2026-11-16 12:00:00.5", "version": 3});
        let reply = read(&row).unwrap();
        assert_eq!((reply.id.as_str(), reply.body.payload.get()), ("7", "\"a \\\"b\\\"\""));
        assert_eq!((reply.head.created_at.as_str(), &reply.body.version), ("2026-11-16T12:00:00.500Z", &json!(3)));
    }

    #[test]
    fn exc_25_a_row_that_is_no_reply_says_why() {
        let error = |row: Value| read(&row).unwrap_err();
        assert_eq!(error(json!({"recipient": "p"})), "column id is missing or empty");
        assert!(
            error(json!({"id": "r", "recipient": "p", "type": "t", "payload": "1"})).contains("subsystem is empty")
        );
        let unread = json!({"id": "r", "recipient": "phone-1", "type": "t", "payload": "{"});
        assert!(error(unread).starts_with("reply `r`: payload is no JSON"));
        assert!(error(json!({"id": "r", "recipient": "phone-1", "type": "t"})).contains("neither payload"));
    }

    #[test]
    fn exc_25_a_row_that_is_no_reply_says_whom_it_answers() {
        let known = Known { messages: &messages(), database: "erp", now: Wall(0) };
        let answers = |row: Value| bad(row.as_object().unwrap(), &known, "why").answers;
        assert_eq!(answers(json!({"reply_to": "m-2"})), Some("m-2".into()));
        assert_eq!((answers(json!({"reply_to": "m-9"})), answers(json!({"id": "r"}))), (None, None));
        assert_eq!(bad(&Row::new(), &known, &"x".repeat(10_000)).error.len(), ERROR_CHARS);
    }
}
