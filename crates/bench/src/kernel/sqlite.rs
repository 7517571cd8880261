//! The SQLite half: the kernel, one bare commit per operation, and a hand-written group commit loop as the limit.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use base::{Dialect, Entropy, Id, Wall};
use host::{OsEntropy, RealClock};
use rusqlite::Connection;
use store_sqlite::{SqliteConfig, SqliteStore};

use super::CALLERS;
use super::callers::{Answered, drive, drive_kernel};
use super::workload::{ACCOUNTS, Bank, ENTRY, RAISE, READ, SCHEMA};
use crate::contest::{Effort, Side, contest};

pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    let clock = Arc::new(RealClock::new());
    let store = SqliteStore::open(&folder.join("ours.db"), SqliteConfig::default(), clock.clone())?;
    let bank = Bank::open(Arc::new(store), clock)?;
    let single = bare(&folder.join("single.db"))?;
    let group = GroupCommit::start(bare(&folder.join("group.db"))?);
    for callers in CALLERS {
        let sides = vec![
            Side::new("kernel on store-sqlite", |time| drive_kernel(&bank, callers, time)),
            Side::new("bare rusqlite, one commit per operation", |time| one_by_one(&single, time)),
            Side::new("bare rusqlite, hand-written group commit", |time| {
                drive(callers, time, |caller, answered| group.ask(caller, answered))
            }),
        ];
        contest(effort, &format!("sqlite, {callers} callers"), sides)?;
    }
    group.stop();
    Ok(())
}

/// A connection with the same settings, checkpoints left to SQLite's default.
fn bare(path: &Path) -> Result<Connection> {
    let conn = Connection::open(path)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "cache_size", -65_536)?;
    conn.execute_batch(&Dialect::Sqlite.render(SCHEMA))?;
    conn.execute_batch("BEGIN")?;
    for id in 0..ACCOUNTS as i64 {
        conn.execute("INSERT INTO account (id, balance) VALUES (?1, 0)", [id])?;
    }
    conn.execute_batch("COMMIT")?;
    Ok(conn)
}

fn deposit(conn: &Connection, caller: usize) -> rusqlite::Result<i64> {
    let account = (caller % ACCOUNTS) as i64;
    let mut chance = [0; 10];
    OsEntropy.fill(&mut chance);
    let id = Id::new(now(), chance).to_string();
    let balance: i64 = conn.prepare_cached(READ.text)?.query_row([account], |row| row.get(0))?;
    conn.prepare_cached(RAISE.text)?.execute((account, balance + 1))?;
    conn.prepare_cached(ENTRY.text)?.execute((id, account, 1))?;
    Ok(balance + 1)
}

fn now() -> Wall {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Wall(i64::try_from(since.as_millis()).unwrap_or(0))
}

fn one_by_one(conn: &Connection, time: Duration) -> Result<f64> {
    let begun = Instant::now();
    let mut done = 0;
    while begun.elapsed() < time {
        conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        deposit(conn, done)?;
        conn.prepare_cached("COMMIT")?.execute([])?;
        done += 1;
    }
    Ok(done as f64 / begun.elapsed().as_secs_f64())
}

/// The limit: a thread, a channel, one transaction for what is queued, no savepoints, no panics, no budget.
struct GroupCommit {
    asked: Sender<(usize, Answered)>,
    thread: JoinHandle<()>,
}

impl GroupCommit {
    fn start(conn: Connection) -> Self {
        let (asked, asks) = channel();
        Self { asked, thread: thread::spawn(move || group_loop(&conn, &asks).expect("the hand-written loop")) }
    }

    fn ask(&self, caller: usize, answered: &Answered) {
        let _ = self.asked.send((caller, answered.clone()));
    }

    fn stop(self) {
        drop(self.asked);
        let _ = self.thread.join();
    }
}

fn group_loop(conn: &Connection, asks: &Receiver<(usize, Answered)>) -> rusqlite::Result<()> {
    while let Ok(first) = asks.recv() {
        conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut batch = vec![first];
        deposit(conn, batch[0].0)?;
        while batch.len() < 512
            && let Ok(next) = asks.try_recv()
        {
            deposit(conn, next.0)?;
            batch.push(next);
        }
        conn.prepare_cached("COMMIT")?.execute([])?;
        for (caller, answered) in batch {
            let _ = answered.send((caller, true));
        }
    }
    Ok(())
}
