//! Our server with sensors in its file.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::{Connection, Transaction};

use crate::documents::Process;

pub const KEY: &str = "a-key-for-this-benchmark-only";
/// An hour, and the sixtieth of it that a sign of life may be old.
const LOST_AT_MS: i64 = 3_660_000;

/// Somebody who is told of sensors: where, and of which.
pub struct Told {
    pub name: String,
    pub url: String,
    pub sensors: std::ops::Range<usize>,
}

/// The id of a sensor by its number.
pub fn sensor(number: usize) -> String {
    format!("door{number:07}")
}

/// Starts the server with so many sensors, all of them closed and just heard.
pub fn start(home: &Path, sensors: usize, told: &[Told]) -> Result<Process> {
    std::fs::create_dir(home)?;
    // The first start makes the tables.
    drop(start_process(home)?);
    let mut database = Connection::open(file(home))?;
    let transaction = database.transaction()?;
    put_sensors(&transaction, sensors)?;
    told.iter().try_for_each(|told| put_client(&transaction, told))?;
    transaction.commit()?;
    drop(database);
    start_process(home)
}

/// The program, on data below `home`.
pub fn start_process(home: &Path) -> Result<Process> {
    start_process_at(home, TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// The same on this port.
pub fn start_process_at(home: &Path, address: SocketAddr) -> Result<Process> {
    // Built together with this program.
    let program = std::env::current_exe()?.with_file_name("fastness");
    let process = Process::start_at(address, &home.join("log"), |address| {
        let mut command = Command::new(&program);
        command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(home.join("data"));
        command.env("FASTNESS_ADMIN_KEY", KEY).env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true");
        command
    });
    let process = process.context("cargo build --release -p fastness makes it")?;
    // It listens before its stores are open.
    for _ in 0..6_000 {
        if is_ready(process.address)? {
            return Ok(process);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    anyhow::bail!("it does not become ready")
}

fn is_ready(address: SocketAddr) -> Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200"))
}

fn file(home: &Path) -> PathBuf {
    home.join("data/namespaces/main/store.db")
}

pub fn put_sensors(transaction: &Transaction<'_>, sensors: usize) -> Result<()> {
    let mut insert = transaction.prepare(
        "INSERT INTO sensor (id, address, silence_ms, registered_at, data, recent, seen, lost_at) \
         VALUES (?1, ?2, 3600000, 0, 1, x'', 0, ?3)",
    )?;
    for number in 0..sensors {
        insert.execute((sensor(number), format!("house {}, room {}", number / 100, number % 100), LOST_AT_MS))?;
    }
    Ok(())
}

fn put_client(transaction: &Transaction<'_>, told: &Told) -> Result<()> {
    transaction.execute(
        "INSERT INTO sensor_client (id, name, url, secret, state, reason, seq, group_lost, created_at) \
         VALUES (?1, ?1, ?2, ?3, 'active', '', 0, 0, 0)",
        (&told.name, &told.url, [7_u8; 32]),
    )?;
    let mut link =
        transaction.prepare("INSERT INTO sensor_link (sensor_id, client_id, linked_at) VALUES (?1, ?2, 0)")?;
    for number in told.sensors.clone() {
        link.execute((sensor(number), &told.name))?;
    }
    Ok(())
}

/// A request with signals, one in a line: (sensor, whether it is closed).
pub fn signals(signals: impl Iterator<Item = (usize, bool)>) -> Vec<u8> {
    let lines: String = signals.map(|(number, closed)| signal(number, closed) + "\n").collect();
    let head = format!(
        "POST /v1/main/signals HTTP/1.1\r\nhost: b\r\nauthorization: Bearer {KEY}\r\ncontent-type: application/x-ndjson\r\n"
    );
    format!("{head}content-length: {}\r\n\r\n{lines}", lines.len()).into_bytes()
}

/// A signal as JSON.
pub fn signal(number: usize, closed: bool) -> String {
    format!(r#"{{"sensor_id":"{}","data":{}}}"#, sensor(number), u8::from(closed))
}
