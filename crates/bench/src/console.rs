//! `bench console`: how long every page of the console takes with 100,000 rows of each kind behind it (CON-2, CON-8). The goal is
//! 200 ms; there is no peer to compare with, so the same requests with empty lists run first.

use std::time::Duration;

use anyhow::Result;

use crate::contest::Effort;
use crate::disk::print_sync_time;
use crate::documents::{Ours, Side, ask_all, drive, request};

/// Rows of each kind.
const ROWS: usize = 100_000;
/// Requests that are made in one go.
const PORTION: usize = 10_000;

/// Pages, as a person comes across them; `{task}` is one of the tasks.
const PAGES: [&str; 20] = [
    "",
    "?span=24h",
    "?span=7d",
    "tasks",
    "tasks?state=parked",
    "tasks?state=running",
    "tasks?op=report.7",
    "tasks?info=nothing-like-this",
    "tasks?retry=1",
    "queues",
    "stuck",
    "journal",
    "journal?kind=key.created",
    "journal?q=nothing-like-this",
    "alerts",
    "keys",
    "counters",
    "documents",
    "documents/Contact",
    "documents/Contact?prefix=000001",
];

/// Loads rows and asks for every page, before and after.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    let ours = Ours::start(&folder.join("ours"))?;
    let empty = times(&ours, effort)?;
    load(&ours)?;
    let full = times(&ours, effort)?;
    println!("\n{:<40} {:>12} {:>12} {:>12}", "page", "empty p50", "100,000 p50", "p99 (ms)");
    for ((page, empty), full) in PAGES.iter().zip(&empty).zip(&full) {
        println!("{:<40} {:>12.1} {:>12.1} {:>12.1}", format!("/console/main/{page}"), empty.0, full.0, full.1);
    }
    print_sync_time(&folder)
}

/// Middle and slow times of each page, in milliseconds.
fn times(ours: &Ours, effort: &Effort) -> Result<Vec<(f64, f64)>> {
    let key = format!("Bearer {}", ours.key());
    let process = ours.process();
    let time = effort.side.min(Duration::from_secs(2));
    let one = |page: &&str| {
        let asked = [request("GET", &format!("/console/main/{page}"), &key, "")];
        let figures = drive(process.address, &process.processor(), &asked, 1, time)?;
        Ok((figures.p50_ms, figures.p99_ms))
    };
    PAGES.iter().map(one).collect()
}

/// Tasks that start next year, keys (each with a line of the journal), documents.
fn load(ours: &Ours) -> Result<()> {
    let key = format!("Bearer {}", ours.key());
    let task = |number: usize| {
        let (op, info) = (number % 50, number);
        let body = format!(
            r#"{{"op":"report.{op}","info":"night {info}","target":"https://erp.example/","start_at":"2099-01-01T00:00:00Z"}}"#
        );
        request("POST", "/v1/main/tasks", &key, &body)
    };
    let made = |number: usize| {
        let body = format!(r#"{{"role":"app","label":"phone {number}"}}"#);
        request("POST", "/v1/main/keys", &key, &body)
    };
    for from in (0..ROWS).step_by(PORTION) {
        let numbers = from..from + PORTION;
        let requests: Vec<_> = numbers.clone().map(task).chain(numbers.map(made)).collect();
        ask_all(ours.process().address, &requests)?;
        ours.load_many(from, PORTION)?;
    }
    println!("loaded {ROWS} tasks, keys, lines of the journal and documents");
    Ok(())
}
