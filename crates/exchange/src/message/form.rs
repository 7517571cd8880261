//! A message as it is exchanged (EXC-3): its head is read and checked, its payload is opaque and never parsed twice. Pure.

use base::{OpError, OpResult, Wall, codes};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::codes::{AEXCHANGE, AFORM};
use crate::names::{check_database, check_message, check_name};

/// The one version of this form.
pub const VERSION: u32 = 1;
/// Bytes of a message, head included, where nobody sets another limit.
pub const MESSAGE_BYTES: usize = 32 << 20;
/// Letters of the type of a body.
const TYPE_MAX: usize = 100;

/// What is read of a message; the text itself is kept as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its id, unique among those of its sender.
    pub id: String,
    /// Of which company.
    pub company: String,
    /// Of which subsystem.
    pub subsystem: String,
    /// Who sends it.
    pub from: String,
    /// Whom it is for.
    pub to: String,
    /// When it was made.
    pub created_at: Wall,
    /// Its place among those that were made at the same time.
    pub order: i64,
    /// Which message it answers.
    pub reply_to: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(borrow)]
    version: &'a RawValue,
    id: String,
    head: Head,
    #[serde(borrow)]
    body: Body<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    company: String,
    subsystem: String,
    from: String,
    to: String,
    created_at: String,
    order: Option<i64>,
    reply_to: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    #[expect(dead_code, reason = "the application's own; only that it is there is checked")]
    version: &'a RawValue,
    #[serde(borrow)]
    #[expect(dead_code, reason = "opaque")]
    payload: &'a RawValue,
}

/// Only the version: what else is there is read by it.
#[derive(Deserialize)]
struct Versioned {
    version: Option<u32>,
}

impl Form {
    /// Reads a message.
    ///
    /// # Errors
    /// `ABODY`: no such JSON; `AFORM`: of a version that nobody knows; `AEXCHANGE`: something of it cannot be; `ALIMIT`: it is too large.
    pub fn read(text: &str, bytes_max: usize) -> OpResult<Self> {
        if text.len() > bytes_max {
            let message = format!("a message of {} bytes, at most {bytes_max}", text.len());
            return Err(OpError::before_start(codes::ALIMIT, message));
        }
        match serde_json::from_str::<Message<'_>>(text) {
            Ok(message) if message.version.get() == "1" => Self::checked(message),
            read => Err(why_not(text, read.err())),
        }
    }

    fn checked(Message { id, head, body, .. }: Message<'_>) -> OpResult<Self> {
        check_message(&id)?;
        check_name("company", &head.company)?;
        check_name("subsystem", &head.subsystem)?;
        // A device or a database; a database's may have more letters.
        check_database(&head.from)?;
        check_database(&head.to)?;
        head.reply_to.as_deref().map_or(Ok(()), check_message)?;
        if !(1..=TYPE_MAX).contains(&body.kind.len()) || body.kind.chars().any(char::is_control) {
            return Err(OpError::new(AEXCHANGE, format!("type of the body is not 1 to {TYPE_MAX} letters")));
        }
        let created_at = Wall::parse_rfc3339(&head.created_at)
            .ok_or_else(|| OpError::new(AEXCHANGE, "created_at is no RFC 3339 time such as 2026-11-16T12:00:00Z"))?;
        let Head { company, subsystem, from, to, order, reply_to, .. } = head;
        Ok(Self { id, company, subsystem, from, to, created_at, order: order.unwrap_or(0), reply_to })
    }

    /// The time by which it is ordered: one in our future counts as now.
    #[must_use]
    pub fn ordered_at(&self, now: Wall) -> Wall {
        self.created_at.max(Wall(0)).min(now)
    }
}

/// Why a text is no message: another version may have another form, so it is looked at first.
fn why_not(text: &str, error: Option<serde_json::Error>) -> OpError {
    let wrong = |error| OpError::before_start(codes::ABODY, format!("no message: {error}"));
    match serde_json::from_str::<Versioned>(text) {
        Err(error) => wrong(error),
        Ok(Versioned { version: None }) => version("none"),
        Ok(Versioned { version: Some(VERSION) }) => error.map_or_else(|| version("not written as 1"), wrong),
        Ok(Versioned { version: Some(other) }) => version(&other.to_string()),
    }
}

fn version(is: &str) -> OpError {
    OpError::before_start(AFORM, format!("version of the message is {is}, the one that is known is {VERSION}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn message() -> Value {
        json!({
            "version": 1, "id": "m-1",
            "head": { "company": "c", "subsystem": "s", "from": "phone-1", "to": "erp.main", "created_at": "2026-11-16T12:00:00Z" },
            "body": { "type": "order", "version": 3, "payload": { "any": ["thing"] } }
        })
    }

    fn code(message: &Value) -> &'static str {
        Form::read(&message.to_string(), MESSAGE_BYTES).unwrap_err().code.name
    }

    #[test]
    fn exc_3_a_message_is_read_by_its_head() {
        let form = Form::read(&message().to_string(), MESSAGE_BYTES).unwrap();
        assert_eq!((form.id.as_str(), form.from.as_str(), form.to.as_str()), ("m-1", "phone-1", "erp.main"));
        assert_eq!((form.order, form.reply_to.as_deref()), (0, None));
        assert_eq!(form.ordered_at(Wall(5)), Wall(5), "a time in our future counts as that of receipt");
        assert_eq!(form.ordered_at(Wall(i64::MAX)), form.created_at);
        let ancient = Form { created_at: Wall(-62_135_596_800_000), ..form };
        assert_eq!(ancient.ordered_at(Wall(5)), Wall(0), "names of files have no sign");
    }

    #[test]
    fn exc_3_what_is_no_message_is_refused_with_its_reason() {
        let with = |path: &str, value: Value| {
            let mut message = message();
            *message.pointer_mut(path).unwrap() = value;
            message
        };
        assert_eq!(code(&with("/version", json!(2))), "AFORM");
        assert_eq!(code(&json!({})), "AFORM");
        assert_eq!(code(&json!([1])), "ABODY");
        for (path, value) in [
            ("/id", json!("a/b")),
            ("/id", json!("")),
            ("/id", json!("x".repeat(37))),
            ("/head/company", json!("../c")),
            ("/head/subsystem", json!("s~t")),
            ("/head/from", json!("..")),
            ("/head/to", json!("a b")),
            ("/head/created_at", json!("yesterday")),
            ("/body/type", json!("")),
        ] {
            assert_eq!(code(&with(path, value)), "AEXCHANGE", "{path}");
        }
        for (path, value) in
            [("/id", json!(1)), ("/head", json!(null)), ("/body", json!("x")), ("/head/created_at", json!(5))]
        {
            assert_eq!(code(&with(path, value)), "ABODY", "{path}");
        }
        let mut more = message();
        more["head"]["secret"] = json!(1);
        assert_eq!(code(&more), "ABODY", "fields that version 1 does not have");
        let huge = "x".repeat(1_000);
        assert_eq!(Form::read(&huge, 1_000).unwrap_err().code.name, "ABODY");
        assert_eq!(Form::read(&format!("{huge}x"), 1_000).unwrap_err().code.name, "ALIMIT");
    }
}
