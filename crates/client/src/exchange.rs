//! Calls of the exchange: those of a device (EXC-2, EXC-9) and those of a business database (EXC-10 to EXC-17, EXC-20).
//!
//! Invariant: a call is made as [`Client`] makes every call, with one Idempotency-Key through its own tries. Whoever repeats a call after
//! these are over may do so: the server answers the same (EXC-17); only a start needs its first key again, and takes it from outside.
//!
//! Deliberately not here: when to call what. A device just calls; a database's side is a machine of its own, see the crate `connector`.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

use crate::call::Call;
use crate::client::Client;
use crate::error::ClientError;
use crate::retry::Retry;

/// The one version of messages.
pub const VERSION: u32 = 1;

/// How much longer than the server a waiting fetch is listened to.
const FETCH_SLACK: Duration = Duration::from_secs(30);

/// A message (EXC-3).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Message {
    /// Version of this form.
    pub version: u32,
    /// Unique among those of its sender: 1 to 36 of `A-Za-z0-9-`.
    pub id: String,
    /// From whom to whom.
    pub head: Head,
    /// What it says.
    pub body: Body,
}

/// From whom to whom, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Company of both.
    pub company: String,
    /// Subsystem of the device.
    pub subsystem: String,
    /// Sender: a device or a database.
    pub from: String,
    /// Receiver: a database or a device.
    pub to: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// Its place among those that were made at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<i64>,
    /// Which message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
}

/// What a message says, in words of the application.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Body {
    /// What kind of message it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Version of the payload.
    pub version: Value,
    /// Any JSON, kept as it came.
    pub payload: Box<RawValue>,
}

/// What a device is after its activation.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct Activated {
    /// Its id.
    pub device: String,
    /// Its key; shown once.
    pub key: String,
}

/// The key is not shown.
impl std::fmt::Debug for Activated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activated").field("device", &self.device).finish_non_exhaustive()
    }
}

/// A message that the server has for good.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sent {
    /// Its id.
    pub id: String,
    /// When the server took it.
    pub received_at: String,
}

/// What became of a message (EXC-9).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MessageStatus {
    /// `queued`, `in process`, `processed` and so on.
    pub state: String,
    /// Number of the error, as the database has it.
    #[serde(default)]
    pub error_code: Option<i64>,
    /// What went wrong.
    #[serde(default)]
    pub error_text: Option<String>,
}

/// What a database wants to process (EXC-10).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Start {
    /// Its id.
    pub db: String,
    /// Only messages of these subsystems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsystems: Option<Vec<String>>,
    /// Only messages of these senders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub senders: Option<Vec<String>>,
    /// At most so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u32>,
    /// At most so many megabytes, but one message at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_mb: Option<f64>,
}

/// The status of an answer: no error of HTTP, but the word of the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// Go on.
    Ok,
    /// Nothing waits.
    Idle,
    /// A process of this database is active.
    Busy,
    /// The process is over; roll back.
    Cancelled,
}

/// What a start is answered with.
#[derive(Debug, Clone, Deserialize)]
pub struct Started {
    /// `IDLE`, `BUSY` or `OK`.
    pub status: Status,
    /// The process; with `OK` only.
    #[serde(default)]
    pub process: Option<String>,
    /// The messages in their order; with `OK` only.
    #[serde(default)]
    pub messages: Vec<Message>,
}

/// How a message was processed (EXC-13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Processed {
    /// Well.
    Processed,
    /// Not: somebody else had a lock. It is given again.
    ProcessedDeadlock,
    /// Not: it is wrong.
    ProcessedIncorrect,
}

/// The result of one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageResult {
    /// Its id.
    pub id: String,
    /// How it was processed.
    pub status: Processed,
    /// Number of the error, as the database has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<i64>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
}

/// A process of a list; what else the server tells of it is not read here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Process {
    /// Its id.
    pub id: String,
    /// Its state, if the list tells it: `STARTED`, `READY_TO_COMMIT` and so on.
    #[serde(default)]
    pub state: Option<String>,
}

#[derive(Deserialize)]
struct Page<T> {
    items: Vec<T>,
    #[serde(default)]
    next: Option<Value>,
}

#[derive(Deserialize)]
struct Fetched {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Answered {
    status: Status,
}

/// Calls of a device.
impl Client {
    /// Gives an activation code for the id and the key of a device (EXC-2); the client needs no key for it.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn activate(&self, code: &str) -> Result<Activated, ClientError> {
        let call = Call::new(Method::POST, self.url(&["exchange", "activate"])).json(&json!({ "code": code }))?;
        self.send(call.once()).await?.read()
    }

    /// Sends a message. The same again changes nothing.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn send_message(&self, message: &Message) -> Result<Sent, ClientError> {
        let call = Call::new(Method::POST, self.url(&["exchange", "messages"])).json(message)?;
        self.send(call.once()).await?.read()
    }

    /// Messages for this device, oldest first, at most so many; waits so many seconds for one to come.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn fetch_messages(&self, max_files: u32, wait_s: u32) -> Result<Vec<Message>, ClientError> {
        let mut url = self.url(&["exchange", "messages"]);
        url.query_pairs_mut().append_pair("max_files", &max_files.to_string());
        if wait_s > 0 {
            url.query_pairs_mut().append_pair("wait_s", &wait_s.to_string());
        }
        let patience = self.retry.patience.max(Duration::from_secs(wait_s.into()) + FETCH_SLACK);
        let patient = self.clone().with_retry(Retry { patience, ..self.retry });
        let fetched: Fetched = patient.send(Call::new(Method::GET, url)).await?.read()?;
        Ok(fetched.messages)
    }

    /// Says that this device has a message: it is not given again.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn acknowledge_message(&self, id: &str) -> Result<(), ClientError> {
        let call = Call::new(Method::POST, self.url(&["exchange", "messages", id, "ack"]));
        self.send(call.once()).await.map(drop)
    }

    /// What became of a message that this device sent.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn message_status(&self, id: &str) -> Result<MessageStatus, ClientError> {
        self.send(Call::new(Method::GET, self.url(&["exchange", "messages", id, "status"]))).await?.read()
    }
}

/// Calls of a business database.
impl Client {
    /// Starts a process. Whoever got no answer repeats it with the same key and gets the same process.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn start_process(&self, start: &Start, key: &str) -> Result<Started, ClientError> {
        let call = Call::new(Method::POST, self.url(&["exchange", "processes"])).json(start)?;
        self.send(call.once_by(key.to_owned())).await?.read()
    }

    /// Names the messages that will be processed; the others are free again.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn narrow_process(&self, process: &str, messages: &[&str]) -> Result<Status, ClientError> {
        self.step(process, "narrow", &json!({ "messages": messages })).await
    }

    /// Brings results and replies, before the commit in the database.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn prepare_process(
        &self,
        process: &str,
        results: &[MessageResult],
        replies: &[Message],
    ) -> Result<Status, ClientError> {
        #[derive(Serialize)]
        struct Prepare<'a> {
            results: &'a [MessageResult],
            replies: &'a [Message],
        }
        self.step(process, "prepare", &Prepare { results, replies }).await
    }

    /// Says that the database committed.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn commit_process(&self, process: &str) -> Result<Status, ClientError> {
        self.step(process, "commit", &json!({})).await
    }

    /// Says that the database did not commit, why, and whether the senders are to be told.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn rollback_process(&self, process: &str, error: &str, tell: bool) -> Result<Status, ClientError> {
        self.step(process, "rollback", &json!({ "error": error, "tell_senders": tell })).await
    }

    /// Gives a process up before its prepare.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn interrupt_process(&self, process: &str, message: &str) -> Result<Status, ClientError> {
        self.step(process, "interrupt", &json!({ "message": message })).await
    }

    /// Processes of which the server does not know whether the database committed (EXC-20).
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn unresolved_processes(&self, db: &str) -> Result<Vec<Process>, ClientError> {
        self.processes_at(&["exchange", "processes", "unresolved"], db).await
    }

    /// Processes of a database that are not over.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn active_processes(&self, db: &str) -> Result<Vec<Process>, ClientError> {
        self.processes_at(&["exchange", "processes"], db).await
    }

    /// Says what the database's own marker says.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn resolve_process(&self, process: &str, committed: bool) -> Result<Status, ClientError> {
        self.step(process, "resolve", &json!({ "committed": committed })).await
    }

    async fn processes_at(&self, steps: &[&str], db: &str) -> Result<Vec<Process>, ClientError> {
        let (mut found, mut after) = (vec![], None::<String>);
        loop {
            let mut url = self.url(steps);
            url.query_pairs_mut().append_pair("db", db);
            if let Some(after) = &after {
                url.query_pairs_mut().append_pair("after", after);
            }
            let page: Page<Process> = self.send(Call::new(Method::GET, url)).await?.read()?;
            let none = page.items.is_empty();
            found.extend(page.items);
            after = page.next.and_then(cursor);
            if none || after.is_none() {
                return Ok(found);
            }
        }
    }

    async fn step(&self, process: &str, step: &str, body: &impl Serialize) -> Result<Status, ClientError> {
        let call = Call::new(Method::POST, self.url(&["exchange", "processes", process, step])).json(body)?;
        let reply = self.send(call.once()).await?;
        reply.read::<Answered>().map(|answered| answered.status)
    }
}

/// As the server takes it back, whether it is a text or a number.
fn cursor(next: Value) -> Option<String> {
    match next {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = r#"{"version":1,"id":"m-1","head":{"company":"c","subsystem":"s","from":"phone","to":"erp","created_at":"2026-11-16T12:00:00Z","reply_to":"m-0"},"body":{"type":"order","version":3,"payload":{"sum": 12.50000000000000000001}}}"#;

    #[test]
    fn exc_25_a_message_is_given_on_letter_by_letter() {
        let message: Message = serde_json::from_str(MESSAGE).unwrap();
        assert_eq!(message.head.order, None);
        assert_eq!(serde_json::to_string(&message).unwrap(), MESSAGE, "a payload is opaque: no digit of it is lost");
    }

    #[test]
    fn exc_25_answers_of_a_start_are_read() {
        let read = |text: &str| serde_json::from_str::<Started>(text).unwrap();
        assert_eq!(read(r#"{"status":"IDLE"}"#).status, Status::Idle);
        assert_eq!(read(r#"{"status":"BUSY"}"#).status, Status::Busy);
        let started = read(&format!(r#"{{"status":"OK","process":"p","messages":[{MESSAGE}]}}"#));
        assert_eq!((started.status, started.process.as_deref(), started.messages.len()), (Status::Ok, Some("p"), 1));
        assert!(
            serde_json::from_str::<Started>(r#"{"status":"PERHAPS"}"#).is_err(),
            "a word that nobody knows is no answer"
        );
    }

    #[test]
    fn exc_25_results_are_written_as_the_server_reads_them() {
        let result = MessageResult {
            id: "m".into(),
            status: Processed::ProcessedDeadlock,
            error_code: Some(335_544_336),
            error_text: None,
        };
        assert_eq!(
            serde_json::to_string(&result).unwrap(),
            r#"{"id":"m","status":"PROCESSED_DEADLOCK","error_code":335544336}"#
        );
    }

    #[test]
    fn exc_25_a_cursor_goes_back_as_it_came() {
        assert_eq!(cursor(Value::Null), None);
        assert_eq!(cursor(json!("a")).as_deref(), Some("a"));
        assert_eq!(cursor(json!(7)).as_deref(), Some("7"));
    }
}
