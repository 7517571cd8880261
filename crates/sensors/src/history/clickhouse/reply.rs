//! Answers of ClickHouse: one JSON object per line.

use base::{Id, Wall};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::history::row::{HistoryRow, TryRow};

#[derive(Deserialize)]
struct HistoryLine {
    id: Id,
    sensor_id: String,
    address: String,
    data: i64,
    previous: Option<i64>,
    changed: u8,
    at: i64,
    taken_at: i64,
}

#[derive(Deserialize)]
struct TryLine {
    client_id: String,
    seq: i64,
    number: i64,
    at: i64,
    status: Option<i64>,
    latency_ms: Option<i64>,
    error: Option<String>,
}

pub(super) fn history(body: &[u8]) -> Result<Vec<HistoryRow>, String> {
    let row = |line: HistoryLine| {
        let HistoryLine { id, sensor_id, address, data, previous, changed, at, taken_at } = line;
        let (at, taken_at) = (Wall(at), Wall(taken_at));
        HistoryRow { id, sensor_id, address, data, previous, changed: changed == 1, at, taken_at }
    };
    lines(body, row)
}

pub(super) fn tries(body: &[u8]) -> Result<Vec<TryRow>, String> {
    let row = |line: TryLine| {
        let TryLine { client_id, seq, number, at, status, latency_ms, error } = line;
        TryRow { client_id, seq, number, at: Wall(at), status, latency_ms, error }
    };
    lines(body, row)
}

/// A line that is none ends it: an answer that broke off must not look like a shorter one.
fn lines<L: DeserializeOwned, T>(body: &[u8], row: impl Fn(L) -> T) -> Result<Vec<T>, String> {
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read =
        |line| serde_json::from_slice(line).map(&row).map_err(|error| format!("an answer of another form: {error}"));
    lines.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_11_an_answer_that_broke_off_is_a_fault() {
        let line = r#"{"id":"01K00000000000000000000000","sensor_id":"a","address":"b","data":1,"previous":null,"changed":1,"at":5,"taken_at":6}"#;
        assert_eq!(history(format!("{line}\n{line}\n").as_bytes()).unwrap().len(), 2);
        assert!(history(format!("{line}\n{}", &line[..40]).as_bytes()).is_err());
        assert!(history(format!("{line}\nCode: 241. DB::Exception: memory").as_bytes()).is_err());
        assert_eq!(tries(b"").unwrap(), []);
    }
}
