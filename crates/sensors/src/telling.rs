//! What clients are to be told (SEN-4, SEN-9): an event for each, under its own running number, and a row for what is still to be sent.
//!
//! An older event of the same sensor, client and kind that still waits is superseded in the same commit. One that is being sent just
//! now is left to its call: the newer one follows when that has ended, so that nobody gets the older after the newer. What waited behind
//! the superseded one, of the other kind, now comes before the newer.

use std::collections::BTreeMap;

use base::mutants::{self, Mutant};
use base::{Heard, Id, OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use kernel::{NewTask, OpCx};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::announce;
use crate::id::SensorId;
use crate::judging::SensorRow;
use crate::limits::CLIENTS_PER_SENSOR_MAX;
use crate::notify::{DROP_NOTICE, END_EVENT, NOTIFY, Told, wake_next};
use crate::signal::Signal;

/// What kinds of notices there are: each supersedes its own only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Open or closed.
    State,
    /// Lost or restored.
    Contact,
    /// Many lost at once, told together (SEN-13); never superseded.
    Group,
}

impl Kind {
    /// The word in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Contact => "contact",
            Self::Group => "group",
        }
    }
}

/// Something that happened to a sensor, for all its clients.
#[derive(Debug, Clone)]
pub(crate) struct Telling {
    pub(crate) sensor: SensorId,
    pub(crate) kind: Kind,
    pub(crate) what: &'static str,
    pub(crate) at: Wall,
    /// What is told of it, beside the running number.
    pub(crate) data: Map<String, Value>,
    /// How many clients there are to tell.
    pub(crate) clients: usize,
    pub(crate) to: Vec<Listener>,
}

/// A client that is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listener {
    pub(crate) id: String,
    pub(crate) disabled: bool,
    /// From so many on they are told together; 0: never.
    pub(crate) group_lost: usize,
}

pub(crate) static LISTENERS: Sql = Sql::new(
    "sensor_link.listeners",
    "SELECT c.id, c.state, c.group_lost FROM sensor_link l JOIN sensor_client c ON c.id = l.client_id \
     WHERE l.sensor_id = ?1 ORDER BY c.id",
);
pub(crate) static NEXT_SEQ: Sql =
    Sql::new("sensor_client.next_seq", "UPDATE sensor_client SET seq = seq + ?2 WHERE id = ?1 RETURNING seq");
pub(crate) static PUT_EVENT: Sql = Sql::new(
    "sensor_event.put",
    "INSERT INTO sensor_event (client_id, seq, id, sensor_id, kind, type, body, at, state, tries, ended_at, ended) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10, ?11)",
);
pub(crate) static SUPERSEDE: Sql = Sql::new(
    "sensor_event.supersede",
    "UPDATE sensor_event SET state = 'superseded', ended_at = ?3, superseded_by = ?4, ended = ?5 \
     WHERE client_id = ?1 AND seq = ?2 AND state = 'waiting'",
);
pub(crate) static GET_NOTICE: Sql = Sql::new(
    "sensor_notice.get",
    "SELECT seq, tries, next_at, skipped, sending, holder, begun FROM sensor_notice \
     WHERE sensor_id = ?1 AND client_id = ?2 AND kind = ?3",
);
pub(crate) static PUT_NOTICE: Sql = Sql::new(
    "sensor_notice.put",
    "INSERT INTO sensor_notice (sensor_id, client_id, kind, seq, tries, next_at, skipped, sending, holder, begun) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (sensor_id, client_id, kind) \
     DO UPDATE SET seq = ?4, tries = ?5, next_at = ?6, skipped = ?7, sending = ?8, holder = ?9, begun = ?10",
);

/// What is still to be told of a sensor to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Which event.
    pub(crate) seq: i64,
    pub(crate) tries: i64,
    /// When it is to be tried next.
    pub(crate) next_at: Heard,
    /// Events that were superseded before anybody was told of them.
    pub(crate) skipped: i64,
    /// What is being sent just now.
    pub(crate) sending: Option<Sending>,
}

/// An event on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sending {
    pub(crate) seq: i64,
    pub(crate) holder: Id,
    pub(crate) begun: Heard,
}

impl Notice {
    pub(crate) fn of(row: &Row) -> Self {
        let sending = row.opt_int(4).map(|seq| Sending { seq, holder: row.id(5), begun: Heard(row.int(6)) });
        Self { seq: row.int(0), tries: row.int(1), next_at: Heard(row.int(2)), skipped: row.int(3), sending }
    }

    pub(crate) fn save(&self, tx: &mut dyn Tx, told: &Told) -> OpResult<()> {
        let Self { seq, tries, next_at, skipped, sending } = self;
        let holder = sending.as_ref().map(|sending| sending.holder);
        let (sent, begun) = (sending.as_ref().map(|on| on.seq), sending.as_ref().map(|on| on.begun));
        let key = (&told.sensor, &told.client, told.kind.word());
        let row = args![key.0, key.1, key.2, *seq, *tries, *next_at, *skipped, sent, holder, begun];
        Ok(tx.write(&PUT_NOTICE, row)?)
    }
}

impl Telling {
    /// The door is not as it was.
    pub(crate) fn changed(
        tx: &mut dyn Tx,
        cx: &OpCx<'_>,
        sensor: &SensorRow,
        signal: &Signal,
        previous: Option<bool>,
    ) -> OpResult<Self> {
        let what = if signal.closed { "sensor.closed" } else { "sensor.opened" };
        let at = signal.at.unwrap_or(cx.wall);
        let mut told = Self::of(tx, sensor, Kind::State, what, at)?;
        told.data.insert("previous".into(), previous.map(i64::from).into());
        Ok(told)
    }

    /// It was lost and speaks again.
    pub(crate) fn restored(tx: &mut dyn Tx, cx: &OpCx<'_>, sensor: &SensorRow) -> OpResult<Self> {
        Self::of(tx, sensor, Kind::Contact, "sensor.restored", cx.wall)
    }

    /// It fell silent.
    pub(crate) fn lost(tx: &mut dyn Tx, cx: &OpCx<'_>, sensor: &SensorRow) -> OpResult<Self> {
        let mut told = Self::of(tx, sensor, Kind::Contact, "sensor.lost", cx.wall)?;
        told.data.insert("silence_s".into(), (sensor.silence_ms / 1_000).into());
        Ok(told)
    }

    fn of(tx: &mut dyn Tx, sensor: &SensorRow, kind: Kind, what: &'static str, at: Wall) -> OpResult<Self> {
        let rows = tx.query(&LISTENERS, args![sensor.id.as_str()], CLIENTS_PER_SENSOR_MAX)?;
        let to: Vec<Listener> = rows.iter().map(Listener::of).collect();
        let data = json!({
            "sensor_id": sensor.id.as_str(), "address": &sensor.address,
            "data": sensor.state.closed.map(i64::from), "sensor_seq": sensor.changes,
        });
        let Value::Object(data) = data else { unreachable!("an object was written") };
        Ok(Self { sensor: sensor.id, kind, what, at, data, clients: to.len(), to })
    }
}

impl Listener {
    fn of(row: &Row) -> Self {
        let group_lost = usize::try_from(row.int(2)).unwrap_or(0);
        Self { id: row.text(0).to_owned(), disabled: row.text(1) == "disabled", group_lost }
    }
}

/// Writes down what clients are to be told, and wishes that somebody tells them.
pub(crate) fn tell(tx: &mut dyn Tx, cx: &mut OpCx<'_>, tellings: &[Telling]) -> OpResult<()> {
    let mut of_clients: BTreeMap<&str, Vec<(&Telling, bool)>> = BTreeMap::new();
    for telling in tellings {
        for listener in &telling.to {
            of_clients.entry(&listener.id).or_default().push((telling, listener.disabled));
        }
    }
    for (client, events) in of_clients {
        let many = i64::try_from(events.len()).unwrap_or(i64::MAX);
        // A client that is deleted just now has nothing to be told.
        let Some(row) = tx.query_one(&NEXT_SEQ, args![client, many])? else { continue };
        for (seq, (telling, disabled)) in (row.int(0) - many + 1..).zip(events) {
            tell_one(tx, cx, client, seq, telling, disabled)?;
        }
    }
    Ok(())
}

fn tell_one(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    client: &str,
    seq: i64,
    telling: &Telling,
    disabled: bool,
) -> OpResult<()> {
    let told = Told::new(telling, client, seq);
    let before = if telling.kind == Kind::Group { None } else { told.notice(tx)? };
    // What follows one that is being sent just now is decided when that has ended.
    let disabled = disabled && before.as_ref().is_none_or(|notice| notice.sending.is_none());
    let skipped = before.as_ref().filter(|notice| notice.waits()).map_or(0, |notice| notice.skipped + 1);
    put_event(tx, cx, &told, seq, telling, (disabled, skipped))?;
    if disabled {
        return before.map_or(Ok(()), |older| forget_notice(tx, cx, &told, &older, seq));
    }
    let superseded = before.as_ref().filter(|older| older.waits()).map(|older| older.seq);
    if let Some(older) = superseded {
        tx.write(&SUPERSEDE, args![client, older, cx.wall, seq, cx.heard])?;
    }
    let sending = before.and_then(|notice| notice.sending);
    let sending = sending.filter(|_| !mutants::on(Mutant::SensorOrderBroken));
    Notice { seq, tries: 0, next_at: cx.heard, skipped, sending }.save(tx, &told)?;
    wish(cx, &told);
    superseded.map_or(Ok(()), |older| wake_next(tx, cx, &told, older))
}

/// Nobody is told of what waits any more, because something newer came.
fn forget_notice(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told, older: &Notice, seq: i64) -> OpResult<()> {
    tx.write(&SUPERSEDE, args![&told.client, older.seq, cx.wall, seq, cx.heard])?;
    tx.write(&DROP_NOTICE, args![&told.sensor, &told.client, told.kind.word()])?;
    wake_next(tx, cx, told, older.seq)
}

/// A client has a sensor no more: what still waits to be told of it ends. What is being sent just now ends by itself.
pub(crate) fn unlink_notices(tx: &mut dyn Tx, cx: &OpCx<'_>, sensor: &str, client: &str) -> OpResult<()> {
    for kind in [Kind::State, Kind::Contact] {
        let told = Told { sensor: sensor.to_owned(), client: client.to_owned(), kind };
        if let Some(notice) = told.notice(tx)?.filter(|notice| notice.sending.is_none()) {
            tx.write(&END_EVENT, args![client, notice.seq, "unlinked", cx.wall, cx.heard])?;
            tx.write(&DROP_NOTICE, args![sensor, client, kind.word()])?;
        }
    }
    Ok(())
}

/// Wishes that somebody looks at what is to be told.
pub(crate) fn wish(cx: &mut OpCx<'_>, told: &Told) {
    let task = NewTask::new(cx.id(), NOTIFY.op).param(told.param()).info(told.sensor.clone());
    announce::wish(cx, task.unique(told.key()));
}

impl Notice {
    /// Whether its event waits: nobody is being told of it just now.
    fn waits(&self) -> bool {
        self.sending.as_ref().is_none_or(|sending| sending.seq != self.seq)
    }
}

/// What is sent, in the order in which a person reads it.
#[derive(Serialize)]
struct Body {
    #[serde(rename = "type")]
    what: &'static str,
    timestamp: String,
    version: u32,
    data: Map<String, Value>,
}

fn put_event(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    told: &Told,
    seq: i64,
    telling: &Telling,
    (disabled, skipped): (bool, i64),
) -> OpResult<()> {
    let mut data = telling.data.clone();
    data.insert("seq".into(), seq.into());
    if skipped > 0 {
        data.insert("skipped".into(), skipped.into());
    }
    let body = Body { what: telling.what, timestamp: telling.at.rfc3339(), version: 1, data };
    let body = serde_json::to_string(&body).map_err(|error| OpError::new(codes::BDETECTED, error.to_string()))?;
    let (id, sensor) = (format!("evt_{}", cx.id()), if telling.kind == Kind::Group { "" } else { &told.sensor });
    let (state, ended) = if disabled { ("disabled", Some((cx.wall, cx.heard))) } else { ("waiting", None) };
    let (ended_at, ended, kind) = (ended.map(|(wall, _)| wall), ended.map(|(_, heard)| heard), telling.kind.word());
    let row = args![&told.client, seq, &id, sensor, kind, telling.what, &body, telling.at, state, ended_at, ended];
    Ok(tx.write(&PUT_EVENT, row)?)
}
