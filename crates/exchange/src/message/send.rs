//! A device or a database sends a message (EXC-6, EXC-9): the same again is answered the same and stored once.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::Form;
use super::letter::Letter;
use super::put::NewMessage;
use crate::arrivals;
use crate::codes::{AEXCHANGE, ATAKEN, NPARTY, SBLOCKED};
use crate::ledger::Moves;
use crate::ledger::together;
use crate::statistics;

/// Takes a message.
pub static SEND: Op<Send, Sent> = Op::new("exchange.send", send).keyed(together);

/// A message, and who brings it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Send {
    /// The device or database that the caller is; `None`: one that may speak for all.
    pub sender: Option<String>,
    /// The message.
    pub letter: Letter,
}

/// It is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sent {
    /// Its id.
    pub id: String,
    /// When we took it.
    #[schema(format = DateTime)]
    pub received_at: String,
}

pub(super) static FIND: Sql = Sql::new(
    "exc_message.find",
    "SELECT digest, received_at FROM exc_message WHERE sender = ?1 AND id = ?2 AND void = 0",
);
/// A device that sends, and the database that it sends to.
pub(super) static BOTH: Sql = Sql::new(
    "exc_device.sender_and_receiver",
    "SELECT d.company, d.subsystem, d.state, b.company FROM exc_device d LEFT JOIN exc_database b ON b.id = ?2 WHERE d.id = ?1",
);
pub(crate) static DEVICE: Sql =
    Sql::new("exc_device.sender", "SELECT company, subsystem, state FROM exc_device WHERE id = ?1");
pub(crate) static DATABASE: Sql = Sql::new("exc_database.company", "SELECT company FROM exc_database WHERE id = ?1");

fn send(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Send) -> OpResult<Sent> {
    let form = input.letter.form();
    if input.sender.as_ref().is_some_and(|sender| *sender != form.from) {
        return Err(OpError::new(AEXCHANGE, format!("the message is from `{}`, who sends it is another", form.from)));
    }
    let way = way(tx, form)?;
    let db = way.db(form);
    let bytes = input.letter.text().len();
    if (NewMessage { letter: &input.letter, db, draft_of: None }).put(tx, cx)?.is_none() {
        if mutants::on(Mutant::ExchangeResendCounted) {
            statistics::sent_by_device(tx, cx, &form.from, bytes)?;
        }
        return again(tx, &input.letter);
    }
    Moves { received: 1, queued: 1, ..Moves::default() }.count(tx, db)?;
    match way {
        Way::In => statistics::sent_by_device(tx, cx, &form.from, bytes)?,
        Way::Out => {
            arrivals::tell(cx, &form.to);
            statistics::sent_by_database(tx, cx, &form.from, bytes)?;
        }
    }
    Ok(Sent { id: form.id.clone(), received_at: cx.wall.rfc3339() })
}

/// Which way a message goes.
#[derive(Clone, Copy)]
enum Way {
    /// From a device to a database.
    In,
    /// From a database to a device.
    Out,
}

impl Way {
    fn db(self, form: &Form) -> &str {
        match self {
            Self::In => &form.to,
            Self::Out => &form.from,
        }
    }
}

/// Both ends are there, of one company, and one of them is a database.
fn way(tx: &mut dyn Tx, form: &Form) -> OpResult<Way> {
    if let Some(both) = tx.query_one(&BOTH, args![&form.from, &form.to])? {
        check_bound(&both, &form.from, form)?;
        check_let_in(&form.from, both.text(2))?;
        check_company(both.opt_text(3), &form.to, &form.company)?;
        return Ok(Way::In);
    }
    check_database(tx, &form.from, &form.company)?;
    check_device(tx, &form.to, form)?;
    Ok(Way::Out)
}

/// The same again is answered the same.
fn again(tx: &mut dyn Tx, letter: &Letter) -> OpResult<Sent> {
    let Form { from, id, .. } = letter.form();
    let vanished = || OpError::new(codes::CSERIAL, format!("message `{id}` was there and is not"));
    let row = tx.query_one(&FIND, args![from, id])?.ok_or_else(vanished)?;
    if row.blob(0) == letter.digest() || mutants::on(Mutant::ExchangeContentIgnored) {
        return Ok(Sent { id: id.clone(), received_at: Wall(row.int(1)).rfc3339() });
    }
    Err(OpError::new(ATAKEN, format!("`{from}` sent a message `{id}` before, with other content")))
}

/// The device is there, and of the message's company and subsystem. What is for one that is blocked waits for it: the database that
/// answers it cannot know.
pub(super) fn check_device(tx: &mut dyn Tx, id: &str, form: &Form) -> OpResult<()> {
    let absent = || OpError::new(NPARTY, format!("no device `{id}`"));
    let row = tx.query_one(&DEVICE, args![id])?.ok_or_else(absent)?;
    check_bound(&row, id, form)
}

/// By the company and subsystem of a device.
fn check_bound(device: &Row, id: &str, form: &Form) -> OpResult<()> {
    if device.text(0) == form.company && device.text(1) == form.subsystem {
        return Ok(());
    }
    Err(OpError::new(AEXCHANGE, format!("device `{id}` is of another company or subsystem")))
}

/// The device is there and not blocked: it may speak with us.
pub(crate) fn check_present(tx: &mut dyn Tx, id: &str) -> OpResult<()> {
    let row = tx.query_one(&DEVICE, args![id])?.ok_or_else(|| OpError::new(NPARTY, format!("no device `{id}`")))?;
    check_let_in(id, row.text(2))
}

fn check_let_in(id: &str, state: &str) -> OpResult<()> {
    match state {
        "blocked" => Err(OpError::new(SBLOCKED, format!("device `{id}` is blocked"))),
        _ => Ok(()),
    }
}

/// One of another company is none for this one: names tell nothing.
fn check_database(tx: &mut dyn Tx, id: &str, company: &str) -> OpResult<()> {
    let row = tx.query_one(&DATABASE, args![id])?;
    check_company(row.as_ref().map(|row| row.text(0)), id, company)
}

fn check_company(found: Option<&str>, id: &str, company: &str) -> OpResult<()> {
    if found == Some(company) {
        return Ok(());
    }
    Err(OpError::new(NPARTY, format!("company `{company}` has no database `{id}`")))
}
