//! The tables, and what is said of them.

use serde::Serialize;

use super::client::Ask;
use super::text::quoted;
use crate::history::archive::Batch;
use crate::history::question::{Question, Tries};
use crate::history::row::{HistoryRow, TryRow};
use crate::id::SensorId;

/// Tries that are read at once.
const TRIES_MAX: usize = 50_000;

/// Which of our tables are there, and which settings the server knows.
pub(super) const FACTS: &str = "SELECT name FROM system.tables \
    WHERE database = currentDatabase() AND name IN ('sensor_history', 'sensor_attempt') \
    UNION ALL SELECT name FROM system.settings WHERE name = 'insert_deduplication_token' \
    UNION ALL SELECT name FROM system.merge_tree_settings \
    WHERE name IN ('non_replicated_deduplication_window', 'fsync_after_insert', 'fsync_part_directory') \
    FORMAT TabSeparated";

/// Moments are milliseconds since 1970. `namespace` is the place of one life of a namespace. Parts are by the month in which we took
/// rows in, so that what is old can be dropped by partition, and no time that a sensor claims can spread one insert over too many.
const HISTORY: &str = "CREATE TABLE IF NOT EXISTS sensor_history (\
    namespace String, sensor_id String, at Int64, id String, address String, data UInt8, previous Nullable(UInt8), \
    changed UInt8, taken_at Int64) \
    ENGINE = ReplacingMergeTree() PARTITION BY toYYYYMM(toDateTime(intDiv(taken_at, 1000))) \
    ORDER BY (namespace, sensor_id, at, id)";

const TRIES: &str = "CREATE TABLE IF NOT EXISTS sensor_attempt (\
    namespace String, client_id String, seq Int64, number Int64, at Int64, status Nullable(Int64), \
    latency_ms Nullable(Int64), error Nullable(String)) \
    ENGINE = ReplacingMergeTree() PARTITION BY toYYYYMM(toDateTime(intDiv(at, 1000))) \
    ORDER BY (namespace, client_id, seq, number, at)";

/// What the server said of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known(Vec<String>);

impl Known {
    /// From the answer to [`FACTS`].
    pub(super) fn of(body: &[u8]) -> Self {
        Self(String::from_utf8_lossy(body).lines().map(str::to_owned).collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }

    /// Settings of a table, where the server knows them: what was answered is on the disk, and the last batches are known by
    /// their names.
    fn table_settings(&self) -> String {
        let wanted =
            [("non_replicated_deduplication_window", 100), ("fsync_after_insert", 1), ("fsync_part_directory", 1)];
        let known = wanted.iter().filter(|(name, _)| self.has(name)).map(|(name, value)| format!("{name} = {value}"));
        let known: Vec<String> = known.collect();
        if known.is_empty() { String::new() } else { format!(" SETTINGS {}", known.join(", ")) }
    }
}

/// Makes the tables that are not there.
pub(super) fn creations(known: &Known) -> Vec<Ask> {
    let tables = [("sensor_history", HISTORY), ("sensor_attempt", TRIES)];
    let missing = tables.iter().filter(|(name, _)| !known.has(name));
    missing.map(|(_, text)| Ask::making(format!("{text}{}", known.table_settings()))).collect()
}

#[derive(Serialize)]
struct HistoryLine<'a> {
    namespace: &'a str,
    sensor_id: &'a str,
    at: i64,
    id: String,
    address: &'a str,
    data: i64,
    previous: Option<i64>,
    changed: u8,
    taken_at: i64,
}

#[derive(Serialize)]
struct TryLine<'a> {
    namespace: &'a str,
    client_id: &'a str,
    seq: i64,
    number: i64,
    at: i64,
    status: Option<i64>,
    latency_ms: Option<i64>,
    error: Option<&'a str>,
}

/// Writes a batch.
pub(super) fn inserts(place: &str, batch: &Batch, known: &Known) -> Vec<Ask> {
    let history = lines(batch.history.iter().map(|row| history_line(place, row)));
    let tries = lines(batch.tries.iter().map(|row| try_line(place, row)));
    let tables = [("sensor_history", history), ("sensor_attempt", tries)];
    let token =
        |table: &str| known.has("insert_deduplication_token").then(|| format!("{place} {} {table}", batch.name));
    let filled = tables.into_iter().filter(|(_, rows)| !rows.is_empty());
    let insert = |table: &str| format!("INSERT INTO {table} FORMAT JSONEachRow");
    filled.map(|(table, rows)| Ask::inserting(insert(table), rows, token(table))).collect()
}

fn lines<T: Serialize>(rows: impl Iterator<Item = T>) -> Vec<u8> {
    rows.fold(Vec::new(), |mut text, row| {
        // Nothing in a row can fail to be written.
        text.extend(serde_json::to_vec(&row).unwrap_or_default());
        text.push(b'\n');
        text
    })
}

fn history_line<'a>(namespace: &'a str, row: &'a HistoryRow) -> HistoryLine<'a> {
    let HistoryRow { id, sensor_id, address, data, previous, changed, at, taken_at } = row;
    let (at, taken_at, changed) = (at.0, taken_at.0, u8::from(*changed));
    HistoryLine {
        namespace,
        sensor_id,
        at,
        id: id.to_string(),
        address,
        data: *data,
        previous: *previous,
        changed,
        taken_at,
    }
}

fn try_line<'a>(namespace: &'a str, row: &'a TryRow) -> TryLine<'a> {
    let TryRow { client_id, seq, number, at, status, latency_ms, error } = row;
    let (at, error) = (at.0, error.as_deref());
    TryLine { namespace, client_id, seq: *seq, number: *number, at, status: *status, latency_ms: *latency_ms, error }
}

/// Reads rows of history, newest first.
pub(super) fn history(place: &str, question: &Question, sensors: &[SensorId]) -> String {
    let (at, id) = question.below();
    let mut wanted =
        vec![format!("namespace = {}", quoted(place)), format!("(at < {at} OR (at = {at} AND id < {}))", quoted(&id))];
    wanted.extend(question.from.map(|from| format!("at >= {}", from.0)));
    if !sensors.is_empty() {
        let names: Vec<String> = sensors.iter().map(|sensor| quoted(sensor.as_str())).collect();
        wanted.push(format!("sensor_id IN ({})", names.join(", ")));
    }
    if !question.address.is_empty() {
        wanted.push(format!("startsWith(address, {})", quoted(&question.address)));
    }
    format!(
        "SELECT id, sensor_id, address, data, previous, changed, at, taken_at FROM sensor_history WHERE {} \
         ORDER BY at DESC, id DESC LIMIT 1 BY at, id LIMIT {} FORMAT JSONEachRow",
        wanted.join(" AND "),
        question.limit
    )
}

/// Reads tries, in order of event and number.
pub(super) fn tries(place: &str, tries: &Tries) -> String {
    format!(
        "SELECT client_id, seq, number, at, status, latency_ms, error FROM sensor_attempt \
         WHERE namespace = {} AND client_id = {} AND seq >= {} AND seq <= {} \
         ORDER BY seq, number, at LIMIT 1 BY seq, number, at LIMIT {TRIES_MAX} FORMAT JSONEachRow",
        quoted(place),
        quoted(&tries.client_id),
        tries.first_seq,
        tries.last_seq
    )
}
