//! Reads what the server left, without it, and compares it with what was acknowledged and what was heard.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use rusqlite::{Connection, OpenFlags};

use super::receiver::Heard;
use super::speakers::Speaker;
use crate::check::violation;

/// An event as it is stored.
pub(crate) struct Event {
    pub(crate) seq: i64,
    pub(crate) sensor: String,
    pub(crate) body: String,
    pub(crate) state: String,
    pub(crate) superseded_by: Option<i64>,
}

/// What the server left.
pub(crate) struct Left {
    /// Events of the client, by id.
    pub(crate) events: BTreeMap<String, Event>,
    /// Changes of each sensor in its history.
    pub(crate) history: BTreeMap<String, i64>,
}

impl Left {
    /// In a file of SQLite.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn in_file(store: &Path, client: &str) -> Result<Self> {
        let store = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut statement =
            store.prepare("SELECT sensor_id, COUNT(*) FROM sensor_history WHERE changed = 1 GROUP BY sensor_id")?;
        let history = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        Ok(Self { events: events(&store, client)?, history })
    }
}

/// Judges; tells how many events were sent.
///
/// # Errors
/// A promise was broken.
pub(crate) fn judge(left: &Left, heard: &[Heard], speakers: &[Speaker]) -> Result<usize> {
    let Left { events, history } = left;
    for (sensor, said) in speakers.iter().flat_map(|speaker| &speaker.said) {
        let history = history.get(sensor).copied().unwrap_or(0);
        let told = events.values().filter(|event| event.sensor == *sensor).count();
        let good = u64::try_from(history).ok() == Some(*said) && u64::try_from(told).ok() == Some(*said);
        let text = format!("{sensor}: {said} changes acknowledged, {history} in history, {told} events");
        ensure!(good, violation(text));
    }
    for (id, event) in events {
        let arrived = heard.iter().any(|heard| heard.id == *id);
        let good = match event.state.as_str() {
            "sent" => arrived,
            "superseded" => event.superseded_by.is_some_and(|newer| newer > event.seq),
            _ => false,
        };
        ensure!(good, violation(format!("event {} of {} ended as {}", event.seq, event.sensor, event.state)));
    }
    judge_heard(heard, events)?;
    Ok(events.values().filter(|event| event.state == "sent").count())
}

fn events(store: &Connection, client: &str) -> Result<BTreeMap<String, Event>> {
    let sql = "SELECT id, seq, sensor_id, body, state, superseded_by FROM sensor_event WHERE client_id = ?1 AND kind = 'state'";
    let mut statement = store.prepare(sql)?;
    let event = |row: &rusqlite::Row<'_>| {
        let (seq, sensor, body) = (row.get(1)?, row.get(2)?, row.get(3)?);
        Ok((row.get(0)?, Event { seq, sensor, body, state: row.get(4)?, superseded_by: row.get(5)? }))
    };
    Ok(statement.query_map([client], event)?.collect::<Result<_, _>>()?)
}

/// Each id is one event with one body, and of each sensor none comes for the first time after a newer one.
fn judge_heard(heard: &[Heard], events: &BTreeMap<String, Event>) -> Result<()> {
    let mut newest: BTreeMap<String, u64> = BTreeMap::new();
    for call in heard {
        let known = events.get(&call.id).is_some_and(|event| event.body == call.body);
        ensure!(known, violation(format!("{call:?} is no event, or has another body")));
        let (sensor, change) = call.change();
        let held = newest.entry(sensor).or_insert(change);
        ensure!(change >= *held, violation(format!("{call:?} came after change {held}")));
        *held = change;
    }
    Ok(())
}
