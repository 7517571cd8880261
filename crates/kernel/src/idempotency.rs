//! Rows of idempotent requests (KER-10): the second call gives the first call's answer.
//!
//! The row is inserted first thing in the operation's transaction (`ON CONFLICT DO NOTHING`, never a SELECT before an
//! INSERT: on PostgreSQL that reads a gap and fights with every neighbour) and completed with the answer last thing. A
//! refused operation rolls it back, so refusals are not stored.

use base::limits::ANSWER_STORED_MAX;
use base::{Heard, Id, OpError, OpResult, Row, Sql, Stamp, Tx, args, codes};

use crate::request::{Idempotency, Request};

pub(crate) static INSERT: Sql = Sql::new(
    "request.insert",
    "INSERT INTO request (caller, route, key, body_hash, request_id, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (caller, route, key) DO NOTHING",
);
pub(crate) static COMPLETE: Sql = Sql::new(
    "request.complete",
    "UPDATE request SET complete = 1, answer = ?4, version = ?5 WHERE caller = ?1 AND route = ?2 AND key = ?3",
);
pub(crate) static GET: Sql = Sql::new(
    "request.get",
    "SELECT body_hash, request_id, answer, version FROM request WHERE caller = ?1 AND route = ?2 AND key = ?3",
);

/// What the row says of a request.
pub(crate) enum Told {
    /// It comes for the first time.
    New,
    /// It was done before.
    Done(Before),
}

/// What is known of the first call.
pub(crate) struct Before {
    /// The first call's id, from which its ids follow.
    pub(crate) request_id: Id,
    /// Its answer, unless that is rebuilt.
    pub(crate) answer: Option<String>,
    /// Its version.
    pub(crate) version: Option<Stamp>,
}

/// Claims the request's row or finds the first call's.
pub(crate) fn begin(tx: &mut dyn Tx, request: &Request, once: &Idempotency, expires_at: Heard) -> OpResult<Told> {
    let caller = &request.caller.name;
    let claimed =
        tx.execute(&INSERT, args![caller, &once.route, &once.key, &once.body_hash, request.id, expires_at])?;
    if claimed == 1 {
        return Ok(Told::New);
    }
    find(tx, request, once)?.map(Told::Done).ok_or_else(|| vanished(once))
}

/// The first call's row, if there is one.
pub(crate) fn find(tx: &mut dyn Tx, request: &Request, once: &Idempotency) -> OpResult<Option<Before>> {
    let row = tx.query_one(&GET, args![&request.caller.name, &once.route, &once.key])?;
    row.map(|row| told(once, &row)).transpose()
}

fn told(once: &Idempotency, row: &Row) -> OpResult<Before> {
    if row.blob(0) != once.body_hash {
        let message = format!("Idempotency-Key `{}` was used before with another body", once.key);
        return Err(OpError::new(codes::AKEYREUSED, message));
    }
    let answer = row.opt_text(2).map(str::to_owned);
    Ok(Before { request_id: row.id(1), answer, version: row.opt_stamp(3) })
}

/// Completes the row with the answer; `None` when the operation rebuilds it.
pub(crate) fn complete(
    tx: &mut dyn Tx,
    request: &Request,
    once: &Idempotency,
    answer: Option<&str>,
    version: Option<Stamp>,
) -> OpResult<()> {
    let length = answer.map_or(0, str::len);
    if length > ANSWER_STORED_MAX {
        let message = format!("an answer of {length} bytes is too large to keep: the operation must rebuild it");
        // No attempt would give a smaller one.
        return Err(OpError::new(codes::BDETECTED, message).finally());
    }
    Ok(tx.write(&COMPLETE, args![&request.caller.name, &once.route, &once.key, answer, version])?)
}

fn vanished(once: &Idempotency) -> OpError {
    OpError::new(codes::CSERIAL, format!("the row of Idempotency-Key `{}` was being forgotten", once.key))
}
