//! A process as its row says (EXC-11).

use base::{Heard, OpResult, Row, Sql, Tx, Wall, args};
use kernel::OpCx;

use super::next::{Outcome, State};

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) id: String,
    pub(crate) db: String,
    pub(crate) state: State,
    pub(crate) started_at: Wall,
    pub(crate) ready_at: Option<Wall>,
    pub(crate) prepared: Option<Vec<u8>>,
    pub(crate) message: String,
    pub(crate) ended_at: Option<Wall>,
}

pub(crate) static GET: Sql = Sql::new(
    "exc_process.get",
    "SELECT id, db, state, outcome, started_at, ready_at, prepared, message, ended_at FROM exc_process WHERE id = ?1",
);
pub(crate) static INSERT: Sql = Sql::new(
    "exc_process.insert",
    "INSERT INTO exc_process (id, db, state, started_at, until, outcome, message) VALUES (?1, ?2, 'STARTED', ?3, ?4, '', '')",
);
pub(crate) static READY: Sql = Sql::new(
    "exc_process.ready",
    "UPDATE exc_process SET state = 'READY_TO_COMMIT', ready_at = ?2, ready = ?3, until = ?4, prepared = ?5 WHERE id = ?1",
);
pub(crate) static SET_STATE: Sql =
    Sql::new("exc_process.set_state", "UPDATE exc_process SET state = ?2, until = NULL WHERE id = ?1");
pub(crate) static END: Sql = Sql::new(
    "exc_process.end",
    "UPDATE exc_process SET state = 'ENDED', outcome = ?2, message = ?3, ended_at = ?4, ended = ?5, until = NULL WHERE id = ?1",
);

impl Process {
    pub(crate) fn find(tx: &mut dyn Tx, id: &str) -> OpResult<Option<Self>> {
        Ok(tx.query_one(&GET, args![id])?.as_ref().map(Self::read))
    }

    pub(crate) fn read(row: &Row) -> Self {
        Self {
            id: row.text(0).to_owned(),
            db: row.text(1).to_owned(),
            state: state(row.text(2), row.text(3)),
            started_at: Wall(row.int(4)),
            ready_at: row.opt_int(5).map(Wall),
            prepared: row.opt_blob(6).map(<[u8]>::to_vec),
            message: row.text(7).to_owned(),
            ended_at: row.opt_int(8).map(Wall),
        }
    }

    /// It is over.
    pub(crate) fn end(&self, tx: &mut dyn Tx, cx: &OpCx<'_>, outcome: Outcome, message: &str) -> OpResult<()> {
        let (ended_at, ended): (Wall, Heard) = (cx.wall, cx.heard);
        Ok(tx.write(&END, args![&self.id, word(outcome), message, ended_at, ended])?)
    }
}

fn state(state: &str, outcome: &str) -> State {
    match state {
        "STARTED" => State::Started,
        "READY_TO_COMMIT" => State::Ready,
        "CLEANUP" => State::Cleanup,
        "FAILED" => State::Failed,
        "UNKNOWN" => State::Unknown,
        _ => State::Ended(match outcome {
            "committed" => Outcome::Committed,
            "rolled_back" => Outcome::RolledBack,
            "interrupted" => Outcome::Interrupted,
            "forgotten" => Outcome::Forgotten,
            _ => Outcome::TimedOut,
        }),
    }
}

/// How an outcome is written.
pub(crate) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Committed => "committed",
        Outcome::RolledBack => "rolled_back",
        Outcome::Interrupted => "interrupted",
        Outcome::TimedOut => "timed_out",
        Outcome::Forgotten => "forgotten",
    }
}
