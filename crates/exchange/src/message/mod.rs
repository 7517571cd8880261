//! Messages (EXC-3, EXC-9): sent by devices, fetched and acknowledged by them, given to databases.

mod ack;
mod draft;
mod fetch;
pub mod form;
mod letter;
pub mod name;
mod put;
mod send;
mod status;
mod tell;
mod text;

pub use ack::{ACK, Ack, Acked};
pub(crate) use draft::{Draft, put_draft};
pub use fetch::{FETCH, Fetch, Fetched};
pub use letter::Letter;
pub(crate) use letter::digest;
pub(crate) use send::{DATABASE, DEVICE, check_present};
pub use send::{SEND, Send, Sent};
pub use status::{MessageState, MessageStatus, OWN_STATUS, STATUS, StatusOf};
pub use tell::NOT_PROCESSED;
pub(crate) use tell::tell_senders;
pub use text::MessageText;
pub(crate) use text::array;

use base::{OpError, OpResult, Sql, Tx, args, codes};

pub(crate) static BODY: Sql = Sql::new("exc_body.get", "SELECT body FROM exc_body WHERE number = ?1");
/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &BODY,
    &put::NEXT_NUMBER,
    &put::NUMBER,
    &put::INSERT,
    &put::PUT_BODY,
    &send::FIND,
    &send::DEVICE,
    &send::BOTH,
    &send::DATABASE,
    &fetch::QUEUE,
    &ack::FIND,
    &ack::DONE,
    &status::GET,
    &tell::SENDERS,
];

/// The text of a message, as it came.
pub(crate) fn body_of(tx: &mut dyn Tx, number: i64) -> OpResult<MessageText> {
    let gone = || OpError::new(codes::BDETECTED, format!("message {number} has no body"));
    let row = tx.query_one(&BODY, args![number])?.ok_or_else(gone)?;
    Ok(MessageText::checked(row.text(0).to_owned()))
}
