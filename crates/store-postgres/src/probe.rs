//! Looking whether the server is there, takes writes and has room.

use base::{Connection, Isolation, Sql, StoreError, StoreResult, Tx};

use crate::gate::State;
use crate::pipeline::Step;
use crate::session::Session;

static READ_ONLY: Sql = Sql::new("store.read_only", "SELECT current_setting('transaction_read_only')");

/// A table that never stays: its file must grow, so the disk must have room. Its rows are too short to be compressed.
const GROW: [&str; 2] = [
    "CREATE TABLE store_probe (number BIGINT, filler TEXT)",
    "INSERT INTO store_probe SELECT number, repeat('x', 1900) FROM generate_series(1, 512) AS numbers(number)",
];

/// Looks at the server and sets the gate.
pub(crate) fn look(session: &mut Session) {
    let shared = std::sync::Arc::clone(&session.shared);
    let was_full = matches!(shared.gate.state(), State::Full(_));
    let found = find(session, was_full).unwrap_or_else(|error| {
        let reason = reason(error);
        shared.go_down(&reason);
        State::Down(reason)
    });
    shared.gate.probed(found, shared.now_us());
}

fn find(session: &mut Session, was_full: bool) -> StoreResult<State> {
    // Not serializable: a standby refuses that, and it should be told from a server that is gone.
    session.begin(Isolation::Claim)?;
    let found = find_inside(session, was_full);
    session.rollback();
    found
}

fn find_inside(session: &mut Session, was_full: bool) -> StoreResult<State> {
    let answer = session.query_one(&READ_ONLY, &[])?;
    if answer.is_some_and(|row| row.text(0) == "on") {
        return Ok(State::NoWrites("the server is read-only, perhaps a standby".into()));
    }
    match if was_full { grow(session) } else { Ok(()) } {
        Ok(()) => Ok(State::Good),
        Err(StoreError::Full(reason)) => Ok(State::Full(reason)),
        Err(error) => Err(error),
    }
}

fn grow(session: &mut Session) -> StoreResult<()> {
    GROW.iter().try_for_each(|text| session.send(Step::Text(text)).map(drop))
}

fn reason(error: StoreError) -> String {
    match error {
        StoreError::Unavailable(reason) => reason,
        error => error.to_string(),
    }
}
