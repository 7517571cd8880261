//! A million sensors that are watched for silence: what the server's memory is after all of them spoke.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use super::server::{KEY, sensor, signals, start};
use super::tell;
use crate::contest::Effort;
use crate::documents::{Process, ask_all};
use crate::report::{Figure, Unit};

pub const TITLE: &str = "a million sensors";
const MILLION: usize = 1_000_000;
/// 300 MB.
const MEMORY_GOAL_MIB: f64 = 286.0;
const BATCH: usize = 10_000;

/// Before they spoke, after, and after they spoke with ids of their own.
pub fn run(_: &Effort, folder: &Path) -> Result<()> {
    let server = start(&folder.join("million"), MILLION, &[])?;
    show(&server, "before they spoke")?;
    let plain = |from: usize| signals((from..from + BATCH).map(|number| (number, true)));
    let rate = send(&server, plain)?;
    show(&server, &format!("all spoke once, {rate:.0}/s: every one read from the store"))?;
    let rate = send(&server, plain)?;
    show(&server, &format!("all spoke again, {rate:.0}/s"))?;
    let rate = send(&server, with_ids)?;
    show(&server, &format!("all spoke with a time and an id, {rate:.0}/s"))
}

fn send(server: &Process, request: impl Fn(usize) -> Vec<u8>) -> Result<f64> {
    let begun = Instant::now();
    for from in (0..MILLION).step_by(10 * BATCH) {
        let requests: Vec<_> = (0..10).map(|part| request(from + part * BATCH)).collect();
        ask_all(server.address, &requests)?;
    }
    Ok(MILLION as f64 / begun.elapsed().as_secs_f64())
}

fn with_ids(from: usize) -> Vec<u8> {
    let line = |number: usize| {
        format!(
            "{{\"sensor_id\":\"{}\",\"data\":1,\"at\":\"2026-11-01T00:00:00Z\",\"id\":\"m{number}\"}}\n",
            sensor(number)
        )
    };
    let lines: String = (from..from + BATCH).map(line).collect();
    let head = format!(
        "POST /v1/main/signals HTTP/1.1\r\nhost: b\r\nauthorization: Bearer {KEY}\r\ncontent-type: application/x-ndjson\r\n"
    );
    format!("{head}content-length: {}\r\n\r\n{lines}", lines.len()).into_bytes()
}

fn show(server: &Process, when: &str) -> Result<()> {
    let memory = server.memory()?;
    let (resident, highest) = (memory.resident_mib, memory.highest_mib);
    println!("  {resident:>6.0} MiB resident, {highest:>6.0} highest: {when}");
    Figure::new(format!("memory with a million sensors, {when}"), Unit::Mebibytes)
        .side("ours", &[resident])
        .goal(MEMORY_GOAL_MIB)
        .tell();
    tell(TITLE, &json!({ "when": when, "resident_mib": resident, "highest_mib": highest }));
    Ok(())
}
