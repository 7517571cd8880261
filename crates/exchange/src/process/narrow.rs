//! The database names what it will process of what it was given (EXC-12).

use std::collections::BTreeSet;

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::finish::{Answer, Status, carry_out};
use super::next::{Event, Outcome, State, Step, next};
use super::row::Process;
use crate::codes::AEXCHANGE;
use crate::ledger::Moves;
use crate::ledger::together;

/// Narrows a process.
pub static NARROW: Op<Narrow, Status> = Op::new("exchange.narrow", narrow).keyed(together).ending();

/// A message that was left out so often needs a person.
const SKIPPED_MAX: i64 = 10;

/// What is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Narrow {
    /// Which process.
    pub process: String,
    /// Of which database the caller may speak; `None`: of all.
    pub db: Option<String>,
    /// Ids of the messages that it will process.
    pub messages: Vec<String>,
}

pub(crate) static GIVEN: Sql =
    Sql::new("exc_given.ids", "SELECT number, id FROM exc_given WHERE process = ?1 AND reply = 0 ORDER BY number");
pub(crate) static LEAVE_OUT: Sql = Sql::new(
    "exc_message.leave_out",
    "UPDATE exc_message SET process = NULL, skipped = skipped + 1 WHERE number = ?1 RETURNING skipped",
);
pub(crate) static FORGET: Sql =
    Sql::new("exc_given.forget", "DELETE FROM exc_given WHERE process = ?1 AND number = ?2");

fn narrow(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Narrow) -> OpResult<Status> {
    let process = Process::find(tx, &input.process)?;
    let process = process.filter(|process| input.db.as_ref().is_none_or(|db| *db == process.db));
    let Some(process) = process else { return Ok(Status { status: Answer::Cancelled }) };
    if input.messages.is_empty() {
        return nothing(tx, cx, &process);
    }
    let step = next(process.state, Event::Narrow);
    if step == Step::Narrow {
        leave_out(tx, cx, &process, &input.messages)?;
    }
    carry_out(tx, cx, &process, step, "")
}

/// All of them are left out, so that what is behind them comes before them next time; then there is nothing to go on with.
fn nothing(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process) -> OpResult<Status> {
    let step = match process.state {
        State::Started => next(State::Started, Event::Interrupt),
        // The same again.
        State::Ended(Outcome::Interrupted) => Step::Agree,
        _ => Step::Cancel,
    };
    if process.state == State::Started {
        leave_out(tx, cx, process, &[])?;
    }
    carry_out(tx, cx, process, step, "no message is processed")
}

fn leave_out(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process, kept: &[String]) -> OpResult<()> {
    let given = tx.query(&GIVEN, args![&process.id], usize::from(u16::MAX))?;
    let ids: BTreeSet<&str> = given.iter().map(|row| row.text(1)).collect();
    let kept: BTreeSet<&str> = kept.iter().map(String::as_str).collect();
    if let Some(foreign) = kept.difference(&ids).next() {
        let message = format!("message `{foreign}` was not given to process {}", process.id);
        return Err(OpError::new(AEXCHANGE, message));
    }
    let mut left = 0;
    for row in given.iter().filter(|row| !kept.contains(row.text(1))) {
        let skipped = tx.query_one(&LEAVE_OUT, args![row.int(0)])?.map_or(0, |row| row.int(0));
        if !mutants::on(Mutant::ExchangeNarrowForgotten) {
            tx.write(&FORGET, args![&process.id, row.int(0)])?;
        }
        left += 1;
        if skipped == SKIPPED_MAX {
            let message =
                format!("Message {} for database {} was left out {SKIPPED_MAX} times.", row.text(1), process.db);
            cx.fx.open_alert(skipped_key(row.int(0)), "exchange-skipped", message);
        }
    }
    Moves { queued: left, in_process: -left, ..Moves::default() }.count(tx, &process.db)
}

/// The alert of a message that was left out too often.
fn skipped_key(number: i64) -> String {
    format!("exchange-skipped/{number}")
}

pub(crate) static SKIPPED: Sql = Sql::new(
    "exc_message.skipped",
    "SELECT number FROM exc_message WHERE process = ?1 AND draft = 0 AND skipped >= ?2 ORDER BY number LIMIT 10000",
);

/// Whatever became of a message outside of a process: nobody has to look why it is left out.
pub(crate) fn close_skipped_alert(cx: &mut OpCx<'_>, number: i64) {
    cx.fx.close_alert(skipped_key(number));
}

/// What was left out too often and is processed after all needs nobody any more.
pub(crate) fn close_skipped(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &str) -> OpResult<()> {
    for row in tx.query(&SKIPPED, args![process, SKIPPED_MAX], 10_000)? {
        close_skipped_alert(cx, row.int(0));
    }
    Ok(())
}
