//! Writes a batch to the archive: work of the program outside of any transaction.

use std::sync::mpsc::channel;

use base::{OpError, OpResult, Sql, Tx, WorkCall, args};
use kernel::{Kernel, Query};
use serde::Deserialize;

use crate::history::store::{row_of, try_of};
use crate::history::{Archives, Batch, HistoryRow, TryRow};

/// Its name.
pub const WRITE: &str = "sensors.history.write";
/// Time for everything: the archive's own bounds are shorter.
pub(super) const WRITE_MS: u64 = 240_000;
/// Rows that are read at once.
const PORTION: i64 = 2_000;
const PORTION_MAX: usize = 2_000;

pub(crate) static BATCH_HISTORY: Sql = Sql::new(
    "sensor_history.of_batch",
    "SELECT id, sensor_id, address, data, previous, changed, at, taken_at FROM sensor_history \
     WHERE batch = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
pub(crate) static BATCH_TRIES: Sql = Sql::new(
    "sensor_attempt.of_batch",
    "SELECT client_id, seq, number, at, status, latency_ms, error FROM sensor_attempt \
     WHERE batch = ?1 AND (client_id, seq, number) > (?2, ?3, ?4) ORDER BY client_id, seq, number LIMIT ?5",
);

static HISTORY: Query<(String, String), Vec<HistoryRow>> = Query::new("sensor.batch_history", history);
static TRIES: Query<(String, Option<TryRow>), Vec<TryRow>> = Query::new("sensor.batch_tries", tries);

#[derive(Deserialize)]
struct Param {
    batch: String,
}

/// Writes the batch that the call names and gives its name; blocks.
///
/// # Errors
/// It is not known to be written: why.
pub fn perform(kernel: &Kernel, call: &WorkCall) -> Result<String, String> {
    let Param { batch: name } = serde_json::from_str(&call.param).map_err(|error| error.to_string())?;
    let ns = kernel.namespace(&call.namespace).map_err(|error| error.to_string())?;
    let archive = kernel.common::<Archives>().get().ok_or("no archive is configured")?;
    let batch = gathered(kernel, &ns, &name).map_err(|error| error.to_string())?;
    let (tell, told) = channel();
    archive.write(&ns.place(), batch, Box::new(move |written| drop(tell.send(written))));
    match told.recv() {
        Ok(written) => written.map(|()| name).map_err(|error| error.to_string()),
        Err(_) => Err("the archive ended without an answer".into()),
    }
}

fn gathered(kernel: &Kernel, ns: &kernel::Namespace, name: &str) -> OpResult<Batch> {
    let mut batch = Batch { name: name.to_owned(), ..Batch::default() };
    loop {
        let last = batch.history.last().map(|row| row.id.to_string()).unwrap_or_default();
        let rows = ask(kernel, ns, &HISTORY, (name.to_owned(), last))?;
        let full = rows.len() == PORTION_MAX;
        batch.history.extend(rows);
        if !full {
            break;
        }
    }
    loop {
        let rows = ask(kernel, ns, &TRIES, (name.to_owned(), batch.tries.last().cloned()))?;
        let full = rows.len() == PORTION_MAX;
        batch.tries.extend(rows);
        if !full {
            return Ok(batch);
        }
    }
}

fn ask<I: Send + 'static, O: Send + 'static>(
    kernel: &Kernel,
    ns: &kernel::Namespace,
    query: &'static Query<I, O>,
    input: I,
) -> OpResult<O> {
    let (tell, told) = channel();
    kernel.read(ns, query, input, Box::new(move |result| drop(tell.send(result))));
    told.recv().unwrap_or_else(|_| Err(OpError::new(base::codes::XSTORE, "the store ended without an answer")))
}

fn history(tx: &mut dyn Tx, (batch, last): &(String, String)) -> OpResult<Vec<HistoryRow>> {
    Ok(tx.query(&BATCH_HISTORY, args![batch, last, PORTION], PORTION_MAX)?.iter().map(row_of).collect())
}

fn tries(tx: &mut dyn Tx, (batch, last): &(String, Option<TryRow>)) -> OpResult<Vec<TryRow>> {
    let (client, seq, number) = last.as_ref().map_or(("", 0, 0), |row| (row.client_id.as_str(), row.seq, row.number));
    let rows = tx.query(&BATCH_TRIES, args![batch, client, seq, number, PORTION], PORTION_MAX)?;
    Ok(rows.iter().map(try_of).collect())
}
