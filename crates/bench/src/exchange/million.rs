//! How long a start takes to be answered, with a batch of ten, when little waits and when a million messages do.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::Connection as Database;
use serde_json::json;
use tokio::runtime::Builder;

use super::message::database;
use super::ours::{Ours, Taker, store};
use crate::contest::Effort;
use crate::documents::Connection;
use crate::report::{Figure, Unit};
use crate::sensors::start_process;

pub const TITLE: &str = "a million messages wait";
/// Handshakes that are measured.
const BATCHES: usize = 200;

/// Messages are put into the server's file: sending a million is not what is measured.
pub fn run(_: &Effort, folder: &Path) -> Result<()> {
    println!("\n{TITLE}");
    for count in [2_500, 1_000_000] {
        let home = folder.join(format!("waiting-{count}"));
        let keys = {
            let ours = Ours::start(&home)?;
            ours.databases.clone()
        };
        put(&store(&home), count)?;
        let server = start_process(&home)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut waits = runtime.block_on(async {
            let connection = Connection::open(server.address).await?;
            let mut taker = Taker { connection, db: database(0), key: format!("Bearer {}", keys[0]) };
            let mut waits: Vec<Duration> = vec![];
            for _ in 0..BATCHES {
                waits.push(taker.batch().await?.context("messages")?.1);
            }
            anyhow::Ok(waits)
        })?;
        waits.sort();
        let ms = |share: usize| waits[waits.len() * share / 100].as_secs_f64() * 1e3;
        println!("  start of a batch of ten, {count:>9} waiting: p50 {:.2} ms, p99 {:.2} ms", ms(50), ms(99));
        Figure::new(format!("p50 of the start of a batch of ten, {count} waiting"), Unit::Milliseconds)
            .side("ours", &[ms(50)])
            .goal(5.0)
            .tell();
        Figure::new(format!("p99 of the start of a batch of ten, {count} waiting"), Unit::Milliseconds)
            .side("ours", &[ms(99)])
            .tell();
        let figures = json!({ "waiting": count, "p50_ms": ms(50), "p99_ms": ms(99) });
        println!("{}", json!({ "bench": "exchange", "name": TITLE, "figures": figures }));
    }
    Ok(())
}

/// As they are when they were taken and their files are not laid out yet: the clerk is at it while starts are measured.
fn put(file: &Path, count: i64) -> Result<()> {
    let mut store = Database::open(file)?;
    let transaction = store.transaction()?;
    let device: String =
        transaction.query_row("SELECT id FROM exc_device ORDER BY id LIMIT 1", [], |row| row.get(0))?;
    let db = database(0);
    let heard: i64 = transaction.query_row("SELECT heard FROM store_meta", [], |row| row.get(0))?;
    {
        let mut message = transaction.prepare(
            "INSERT INTO exc_message (number, id, db, company, subsystem, sender, receiver, at, ord, size, digest, place, received_at, \
             heard, due) VALUES (?1, ?2, ?3, 'bench', 'sales', ?4, ?3, ?1, 0, ?5, x'00', 'messages', 0, ?6, ?6)",
        )?;
        let mut body = transaction.prepare("INSERT INTO exc_body (number, body) VALUES (?1, ?2)")?;
        for number in 1..=count {
            let id = format!("w-{number}");
            let text = json!({ "version": 1, "id": id, "head": { "company": "bench", "subsystem": "sales", "from": device,
                "to": db, "created_at": "2026-11-16T12:00:00Z" }, "body": { "type": "order", "version": 1, "payload": number } });
            let text = text.to_string();
            message.execute((number, &id, &db, &device, i64::try_from(text.len())?, heard))?;
            body.execute((number, &text))?;
        }
        transaction.execute("UPDATE exc_count SET value = ?1 WHERE name = 'receipt'", [count])?;
        transaction.execute("UPDATE exc_database SET received = ?1, queued = ?1 WHERE id = ?2", (count, &db))?;
    }
    transaction.commit()?;
    Ok(())
}
