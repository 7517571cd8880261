//! Who asks the nodes, and for what: each client has one connection to one node and things of its own that nobody else changes.

use std::fs;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::documents::{Connection, Process, request, used_by};
use crate::sensors::KEY;

/// Documents of each client, and signals of a request.
const EACH: usize = 16;
/// Sensors of each client: each request is about others.
const SENSORS: usize = EACH * EACH;
/// Clock ticks of `/proc` per second, on every Linux of today.
const TICKS: f64 = 100.0;

/// What is asked; for each client the requests that it takes in turn.
pub struct Load {
    pub name: &'static str,
    pub requests: Vec<Vec<Vec<u8>>>,
}

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Answers a second.
    pub rate: f64,
    pub p50_ms: f64,
    /// What the nodes whose turn it was used.
    pub nodes_cores: f64,
    /// What everybody on the machine used.
    pub busy_cores: f64,
    /// How often the store had the nodes run something again, for each answer.
    pub retries: f64,
}

/// All loads, for so many clients.
pub fn all(clients: usize) -> Vec<Load> {
    let of = |make: fn(usize, usize) -> Vec<u8>| {
        (0..clients).map(|client| (0..EACH).map(|number| make(client, number)).collect()).collect()
    };
    vec![
        Load { name: "commits of documents", requests: of(commit) },
        Load { name: "reads of documents", requests: of(read) },
        Load { name: "signals of sensors, 16 in a request", requests: of(signals) },
        Load { name: "signals of few sensors, an eighth a change", requests: of(changes) },
    ]
}

/// What has to be made before.
pub fn made_before(clients: usize) -> Vec<Vec<u8>> {
    let class =
        json!({ "class": "Contact", "items": { "Card": { "singleton": true, "index": { "city": "string" } } } });
    [ask("POST", "doc-classes", &class)].into_iter().chain((0..clients).map(import)).collect()
}

/// Registers the sensors of a client.
fn import(client: usize) -> Vec<u8> {
    let line = |number| json!({ "id": sensor(client, number), "address": "a house" }).to_string() + "\n";
    let body: String = (0..SENSORS).map(line).collect();
    let head = "POST /v1/main/sensors/import HTTP/1.1\r\nhost: b\r\ncontent-type: application/x-ndjson\r\n";
    format!("{head}authorization: Bearer {KEY}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn sensor(client: usize, number: usize) -> String {
    format!("door{client}x{number}")
}

fn ask(method: &str, path: &str, body: &Value) -> Vec<u8> {
    request(method, &format!("/v1/main/{path}"), &format!("Bearer {KEY}"), &body.to_string())
}

fn commit(client: usize, number: usize) -> Vec<u8> {
    let card = json!({ "name": format!("Ada {number}"), "city": format!("city {client}"), "text": "x".repeat(200) });
    let change = json!({ "c": "Contact", "id": format!("{client}-{number}"), "items": [{ "c": "Card", "j": card }] });
    ask("POST", "op/doc.commit", &json!({ "param": { "changes": [change] } }))
}

fn read(client: usize, number: usize) -> Vec<u8> {
    ask("POST", "op/doc.get", &json!({ "param": { "c": "Contact", "id": format!("{client}-{number}") } }))
}

/// Signals of some sensors of the client, which say what they said before: signs of life.
fn signals(client: usize, number: usize) -> Vec<u8> {
    let signal = |of: usize| json!({ "sensor_id": sensor(client, number * EACH + of), "data": 1 });
    ask("POST", "signals", &Value::Array((0..EACH).map(signal).collect()))
}

/// Signals of the client's first sensors: each door opens or closes with every eighth of them.
fn changes(client: usize, number: usize) -> Vec<u8> {
    let signal = |of: usize| json!({ "sensor_id": sensor(client, of), "data": (number + of) / 8 % 2 });
    ask("POST", "signals", &Value::Array((0..EACH).map(signal).collect()))
}

/// The clients of so many nodes, for so long.
pub fn drive(nodes: &[Process], load: &Load, clients: usize, time: Duration) -> Result<Figures> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let used = || nodes.iter().map(|node| used_by(node.pid())).sum::<Result<f64>>();
    runtime.block_on(async {
        let to = |client: usize| Connection::open(nodes[client % nodes.len()].address);
        let connected = try_join_all((0..clients * nodes.len()).map(to)).await?;
        let retried = retries(nodes).await?;
        let (nodes_s, busy_s, begun) = (used()?, busy()?, Instant::now());
        let asked =
            connected.into_iter().zip(&load.requests).map(|(connection, own)| ask_until(connection, own, begun + time));
        let mut waits = try_join_all(asked).await?.concat();
        let seconds = begun.elapsed().as_secs_f64();
        waits.sort_by(f32::total_cmp);
        ensure!(!waits.is_empty(), "nobody was answered");
        let (nodes_s, busy_s) = (used()? - nodes_s, busy()? - busy_s);
        Ok(Figures {
            retries: (retries(nodes).await? - retried) / waits.len() as f64,
            rate: waits.len() as f64 / seconds,
            p50_ms: f64::from(waits[waits.len() / 2]),
            nodes_cores: nodes_s / seconds,
            busy_cores: busy_s / seconds,
        })
    })
}

/// What the nodes were made to run again since they were started.
async fn retries(nodes: &[Process]) -> Result<f64> {
    let mut sum = 0.0;
    for node in nodes {
        let mut connection = Connection::open(node.address).await?;
        let text = String::from_utf8_lossy(connection.ask(&request("GET", "/metrics", "", "")).await?).into_owned();
        let count =
            |line: &str| line.strip_prefix("fastness_store_retries_total{")?.rsplit(' ').next()?.parse::<f64>().ok();
        sum += text.lines().filter_map(count).sum::<f64>();
    }
    Ok(sum)
}

async fn ask_until(mut connection: Connection, requests: &[Vec<u8>], end: Instant) -> Result<Vec<f32>> {
    let mut waits = vec![];
    for request in requests.iter().cycle() {
        let asked = Instant::now();
        if asked >= end {
            break;
        }
        connection.ask(request).await?;
        waits.push(asked.elapsed().as_secs_f32() * 1000.0);
    }
    Ok(waits)
}

/// Processor time of the whole machine.
fn busy() -> Result<f64> {
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().context("a line")?;
    let ticks: Vec<f64> = line.split_whitespace().skip(1).take(8).filter_map(|part| part.parse().ok()).collect();
    ensure!(ticks.len() == 8, "a short line: {line}");
    // Beside what was idle or waited for the disk, the fourth and the fifth.
    Ok((ticks.iter().sum::<f64>() - ticks[3] - ticks[4]) / TICKS)
}

/// It listens before its stores are open.
pub fn wait_ready(address: SocketAddr) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    for _ in 0..3_000 {
        let ready = runtime.block_on(async {
            Connection::open(address).await?.ask(&request("GET", "/readyz", "", "")).await.map(drop)
        });
        if ready.is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    anyhow::bail!("the node at {address} is not ready")
}
