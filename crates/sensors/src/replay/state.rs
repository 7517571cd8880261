//! A replay as its row has it.

use base::{Heard, Id, OpResult, Row, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) client: String,
    pub(super) task: Id,
    pub(super) from: Wall,
    pub(super) to: Wall,
    /// Number of the last event that is done with.
    pub(super) place: i64,
    /// Number of the last event that there was when it began.
    pub(super) until: i64,
    pub(super) sent: i64,
    pub(super) left_out: i64,
    /// Tries of the event behind `place`.
    pub(super) tries: i64,
    pub(super) next_at: Heard,
    pub(super) sending: Option<Sending>,
    pub(super) phase: Phase,
    pub(super) reason: String,
    pub(super) begun_at: Wall,
    pub(super) ended_at: Option<Wall>,
}

/// A try on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sending {
    pub(super) seq: i64,
    /// Number of the try among all of that event.
    pub(super) attempt: i64,
    pub(super) begun: Heard,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ReplayState)]
pub enum Phase {
    /// Events are sent.
    Running,
    /// All were.
    Done,
    /// One could not be sent; see the reason.
    Failed,
}

impl Phase {
    const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    fn of(word: &str) -> Self {
        [Self::Running, Self::Done].into_iter().find(|phase| phase.word() == word).unwrap_or(Self::Failed)
    }
}

/// A replay as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReplayView {
    /// How far it is.
    pub state: Phase,
    /// Why it failed.
    pub reason: String,
    /// Events from this moment on.
    #[schema(format = DateTime)]
    pub from: String,
    /// Events before this moment.
    #[schema(format = DateTime)]
    pub to: String,
    /// Number of the last event that is done with.
    pub seq: i64,
    /// Number of the last event that it looks at.
    pub until: i64,
    /// Events that the client took.
    pub sent: i64,
    /// Events of that time that were left out.
    pub left_out: i64,
    /// Tries of the event that is next.
    pub tries: i64,
    /// When it began.
    #[schema(format = DateTime)]
    pub begun_at: String,
    /// When it ended.
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
}

pub(super) static GET: Sql = Sql::new(
    "sensor_replay.get",
    "SELECT client_id, task_id, from_at, to_at, place, until, sent, left_out, tries, next_at, sending, attempt, begun, state, \
     reason, begun_at, ended_at FROM sensor_replay WHERE client_id = ?1",
);
pub(super) static PUT: Sql = Sql::new(
    "sensor_replay.put",
    "INSERT INTO sensor_replay (client_id, task_id, from_at, to_at, place, until, sent, left_out, tries, next_at, sending, \
     attempt, begun, state, reason, begun_at, ended_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) \
     ON CONFLICT (client_id) DO UPDATE SET task_id = ?2, from_at = ?3, to_at = ?4, place = ?5, until = ?6, sent = ?7, \
     left_out = ?8, tries = ?9, next_at = ?10, sending = ?11, attempt = ?12, begun = ?13, state = ?14, reason = ?15, \
     begun_at = ?16, ended_at = ?17",
);
pub(super) static FORGET: Sql = Sql::new("sensor_replay.forget", "DELETE FROM sensor_replay WHERE client_id = ?1");

impl State {
    pub(super) fn find(tx: &mut dyn Tx, client: &str) -> OpResult<Option<Self>> {
        Ok(tx.query_one(&GET, args![client])?.as_ref().map(Self::read))
    }

    fn read(row: &Row) -> Self {
        let sending = |seq| Sending { seq, attempt: row.int(11), begun: Heard(row.int(12)) };
        Self {
            client: row.text(0).to_owned(),
            task: row.id(1),
            from: Wall(row.int(2)),
            to: Wall(row.int(3)),
            place: row.int(4),
            until: row.int(5),
            sent: row.int(6),
            left_out: row.int(7),
            tries: row.int(8),
            next_at: Heard(row.int(9)),
            sending: row.opt_int(10).map(sending),
            phase: Phase::of(row.text(13)),
            reason: row.text(14).to_owned(),
            begun_at: Wall(row.int(15)),
            ended_at: row.opt_int(16).map(Wall),
        }
    }

    pub(super) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let sending = self.sending;
        let row = args![
            &self.client,
            self.task,
            self.from,
            self.to,
            self.place,
            self.until,
            self.sent,
            self.left_out,
            self.tries,
            self.next_at,
            sending.map(|on| on.seq),
            sending.map(|on| on.attempt),
            sending.map(|on| on.begun),
            self.phase.word(),
            &self.reason,
            self.begun_at,
            self.ended_at
        ];
        Ok(tx.write(&PUT, row)?)
    }

    fn view(&self) -> ReplayView {
        ReplayView {
            state: self.phase,
            reason: self.reason.clone(),
            from: self.from.rfc3339(),
            to: self.to.rfc3339(),
            seq: self.place,
            until: self.until,
            sent: self.sent,
            left_out: self.left_out,
            tries: self.tries,
            begun_at: self.begun_at.rfc3339(),
            ended_at: self.ended_at.map(Wall::rfc3339),
        }
    }
}

/// The last replay of a client.
pub(crate) fn replay_of(tx: &mut dyn Tx, client: &str) -> OpResult<Option<ReplayView>> {
    Ok(State::find(tx, client)?.map(|state| state.view()))
}

/// What is left of a removed client.
pub(crate) fn forget(tx: &mut dyn Tx, client: &str) -> OpResult<()> {
    Ok(tx.write(&FORGET, args![client])?)
}
