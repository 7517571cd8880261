//! A device or a database sends a message (EXC-6, EXC-9): the same again is answered the same and stored once.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::Form;
use super::put::{NewMessage, digest};
use crate::arrivals;
use crate::codes::{AEXCHANGE, ATAKEN, NPARTY, SBLOCKED};
use crate::ledger::Moves;
use crate::ledger::together;
use crate::rules::Rules;
use crate::statistics;

/// Takes a message.
pub static SEND: Op<Send, Sent> = Op::new("exchange.send", send).keyed(together);

/// A message, and who brings it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Send {
    /// The device or database that the caller is; `None`: one that may speak for all.
    pub sender: Option<String>,
    /// The message as it came.
    pub text: String,
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
    "SELECT digest, received_at FROM exc_message WHERE sender = ?1 AND id = ?2 AND place <> 'gone'",
);
pub(super) static DEVICE: Sql =
    Sql::new("exc_device.sender", "SELECT company, subsystem, state FROM exc_device WHERE id = ?1");
pub(crate) static DATABASE: Sql = Sql::new("exc_database.company", "SELECT company FROM exc_database WHERE id = ?1");

fn send(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Send) -> OpResult<Sent> {
    let form = Form::read(&input.text, cx.home.common::<Rules>().get().message_bytes)?;
    if input.sender.as_ref().is_some_and(|sender| *sender != form.from) {
        return Err(OpError::new(AEXCHANGE, format!("the message is from `{}`, who sends it is another", form.from)));
    }
    let way = way(tx, &form)?;
    if let Some(row) = tx.query_one(&FIND, args![&form.from, &form.id])? {
        if mutants::on(Mutant::ExchangeResendCounted) {
            statistics::sent_by_device(tx, cx, &form.from, input.text.len())?;
        }
        let same = row.blob(0) == digest(&input.text) || mutants::on(Mutant::ExchangeContentIgnored);
        return again(&form, same, Wall(row.int(1)));
    }
    let db = way.db(&form);
    NewMessage { form: &form, text: &input.text, db, draft_of: None }.put(tx, cx)?;
    Moves { received: 1, queued: 1, ..Moves::default() }.count(tx, db)?;
    match way {
        Way::In => statistics::sent_by_device(tx, cx, &form.from, input.text.len())?,
        Way::Out => {
            arrivals::tell(cx, &form.to);
            statistics::sent_by_database(tx, cx, &form.from, input.text.len())?;
        }
    }
    Ok(Sent { id: form.id, received_at: cx.wall.rfc3339() })
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
    if tx.query_one(&DEVICE, args![&form.from])?.is_some() {
        check_sender(tx, form)?;
        check_database(tx, &form.to, &form.company)?;
        return Ok(Way::In);
    }
    check_database(tx, &form.from, &form.company)?;
    check_device(tx, &form.to, form)?;
    Ok(Way::Out)
}

fn again(form: &Form, same: bool, received_at: Wall) -> OpResult<Sent> {
    if same {
        return Ok(Sent { id: form.id.clone(), received_at: received_at.rfc3339() });
    }
    Err(OpError::new(ATAKEN, format!("`{}` sent a message `{}` before, with other content", form.from, form.id)))
}

/// The device is there, and of the message's company and subsystem. What is for one that is blocked waits for it: the database that
/// answers it cannot know.
pub(super) fn check_device(tx: &mut dyn Tx, id: &str, form: &Form) -> OpResult<Row> {
    let absent = || OpError::new(NPARTY, format!("no device `{id}`"));
    let row = tx.query_one(&DEVICE, args![id])?.ok_or_else(absent)?;
    if row.text(0) == form.company && row.text(1) == form.subsystem {
        return Ok(row);
    }
    Err(OpError::new(AEXCHANGE, format!("device `{id}` is of another company or subsystem")))
}

fn check_sender(tx: &mut dyn Tx, form: &Form) -> OpResult<()> {
    check_let_in(&form.from, check_device(tx, &form.from, form)?.text(2))
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
    if row.is_some_and(|row| row.text(0) == company) {
        return Ok(());
    }
    Err(OpError::new(NPARTY, format!("company `{company}` has no database `{id}`")))
}
