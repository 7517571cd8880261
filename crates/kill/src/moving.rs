//! A large namespace moves to PostgreSQL and back (KER-3): once in peace, to see how long it takes, and once while the server is killed
//! again and again. In the end the copy that was left and the rows that arrived have the same digest, by another way than the one that
//! carried them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::check::violation;
use crate::postgres::{Database, SHARED};
use crate::rng::Rng;
use crate::server::{Launch, Server};

/// Bytes of a row that is made up.
const ROW_BYTES: usize = 1_000;
/// Longest time of one move.
const PATIENCE: Duration = Duration::from_secs(3_600);
const NAME: &str = "big";

/// What a drill came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// Bytes of the store before it moved.
    pub bytes: u64,
    /// Rows that were carried.
    pub rows: i64,
    /// A move to PostgreSQL in peace: all of it, and the part for which nobody was let in.
    pub there: (Duration, Duration),
    /// A move back, and in which states of it the server was killed, and how often.
    pub back: (Duration, Kills),
    /// The most memory that the server took, in KiB.
    pub memory_kib: u64,
    /// The memory that it took before, in KiB.
    pub memory_before_kib: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, rows, there: (took, closed), back: (back, kills), memory_kib, memory_before_kib } = self;
        let mib = bytes >> 20;
        let rate = mib as f64 / took.as_secs_f64();
        write!(
            f,
            "{mib} MiB, {rows} rows: to PostgreSQL in {took:.1?} ({rate:.0} MiB/s), closed for {closed:.1?}; back in {back:.1?}, \
             killed while {kills}; memory {} MiB before, {} MiB at most; identical",
            memory_before_kib >> 10,
            memory_kib >> 10
        )
    }
}

/// How often the server was killed in each state of the move.
#[derive(Debug, Clone, Default)]
pub struct Kills(BTreeMap<String, u32>);

impl fmt::Display for Kills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> = self.0.iter().map(|(state, count)| format!("{state} {count} times")).collect();
        f.write_str(&told.join(", "))
    }
}

/// Moves a namespace of so many MiB there, and back with so many kills.
///
/// # Errors
/// Something is not the same, or takes too long.
pub fn run(program: &Path, mib: u64, kills: u32, seed: u64) -> Result<Report> {
    let folder = tempfile::tempdir()?;
    let database = Database::new(SHARED, "moving")?;
    let launch = database.launch(Launch::new(program, &folder.path().join("data")));
    let launch = launch.env("FASTNESS_STORE__ENGINE", "sqlite");
    let place = prepared(&launch, mib)?;
    let bytes = std::fs::metadata(place.join("store.db"))?.len();
    let server = launch.start()?;
    let memory_before_kib = memory(&server, "VmRSS")?;
    let (there, moved) = in_peace(&server)?;
    check_left(&place, &moved)?;
    let memory_kib = memory(&server, "VmHWM")?;
    let begun = Instant::now();
    let (server, back, killed) = while_killed(server, &launch, &pauses(kills, there.0, seed))?;
    let back_took = begun.elapsed();
    server.kill()?;
    check_arrived(&place, &back)?;
    let rows = moved["rows"].as_i64().context("rows")?;
    Ok(Report { bytes, rows, there, back: (back_took, killed), memory_kib, memory_before_kib })
}

/// A namespace whose store was filled while nobody had it open.
fn prepared(launch: &Launch, mib: u64) -> Result<PathBuf> {
    let server = launch.start()?;
    let made = server.client().post("/v1/z/namespaces", &json!({ "name": NAME }), "").map_err(std::io::Error::from)?;
    ensure!(made.status == 201, "no namespace: {made:?}");
    let place = launch.data().join("namespaces").join(made.body["place"].as_str().context("a place")?);
    server.kill()?;
    let mut raw = Connection::open(place.join("store.db"))?;
    let heard: i64 = raw.query_row("SELECT heard FROM store_meta", [], |row| row.get(0))?;
    let tx = raw.transaction()?;
    let mut rng = Rng::new(mib);
    for number in 0..(mib << 20) / ROW_BYTES as u64 {
        let mut text = String::with_capacity(ROW_BYTES);
        while text.len() < ROW_BYTES - 100 {
            text.push_str(&format!("{:016x}", rng.number()));
        }
        let row = rusqlite::params![format!("{number:026}"), heard, "drill", "é", "drill", text, heard];
        tx.prepare_cached(
            "INSERT INTO journal (id, at, kind, subject, caller, text, heard) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(row)?;
    }
    tx.commit()?;
    Ok(place)
}

fn begin(server: &Server, engine: &str) -> Result<()> {
    let path = format!("/v1/z/namespaces/{NAME}/move");
    let begun = server.client().post(&path, &json!({ "engine": engine }), "").map_err(std::io::Error::from)?;
    ensure!(begun.status == 202, "no move: {begun:?}");
    Ok(())
}

fn transfer(server: &Server) -> Result<Value> {
    Ok(server.client().get(&format!("/v1/z/namespaces/{NAME}/transfer"))?.body)
}

/// How long it took, and for how long of that nobody was let in.
fn in_peace(server: &Server) -> Result<((Duration, Duration), Value)> {
    begin(server, "postgres")?;
    let (begun, mut closed) = (Instant::now(), None);
    loop {
        let now = transfer(server)?;
        if now["state"] == "closing" {
            closed.get_or_insert_with(Instant::now);
        }
        if now["ended"] == true {
            ensure!(now["state"] == "done", violation(format!("it ended badly: {now}")));
            let closed = closed.map_or(Duration::ZERO, |since| since.elapsed());
            return Ok(((begun.elapsed(), closed), now));
        }
        ensure!(begun.elapsed() < PATIENCE, "it does not end: {now}");
    }
}

/// How long the server lives before each kill: together about three quarters of what a move takes in peace, so that all of them come before its end
/// and every part of it sees some.
fn pauses(kills: u32, peace: Duration, seed: u64) -> Vec<Duration> {
    let mut rng = Rng::new(seed);
    let longest = peace.as_millis() * 3 / (2 * u128::from(kills.max(1)));
    let longest = u64::try_from(longest).unwrap_or(u64::MAX).max(1);
    (0..kills).map(|_| Duration::from_millis(rng.between(0, longest))).collect()
}

/// Each kill comes a random while after the start before it, and the move goes on by itself.
fn while_killed(mut server: Server, launch: &Launch, pauses: &[Duration]) -> Result<(Server, Value, Kills)> {
    begin(&server, "sqlite")?;
    let mut kills = Kills::default();
    for pause in pauses {
        let end = Instant::now() + *pause;
        while Instant::now() < end {
            let row = server.client().get(&format!("/v1/z/namespaces/{NAME}"))?.body;
            let state = row["state"].as_str().unwrap_or_default();
            ensure!(["open", "moving"].contains(&state), violation(format!("neither open nor moving: {row}")));
        }
        let now = transfer(&server)?;
        ensure!(now["ended"] != true, "it ended before it was killed so often: {now}");
        *kills.0.entry(now["state"].as_str().context("a state")?.to_owned()).or_default() += 1;
        server.kill()?;
        server = launch.start()?;
    }
    let begun = Instant::now();
    loop {
        let now = transfer(&server)?;
        if now["ended"] == true {
            ensure!(now["state"] == "done", violation(format!("it ended badly: {now}")));
            return Ok((server, now, kills));
        }
        ensure!(begun.elapsed() < PATIENCE, "it does not end: {now}");
    }
}

/// The old copy holds what arrived.
fn check_left(place: &Path, moved: &Value) -> Result<()> {
    let files: Vec<PathBuf> = std::fs::read_dir(place)?.flatten().map(|entry| entry.path()).collect();
    let is_left = |path: &&PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("moved-"));
    let left = files.iter().find(is_left).context("the old copy is gone")?;
    let rows: u64 = store_sqlite::archive::summarise(left)?.iter().map(|table| table.rows).sum();
    let told = moved["rows"].as_u64().context("rows")?;
    ensure!(rows == told, violation(format!("{rows} rows were left, {told} arrived")));
    Ok(())
}

/// What was made up is there, all of it, as it was.
fn check_arrived(place: &Path, back: &Value) -> Result<()> {
    let journal = |file: &Path| -> Result<(u64, String)> {
        let raw = Connection::open(file)?;
        let mut digest = base::archive::TableDigest::default();
        let mut statement = raw.prepare("SELECT id, text, heard FROM journal WHERE kind = 'drill'")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, text, heard): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            digest.add(&format!("{id} {text} {heard}"));
        }
        Ok((digest.rows(), digest.summary("journal", vec![]).digest))
    };
    let files: Vec<PathBuf> = std::fs::read_dir(place)?.flatten().map(|entry| entry.path()).collect();
    let left = files.iter().find(|path| path.to_string_lossy().contains("moved-")).context("the old copy is gone")?;
    let (before, after) = (journal(left)?, journal(&place.join("store.db"))?);
    ensure!(before == after, violation(format!("{before:?} went, {after:?} came back: {back}")));
    Ok(())
}

fn memory(server: &Server, what: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid()))?;
    let line = status.lines().find_map(|line| line.strip_prefix(what)).context("no such line")?;
    let number = line.trim_start_matches(':').trim().split(' ').next().context("a number")?;
    Ok(number.parse()?)
}
