//! How long a start takes with 100,000 files of messages in all folders, as a server that was killed leaves them: half-moved, torn, missing,
//! foreign. Nobody is served before rows and files agree and what was committed is in its place (EXC-7, EXC-19).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use base::Wall;
use exchange::message::name::FileName;
use rusqlite::{Connection as Database, Transaction};
use serde_json::{Value, json};

use super::TAKERS;
use super::message::database;
use super::ours::{Ours, get};
use crate::contest::Effort;
use crate::report::{Figure, Unit};
use crate::sensors::start_process;

pub const TITLE: &str = "recovery at start";
const FILES: i64 = 100_000;

/// How the file and the row of a message were left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// At rest in this place.
    Rests(&'static str),
    /// Held by a process of unknown outcome.
    Unknown,
    /// A reply that is not confirmed.
    Prepared,
    /// Committed; its file is not moved yet, is, or lies in both folders.
    Unmoved,
    Moved,
    Twice,
    /// Its file is missing, or torn.
    Missing,
    Torn,
}

impl Left {
    /// Of a hundred messages: most are done.
    fn of(number: i64) -> Self {
        match number % 100 {
            0..60 => Self::Rests("log"),
            60..78 => Self::Rests("messages"),
            78..84 => Self::Rests("error"),
            84..88 => Self::Unknown,
            88..92 => Self::Prepared,
            92..94 => Self::Unmoved,
            94..96 => Self::Moved,
            96 => Self::Twice,
            97 => Self::Missing,
            _ => Self::Torn,
        }
    }

    fn place(self) -> &'static str {
        match self {
            Self::Rests(place) => place,
            Self::Unknown => "unknown",
            Self::Prepared => "prepared",
            Self::Unmoved | Self::Moved | Self::Twice => "log",
            Self::Missing | Self::Torn => "messages",
        }
    }

    fn on_disk(self) -> &'static str {
        if self.is_moving() { "messages" } else { self.place() }
    }

    fn is_moving(self) -> bool {
        matches!(self, Self::Unmoved | Self::Moved | Self::Twice)
    }

    /// Which process has it.
    fn state(self) -> Option<&'static str> {
        match self {
            Self::Unknown => Some("UNKNOWN"),
            Self::Prepared => Some("READY_TO_COMMIT"),
            Self::Unmoved | Self::Moved | Self::Twice => Some("FAILED"),
            Self::Rests(_) | Self::Missing | Self::Torn => None,
        }
    }

    fn folders(self) -> Vec<&'static str> {
        match self {
            Self::Missing => vec![],
            Self::Moved => vec!["Log"],
            Self::Twice => vec!["Messages", "Log"],
            other => vec![exchange::folders::folder_of(other.on_disk()).unwrap_or("Log")],
        }
    }
}

pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    println!("\n{TITLE}: {FILES} files");
    let (mut empty, mut full) = (vec![], vec![]);
    for round in 0..effort.rounds.min(3) {
        let home = folder.join(format!("recovery-{round}"));
        drop(Ours::start(&home)?);
        empty.push(start(&home)?);
        lay(&home)?;
        full.push(start_and_check(&home)?);
        fs::remove_dir_all(&home)?;
    }
    let ms = |all: &[f64]| all.iter().map(|s| format!("{:.0}", s * 1e3)).collect::<Vec<_>>().join(", ");
    println!(
        "  from the start of the program until it is ready: {} ms; without messages: {} ms",
        ms(&full),
        ms(&empty)
    );
    Figure::new(format!("ready again with {FILES} files in every state"), Unit::Seconds)
        .side("ours", &full)
        .goal(2.0)
        .tell();
    println!("{}", json!({ "bench": "exchange", "name": TITLE, "figures": { "full_s": full, "empty_s": empty } }));
    Ok(())
}

fn start(home: &Path) -> Result<f64> {
    let begun = Instant::now();
    start_process(home).map(|_| begun.elapsed().as_secs_f64())
}

/// The time until it is ready; then nothing is left to be moved, and each message is where it belongs.
fn start_and_check(home: &Path) -> Result<f64> {
    let begun = Instant::now();
    let server = start_process(home)?;
    let took_s = begun.elapsed().as_secs_f64();
    for state in ["CLEANUP", "FAILED"] {
        let left = get(&server, &format!("processes?state={state}"))?;
        ensure!(left["items"] == json!([]), "{left}");
    }
    let log = (1..=FILES).filter(|number| Left::of(*number).place() == "log").count();
    let mut lies = 0;
    for db in 0..TAKERS {
        let names = fs::read_dir(folder_of(home, db, "Log"))?.flatten().map(|entry| entry.file_name());
        // Temporary files of a batch that was cut are nobody's.
        lies += names.filter(|name| !name.to_string_lossy().starts_with('.')).count();
    }
    ensure!(lies == log, "{lies} files in Log, not {log}");
    Ok(took_s)
}

fn folder_of(home: &Path, db: usize, folder: &str) -> PathBuf {
    home.join("data/exchange/main").join(database(db)).join(folder)
}

/// Rows and files as they are at the worst moment.
fn lay(home: &Path) -> Result<()> {
    let mut store = Database::open(home.join("data/namespaces/main/store.db"))?;
    let transaction = store.transaction()?;
    let device: String =
        transaction.query_row("SELECT id FROM exc_device ORDER BY id LIMIT 1", [], |row| row.get(0))?;
    let mut processes = BTreeMap::new();
    for number in 1..=FILES {
        let (left, db) = (Left::of(number), usize::try_from(number / 100)? % TAKERS);
        let process = left.state().map(|state| format!("{state}-{db}"));
        if let (Some(state), Some(process)) = (left.state(), &process) {
            processes.entry(process.clone()).or_insert((state, db));
        }
        let text = message(number, &device, &database(db));
        put_row(&transaction, number, left, &database(db), &device, process.as_deref(), &text)?;
        let bytes = if left == Left::Torn { &text.as_bytes()[..10] } else { text.as_bytes() };
        for folder in left.folders() {
            fs::write(folder_of(home, db, folder).join(name(number, left, &device, &database(db))), bytes)?;
        }
    }
    put_processes(&transaction, &processes)?;
    transaction.commit()?;
    for db in 0..TAKERS {
        fs::write(folder_of(home, db, "Messages").join("notes.txt"), "foreign")?;
        fs::write(folder_of(home, db, "Log").join(".tmp-1"), "torn")?;
    }
    Ok(())
}

fn message(number: i64, device: &str, db: &str) -> String {
    let text: Value = json!({ "version": 1, "id": format!("w-{number}"), "head": { "company": "bench", "subsystem": "sales",
        "from": device, "to": db, "created_at": "2026-11-16T12:00:00Z" }, "body": { "type": "order", "version": 1, "payload": number } });
    text.to_string()
}

fn name(number: i64, left: Left, device: &str, db: &str) -> String {
    let (from, to) = if left == Left::Prepared { (db, device) } else { (device, db) };
    let (from, to, subsystem) = (from.to_owned(), to.to_owned(), "sales".to_owned());
    FileName { at: Wall(number), number, id: format!("w-{number}"), from, to, subsystem }.text()
}

fn put_row(
    transaction: &Transaction<'_>,
    number: i64,
    left: Left,
    db: &str,
    device: &str,
    process: Option<&str>,
    text: &str,
) -> Result<()> {
    let (sender, receiver) = if left == Left::Prepared { (db, device) } else { (device, db) };
    let is_draft = left == Left::Prepared;
    let result = (left.state().is_some() && !is_draft).then_some("PROCESSED");
    let mut row = transaction.prepare_cached(
        "INSERT INTO exc_message (number, id, db, company, subsystem, sender, receiver, at, ord, size, digest, place, on_disk, process, \
         draft, result, received_at, heard, due) VALUES (?1, ?2, ?3, 'bench', 'sales', ?4, ?5, ?1, 0, ?6, x'00', ?7, ?8, ?9, ?10, ?11, 0, 0, ?12)",
    )?;
    let (id, size, due) = (format!("w-{number}"), i64::try_from(text.len())?, left.is_moving().then_some(0));
    row.execute(rusqlite::params![
        number,
        id,
        db,
        sender,
        receiver,
        size,
        left.place(),
        left.on_disk(),
        process,
        is_draft,
        result,
        due
    ])?;
    if left != Left::Rests("log") {
        transaction.prepare_cached("INSERT INTO exc_body (number, body) VALUES (?1, ?2)")?.execute((number, text))?;
    }
    if let Some(process) = process {
        let mut given = transaction
            .prepare_cached("INSERT INTO exc_given (process, number, id, reply, result) VALUES (?1, ?2, ?3, ?4, ?5)")?;
        given.execute((process, number, id, is_draft, result))?;
    }
    Ok(())
}

fn put_processes(transaction: &Transaction<'_>, processes: &BTreeMap<String, (&str, usize)>) -> Result<()> {
    for (id, (state, db)) in processes {
        // The database of one that is ready has all the time of the world.
        let until = (*state == "READY_TO_COMMIT").then_some(i64::MAX / 2);
        transaction.execute(
            "INSERT INTO exc_process (id, db, state, started_at, until, ready_at, ready, prepared, outcome, message) \
             VALUES (?1, ?2, ?3, 0, ?4, 0, ?5, x'00', '', '')",
            rusqlite::params![id, database(*db), state, until, i64::MAX / 2],
        )?;
    }
    transaction
        .execute("UPDATE exc_count SET value = ?1 WHERE name = 'receipt'", [FILES])
        .context("nothing was received before")?;
    // The ledger, from what is there.
    transaction.execute_batch(
        "UPDATE exc_database SET \
         queued = (SELECT COUNT(*) FROM exc_message m WHERE m.db = exc_database.id AND draft = 0 AND place = 'messages' AND process IS NULL), \
         in_process = (SELECT COUNT(*) FROM exc_message m WHERE m.db = exc_database.id AND draft = 0 AND process IS NOT NULL AND place <> 'unknown'), \
         log = (SELECT COUNT(*) FROM exc_message m WHERE m.db = exc_database.id AND place = 'log' AND process IS NULL), \
         error = (SELECT COUNT(*) FROM exc_message m WHERE m.db = exc_database.id AND place = 'error'), \
         unknown = (SELECT COUNT(*) FROM exc_message m WHERE m.db = exc_database.id AND place = 'unknown'); \
         UPDATE exc_database SET received = queued + in_process + log + error + unknown;",
    )?;
    Ok(())
}
