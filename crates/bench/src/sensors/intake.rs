//! Signals over HTTP, many in a request, one in a hundred of them a change.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::json;

use super::server::{signals, start};
use super::tell;
use crate::contest::{Effort, median};
use crate::documents::{ask_all, ask_json, drive};
use crate::report::{Figure, Unit};

pub const TITLE: &str = "signals over HTTP";
/// Connections, requests of each, and signals of a request.
const CLIENTS: usize = 4;
const REQUESTS: usize = 5;
const BATCHES: [usize; 3] = [1_000, 5_000, 10_000];
/// One in so many is a change.
const CHANGES: usize = 100;

/// Each size of request in turn, several rounds.
pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    let sensors = CLIENTS * REQUESTS * BATCHES[2];
    let server = start(&folder.join("intake"), sensors, &[])?;
    let first: Vec<_> = (0..sensors / 10_000).map(|part| batch(part, 10_000, false)).collect();
    ask_all(server.address, &first)?;
    let answer = ask_json(server.address, &batch(0, 1_000, true))?;
    ensure!(answer["accepted"] == 1_000 && answer["changed"] == 10, "{answer}");
    ask_json(server.address, &batch(0, 1_000, false))?;
    let mut found = BATCHES.map(|size| (size, vec![], vec![], vec![]));
    for _ in 0..effort.rounds {
        for (size, rates, cores, own) in &mut found {
            // Each connection has sensors of its own; what changed in its first turn changes back in the next.
            let parts = CLIENTS * REQUESTS;
            let requests: Vec<_> = (0..2 * parts).map(|at| batch(at % parts, *size, at < parts)).collect();
            let figures = drive(server.address, &server.processor(), &requests, CLIENTS, effort.side)?;
            rates.push(figures.rate * *size as f64);
            cores.push(figures.server_cores);
            own.push(figures.client_cores);
            // An odd number of turns leaves doors open.
            let close: Vec<_> = (0..parts).map(|part| batch(part, *size, false)).collect();
            ask_all(server.address, &close)?;
        }
    }
    for (size, rates, cores, own) in &found {
        let (rate, cores, own) = (median(rates), median(cores), median(own));
        println!(
            "  {size:>6} in a request {rate:>10.0} signals/s, {cores:.2} cores of the server, {own:.2} of the clients"
        );
        Figure::new(format!("signals over HTTP, {size} in a request"), Unit::PerSecond)
            .side("ours", rates)
            .goal(100_000.0)
            .tell();
        tell(
            TITLE,
            &json!({ "batch": size, "signals_per_s": rate, "rounds": rates, "cores": cores, "client_cores": own }),
        );
    }
    Ok(())
}

fn batch(part: usize, size: usize, changes: bool) -> Vec<u8> {
    signals((part * size..(part + 1) * size).map(|number| (number, !(changes && number % CHANGES == 0))))
}
