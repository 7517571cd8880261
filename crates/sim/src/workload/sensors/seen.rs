//! What is committed of sensors, in the judge's own words.

use std::collections::BTreeMap;

use base::{Row, Sql, StoreResult, Tx, args};
use sensors::history::{HistoryRow, TryRow};

use crate::archive::SimArchive;

/// A sensor as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Sensor {
    pub(super) data: Option<bool>,
    pub(super) changes: i64,
    pub(super) lost: bool,
}

/// A row of history: what changed to what, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Past {
    pub(super) id: String,
    pub(super) sensor: String,
    pub(super) data: bool,
    pub(super) previous: Option<bool>,
    pub(super) at: i64,
}

/// A try to tell a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Try {
    pub(super) client: String,
    pub(super) seq: i64,
    pub(super) number: i64,
    pub(super) at: i64,
    pub(super) status: Option<i64>,
    pub(super) error: Option<String>,
}

impl Try {
    /// Whether its outcome is written.
    pub(super) fn has_ended(&self) -> bool {
        self.status.is_some() || self.error.is_some()
    }
}

/// An event as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) client: String,
    pub(super) seq: i64,
    pub(super) sensor: String,
    pub(super) kind: String,
    pub(super) what: String,
    pub(super) body: String,
    pub(super) state: String,
    pub(super) tries: i64,
    pub(super) superseded_by: Option<i64>,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Committed {
    pub(super) sensors: BTreeMap<String, Sensor>,
    /// In the store or in the archive, in order.
    pub(super) history: Vec<Past>,
    pub(super) events: Vec<Event>,
    /// In the store or in the archive.
    pub(super) tries: Vec<Try>,
    /// What the archive has otherwise than the store.
    pub(super) differs: Option<String>,
}

static SENSORS: Sql =
    Sql::new("sim.sensors", "SELECT id, data, changes, lost_since IS NOT NULL FROM sensor ORDER BY id LIMIT 1000");
static HISTORY: Sql = Sql::new(
    "sim.sensor_history",
    "SELECT id, sensor_id, data, previous, at FROM sensor_history WHERE changed = 1 ORDER BY sensor_id, at, id LIMIT 9000",
);
static TRIES: Sql = Sql::new(
    "sim.sensor_tries",
    "SELECT client_id, seq, number, at, status, error FROM sensor_attempt ORDER BY client_id, seq, number LIMIT 30000",
);
static EVENTS: Sql = Sql::new(
    "sim.sensor_events",
    "SELECT client_id, seq, sensor_id, kind, type, body, state, tries, superseded_by FROM sensor_event \
     ORDER BY client_id, seq LIMIT 9000",
);
static COUNTS: Sql = Sql::new(
    "sim.sensor_counts",
    "SELECT (SELECT COUNT(*) FROM sensor_event WHERE state = 'waiting'), \
     (SELECT COUNT(*) FROM task WHERE op = 'sensor.notify'), (SELECT COUNT(*) FROM sensor_event), \
     (SELECT COUNT(*) FROM sensor_history), (SELECT COALESCE(SUM(tries), 0) FROM sensor_event), \
     (SELECT COUNT(*) FROM sensor_attempt WHERE status IS NOT NULL OR error IS NOT NULL), \
     (SELECT COUNT(*) FROM sensor_outbox)",
);

/// Numbers that differ whenever history, events or tries do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Events that wait.
    pub(super) waiting: i64,
    /// Tasks that tell.
    pub(super) tasks: i64,
    events: i64,
    history: i64,
    tries: i64,
    tries_ended: i64,
    batches: i64,
}

impl Counts {
    /// What is still to be moved to an archive.
    pub(super) fn unmoved(&self) -> i64 {
        self.history + self.tries_ended + self.batches
    }
}

/// How many there are of everything.
pub(super) fn counts(tx: &mut dyn Tx) -> StoreResult<Counts> {
    let row = tx.query_one(&COUNTS, args![])?;
    let counts = |row: Row| Counts {
        waiting: row.int(0),
        tasks: row.int(1),
        events: row.int(2),
        history: row.int(3),
        tries: row.int(4),
        tries_ended: row.int(5),
        batches: row.int(6),
    };
    Ok(row.map_or(Counts::default(), counts))
}

/// The sensors.
pub(super) fn sensors(tx: &mut dyn Tx) -> StoreResult<BTreeMap<String, Sensor>> {
    let sensor = |row: &Row| {
        let data = row.opt_int(1).map(|data| data == 1);
        (row.text(0).to_owned(), Sensor { data, changes: row.int(2), lost: row.int(3) == 1 })
    };
    Ok(tx.query(&SENSORS, args![], 1_000)?.iter().map(sensor).collect())
}

fn past(row: &Row) -> Past {
    Past {
        id: row.text(0).to_owned(),
        sensor: row.text(1).to_owned(),
        data: row.int(2) == 1,
        previous: row.opt_int(3).map(|data| data == 1),
        at: row.int(4),
    }
}

fn attempt(row: &Row) -> Try {
    Try {
        client: row.text(0).to_owned(),
        seq: row.int(1),
        number: row.int(2),
        at: row.int(3),
        status: row.opt_int(4),
        error: row.opt_text(5).map(str::to_owned),
    }
}

fn event(row: &Row) -> Event {
    Event {
        client: row.text(0).to_owned(),
        seq: row.int(1),
        sensor: row.text(2).to_owned(),
        kind: row.text(3).to_owned(),
        what: row.text(4).to_owned(),
        body: row.text(5).to_owned(),
        state: row.text(6).to_owned(),
        tries: row.int(7),
        superseded_by: row.opt_int(8),
    }
}

/// Everything, wherever it lies.
pub(super) fn committed(tx: &mut dyn Tx, archive: Option<&SimArchive>) -> StoreResult<Committed> {
    let mut now = Committed {
        sensors: sensors(tx)?,
        history: tx.query(&HISTORY, args![], 9_000)?.iter().map(past).collect(),
        events: tx.query(&EVENTS, args![], 9_000)?.iter().map(event).collect(),
        tries: tx.query(&TRIES, args![], 30_000)?.iter().map(attempt).collect(),
        differs: None,
    };
    archive.iter().for_each(|archive| now.join(archive));
    Ok(now)
}

impl Committed {
    /// What the archive has too.
    fn join(&mut self, archive: &SimArchive) {
        let mut rows: BTreeMap<String, Past> = self.history.drain(..).map(|past| (past.id.clone(), past)).collect();
        for moved in archive.rows().iter().filter(|row| row.changed).map(moved_past) {
            let here = rows.entry(moved.id.clone()).or_insert_with(|| moved.clone());
            if *here != moved {
                self.differs = Some(format!("the store has {here:?}, the archive {moved:?}"));
            }
        }
        self.history = rows.into_values().collect();
        self.history.sort_by(|one, other| (&one.sensor, one.at, &one.id).cmp(&(&other.sensor, other.at, &other.id)));
        let key = |one: &Try| (one.client.clone(), one.seq, one.number, one.at);
        let mut tries: BTreeMap<_, Try> = self.tries.drain(..).map(|one| (key(&one), one)).collect();
        for moved in archive.all_tries().iter().map(moved_try) {
            let here = tries.entry(key(&moved)).or_insert_with(|| moved.clone());
            if *here != moved {
                self.differs = Some(format!("the store has {here:?}, the archive {moved:?}"));
            }
        }
        self.tries = tries.into_values().collect();
    }
}

fn moved_past(row: &HistoryRow) -> Past {
    let (id, sensor) = (row.id.to_string(), row.sensor_id.clone());
    Past { id, sensor, data: row.data == 1, previous: row.previous.map(|data| data == 1), at: row.at.0 }
}

fn moved_try(row: &TryRow) -> Try {
    let TryRow { client_id, seq, number, at, status, error, .. } = row.clone();
    Try { client: client_id, seq, number, at: at.0, status, error }
}
