//! The database is ready to commit: it brings a result for each message, and its replies (EXC-13).

use std::collections::BTreeMap;

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::finish::{Answer, Status, carry_out};
use super::narrow::GIVEN;
use super::next::{Event, Step, next};
use super::row::{self, Process};
use crate::codes::AEXCHANGE;
use crate::ledger::together;
use crate::message::{Draft, Letter, put_draft};
use crate::rules::Rules;

/// Prepares the commit of a process.
pub static PREPARE: Op<Prepare, Status> = Op::new("exchange.prepare", prepare).keyed(together).ending();

/// Replies of one process.
pub const REPLIES_MAX: usize = 200;
/// Bytes of an error's text that are kept.
const TEXT_MAX: usize = 2_000;

/// What a database brings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Prepare {
    /// Which process.
    pub process: String,
    /// Of which database the caller may speak; `None`: of all.
    pub db: Option<String>,
    /// A result for each message.
    pub results: Vec<MessageResult>,
    /// Replies, as they are to be given on.
    pub replies: Vec<Letter>,
}

/// What became of a message.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageResult {
    /// Its id.
    pub id: String,
    /// How it was processed.
    pub status: Processed,
    /// The number of the error, as the database has it.
    pub error_code: Option<i64>,
    /// What went wrong.
    pub error_text: Option<String>,
}

/// How a message was processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Processed {
    /// Well.
    Processed,
    /// Not: somebody else had it locked. It is given again.
    ProcessedDeadlock,
    /// Not: it is wrong.
    ProcessedIncorrect,
}

impl MessageResult {
    /// Processed, and nothing else to tell.
    fn is_plain(&self) -> bool {
        self.status == Processed::Processed && self.error_code.is_none() && self.error_text.is_none()
    }
}

impl Processed {
    fn word(self) -> &'static str {
        match self {
            Self::Processed => "PROCESSED",
            Self::ProcessedDeadlock => "PROCESSED_DEADLOCK",
            Self::ProcessedIncorrect => "PROCESSED_INCORRECT",
        }
    }
}

/// Most were: those that were not are told apart afterwards.
pub(crate) static ALL_PROCESSED: Sql = Sql::new(
    "exc_message.all_processed",
    "UPDATE exc_message SET result = 'PROCESSED', error_code = NULL, error_text = NULL WHERE process = ?1 AND draft = 0",
);
pub(crate) static KEEP_ALL_PROCESSED: Sql = Sql::new(
    "exc_given.all_processed",
    "UPDATE exc_given SET result = 'PROCESSED', error_code = NULL, error_text = NULL WHERE process = ?1 AND reply = 0",
);
pub(crate) static RESULT: Sql = Sql::new(
    "exc_message.result",
    "UPDATE exc_message SET result = ?2, error_code = ?3, error_text = ?4 WHERE number = ?1",
);
pub(crate) static REPLIED: Sql =
    Sql::new("exc_given.reply", "INSERT INTO exc_given (process, number, id, reply) VALUES (?1, ?2, ?3, 1)");
pub(crate) static KEEP_RESULT: Sql = Sql::new(
    "exc_given.result",
    "UPDATE exc_given SET result = ?3, error_code = ?4, error_text = ?5 WHERE process = ?1 AND number = ?2",
);

fn prepare(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Prepare) -> OpResult<Status> {
    let process = Process::find(tx, &input.process)?;
    let process = process.filter(|process| input.db.as_ref().is_none_or(|db| *db == process.db));
    let Some(process) = process else { return Ok(Status { status: Answer::Cancelled }) };
    let digest = digest(input);
    let same = process.prepared.as_deref() == Some(&digest[..]);
    let step = next(process.state, Event::Prepare { same });
    if step == Step::Prepare {
        take(tx, cx, &process, input)?;
        let until = cx.heard.plus_ms(cx.home.common::<Rules>().get().ready_ms);
        tx.write(&row::READY, args![&process.id, cx.wall, cx.heard, until, &digest[..]])?;
    }
    carry_out(tx, cx, &process, step, "")
}

fn take(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process, input: &Prepare) -> OpResult<()> {
    if input.replies.len() > REPLIES_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("{} replies, at most {REPLIES_MAX}", input.replies.len())));
    }
    let given = tx.query(&GIVEN, args![&process.id], usize::from(u16::MAX))?;
    let given: BTreeMap<&str, i64> = given.iter().map(|row| (row.text(1), row.int(0))).collect();
    check_complete(process, &given, &input.results)?;
    tx.write(&ALL_PROCESSED, args![&process.id])?;
    tx.write(&KEEP_ALL_PROCESSED, args![&process.id])?;
    for result in input.results.iter().filter(|result| !result.is_plain()) {
        put_result(tx, cx, process, given[result.id.as_str()], result)?;
    }
    for reply in &input.replies {
        let draft = Draft { process: &process.id, db: &process.db, letter: reply };
        let number = put_draft(tx, cx, &draft)?;
        tx.write(&REPLIED, args![&process.id, number, &reply.form().id])?;
    }
    Ok(())
}

/// A result for every message that was given, and for no other.
fn check_complete(process: &Process, given: &BTreeMap<&str, i64>, results: &[MessageResult]) -> OpResult<()> {
    let mut named = BTreeMap::new();
    for result in results {
        let wrong =
            |why: &str| OpError::new(AEXCHANGE, format!("message `{}` of process {} {why}", result.id, process.id));
        if !given.contains_key(result.id.as_str()) {
            return Err(wrong("was not given"));
        }
        if named.insert(result.id.as_str(), ()).is_some() {
            return Err(wrong("has two results"));
        }
    }
    match given.keys().find(|id| !named.contains_key(**id)) {
        None => Ok(()),
        Some(id) => Err(OpError::new(AEXCHANGE, format!("message `{id}` of process {} has no result", process.id))),
    }
}

fn put_result(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    process: &Process,
    number: i64,
    result: &MessageResult,
) -> OpResult<()> {
    let text = result.error_text.as_deref().map(|text| kernel::watch::shown(text, TEXT_MAX));
    let (word, code) = (result.status.word(), result.error_code);
    tx.write(&RESULT, args![number, word, code, text.as_deref()])?;
    tx.write(&KEEP_RESULT, args![&process.id, number, word, code, text.as_deref()])?;
    if result.status == Processed::ProcessedIncorrect {
        let reason = text.unwrap_or_default();
        cx.fx.journal("exchange.incorrect", &process.db, format!("message {}: {reason}", result.id));
    }
    Ok(())
}

/// What was prepared, so that the same again is known.
fn digest(input: &Prepare) -> [u8; 32] {
    let mut sum = Sha256::new();
    let mut add = |text: &str| {
        sum.update((text.len() as u64).to_be_bytes());
        sum.update(text.as_bytes());
    };
    for result in &input.results {
        add(&result.id);
        add(result.status.word());
        add(&result.error_code.map(|code| code.to_string()).unwrap_or_default());
        add(result.error_text.as_deref().unwrap_or_default());
    }
    add("replies");
    input.replies.iter().for_each(|reply| add(reply.text()));
    sum.finalize().into()
}
