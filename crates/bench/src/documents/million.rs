//! Memory with a million documents: after they came, and while they are read and changed here and there.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

use super::drive::drive;
use super::ours::Ours;
use super::peers;
use super::pocketbase::{Durability, PocketBase};
use super::side::{Contact, Side};
use crate::contest::Effort;
use crate::report::{Figure, Unit};

const TITLE: &str = "memory with a million documents";
const MILLION: usize = 1_000_000;
/// Documents of one portion of the load.
const PORTION: usize = 32_000;
/// Requests prepared for reading and changing.
const REQUESTS: usize = 100_000;

/// Runs it if it is wanted.
pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    if !TITLE.contains(&effort.only) {
        return Ok(());
    }
    println!("\n{TITLE}");
    let ours = Ours::start(&folder.join("million"))?;
    show(&ours, "empty")?;
    let begun = Instant::now();
    for from in (0..MILLION).step_by(PORTION) {
        ours.load_many(from, PORTION.min(MILLION - from))?;
    }
    let rate = MILLION as f64 / begun.elapsed().as_secs_f64();
    show(&ours, &format!("loaded over HTTP, 32 with a commit: {rate:.0}/s"))?;
    work(effort, &ours)?;
    drop(ours);
    match peers::pocketbase() {
        Ok(program) => {
            let home = folder.join("million-pocketbase");
            drop(PocketBase::start(&program, &home, Durability::Default)?);
            fill(&home.join("data/data.db"))?;
            let peer = PocketBase::open(&program, &home, Durability::Default)?;
            show(&peer, "started, with rows put into its file")?;
            work(effort, &peer)
        }
        Err(error) => {
            println!("PocketBase: not run, PyPI gives none: {error:#}");
            Ok(())
        }
    }
}

/// Its own batches take many minutes for a million.
fn fill(file: &Path) -> Result<()> {
    let mut database = rusqlite::Connection::open(file)?;
    let transaction = database.transaction()?;
    let mut insert =
        transaction.prepare("INSERT INTO contacts (id, name, city, age, note) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for number in 0..MILLION {
        let contact = Contact { number, turn: 0 };
        let json: serde_json::Value = serde_json::from_str(&contact.json())?;
        let text = |name: &str| json[name].as_str().context("a text").map(str::to_owned);
        let row = (contact.id(), text("name")?, text("city")?, json["age"].as_i64(), text("note")?);
        insert.execute(row)?;
    }
    drop(insert);
    Ok(transaction.commit()?)
}

fn work(effort: &Effort, side: &dyn Side) -> Result<()> {
    let spread = |at: usize| Contact { number: at * 7_919 % MILLION, turn: 1 };
    let reads: Vec<_> = (0..REQUESTS).map(|at| side.read(&spread(at))).collect();
    let changes: Vec<_> = (0..REQUESTS).map(|at| side.change(&spread(at))).collect();
    for (what, requests) in [("reads", reads), ("changes", changes)] {
        let process = side.process();
        let figures = drive(process.address, &process.processor(), &requests, 64, 3 * effort.side)?;
        show(side, &format!("{what} of any of them, 64 clients: {:.0}/s, p99 {:.1} ms", figures.rate, figures.p99_ms))?;
    }
    Ok(())
}

fn show(side: &dyn Side, when: &str) -> Result<()> {
    let memory = side.process().memory()?;
    let (resident, highest) = (memory.resident_mib, memory.highest_mib);
    let kind = when.split(':').next().unwrap_or(when);
    Figure::new(format!("{TITLE}, {kind} ({})", side.name()), Unit::Mebibytes).side(side.name(), &[resident]).tell();
    println!("  {:<28}{resident:>6.0} MiB resident, {highest:>6.0} highest: {when}", side.name());
    Ok(())
}
