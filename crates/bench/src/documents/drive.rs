//! The clients: each has one connection and asks again as soon as it is answered.
//!
//! They all share one thread, and what they send is made before the clock runs, so that hundreds of them take little of the machine
//! that the server needs too.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use super::process::{Processor, own_cpu};

/// What clients got.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Answers per second.
    pub rate: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// Processors that the server used.
    pub server_cores: f64,
    /// Processors that the clients used.
    pub client_cores: f64,
}

/// So many clients for so long; each takes its turn through the requests, so that no two ask about one document at a time.
pub fn drive(
    address: SocketAddr,
    server: &Processor,
    requests: &[Vec<u8>],
    clients: usize,
    time: Duration,
) -> Result<Figures> {
    ensure!(requests.len() >= clients, "more clients than requests");
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let connected = try_join_all((0..clients).map(|_| Connection::open(address))).await?;
        let (served, own, begun) = (server.used_s()?, own_cpu()?, Instant::now());
        let all = connected.into_iter().enumerate().map(|(client, connection)| {
            let own = requests.iter().skip(client).step_by(clients);
            ask_until(connection, own, begun + time)
        });
        let waits = try_join_all(all).await?.concat();
        let seconds = begun.elapsed().as_secs_f64();
        Ok(figures(waits, seconds, server.used_s()? - served, own_cpu()? - own))
    })
}

async fn ask_until<'a>(
    mut connection: Connection,
    requests: impl Iterator<Item = &'a Vec<u8>> + Clone,
    end: Instant,
) -> Result<Vec<f32>> {
    let mut waits = vec![];
    for request in requests.cycle() {
        let asked = Instant::now();
        if asked >= end {
            break;
        }
        connection.ask(request).await?;
        waits.push(asked.elapsed().as_secs_f32() * 1000.0);
    }
    Ok(waits)
}

fn figures(mut waits: Vec<f32>, seconds: f64, server_s: f64, clients_s: f64) -> Figures {
    waits.sort_by(f32::total_cmp);
    let at = |share: usize| waits.get(waits.len() * share / 100).map_or(f64::NAN, |wait| f64::from(*wait));
    Figures {
        rate: waits.len() as f64 / seconds,
        p50_ms: at(50),
        p99_ms: at(99),
        server_cores: server_s / seconds,
        client_cores: clients_s / seconds,
    }
}

/// A connection that stays.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 << 10) })
    }

    /// Asks and gives the body of a good answer.
    pub async fn ask(&mut self, request: &[u8]) -> Result<&[u8]> {
        self.buffer.clear();
        self.stream.write_all(request).await?;
        loop {
            ensure!(self.stream.read_buf(&mut self.buffer).await? > 0, "a cut answer");
            if let Some(body) = whole(&self.buffer)? {
                let text = || String::from_utf8_lossy(&self.buffer).into_owned();
                ensure!(self.buffer[9] == b'2', "refused: {}", text());
                return Ok(&self.buffer[body..]);
            }
        }
    }
}

/// Where the body begins of an answer that is there as a whole.
fn whole(answer: &[u8]) -> Result<Option<usize>> {
    let Some(head) = find(answer, b"\r\n\r\n") else { return Ok(None) };
    let (head, body) = (&answer[..head], head + 4);
    let length = header(head, b"content-length: ");
    let is_whole = match length {
        Some(length) => answer.len() - body >= std::str::from_utf8(length)?.parse::<usize>()?,
        None if header(head, b"transfer-encoding: ").is_some() => answer.ends_with(b"\r\n0\r\n\r\n"),
        None => head.starts_with(b"HTTP/1.1 204"),
    };
    Ok(is_whole.then_some(body))
}

fn header<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let lines = head.split(|byte| *byte == b'\n');
    let mut named = lines.filter(|line| line.len() > name.len() && line[..name.len()].eq_ignore_ascii_case(name));
    named.next().map(|line| line[name.len()..].trim_ascii())
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// A request as its bytes.
pub fn request(method: &str, path: &str, key: &str, body: &str) -> Vec<u8> {
    let authorization = if key.is_empty() { String::new() } else { format!("authorization: {key}\r\n") };
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: b\r\n{authorization}content-type: application/json\r\n");
    format!("{head}content-length: {length}\r\n\r\n{body}").into_bytes()
}

/// Asks some requests one after the other, over a few connections; gives the bodies.
pub fn ask_all(address: SocketAddr, requests: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    const CONNECTIONS: usize = 8;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let share = requests.len().div_ceil(CONNECTIONS).max(1);
    let all = requests.chunks(share).map(|requests| async move {
        let mut connection = Connection::open(address).await?;
        let mut bodies = vec![];
        for request in requests {
            bodies.push(connection.ask(request).await?.to_vec());
        }
        anyhow::Ok(bodies)
    });
    Ok(runtime.block_on(async { try_join_all(all).await })?.concat())
}

/// Asks one request, and reads its JSON; null where the answer has nothing to say.
pub fn ask_json(address: SocketAddr, request: &[u8]) -> Result<serde_json::Value> {
    let bodies = ask_all(address, &[request.to_vec()])?;
    match bodies.first().context("an answer")?.as_slice() {
        [] => Ok(serde_json::Value::Null),
        body => serde_json::from_slice(body).context("JSON"),
    }
}
