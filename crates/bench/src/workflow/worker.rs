//! Workers of ours: each has a connection, takes what is there and brings the results together. They go on when the server is away.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::documents::Connection;
use crate::sensors::KEY;

/// Who does everything.
pub const ACTOR: &str = "bench#1";
/// Tasks of one poll.
const BATCH: usize = 100;

#[derive(Deserialize)]
pub struct Polled {
    pub tasks: Vec<Given>,
}

#[derive(Deserialize)]
pub struct Given {
    pub task_id: String,
    pub attempt: i64,
    pub method: String,
    args: Vec<Filled>,
}

#[derive(Deserialize)]
struct Filled {
    value: Box<RawValue>,
}

impl Given {
    fn number(&self, place: usize) -> i64 {
        self.args.get(place).and_then(|filled| filled.value.get().parse().ok()).unwrap_or(0)
    }

    /// What comes of it.
    pub fn result(&self) -> Value {
        let n = self.number(0);
        let (value, tasks) = match self.method.as_str() {
            "three" => (
                json!({ "promise": "c" }),
                json!([task("b", json!([{ "value": n + 1 }])), task("c", json!([{ "promise": "b" }]))]),
            ),
            "fan" => fan(n),
            "join" => (json!((0..self.args.len()).map(|place| self.number(place)).sum::<i64>()), json!([])),
            _ => (json!(n + 1), json!([])),
        };
        json!({ "task_id": self.task_id, "attempt": self.attempt, "value": value, "tasks": tasks })
    }
}

fn task(id: &str, args: Value) -> Value {
    json!({ "id": id, "actor": ACTOR, "method": "step", "args": args })
}

fn fan(n: i64) -> (Value, Value) {
    let mut tasks: Vec<Value> =
        (0..100).map(|place| task(&format!("s{place}"), json!([{ "value": n + place }]))).collect();
    let all: Vec<Value> = (0..100).map(|place| json!({ "promise": format!("s{place}") })).collect();
    tasks.push(json!({ "id": "join", "actor": ACTOR, "method": "join", "args": all }));
    (json!({ "promise": "join" }), Value::from(tasks))
}

/// A request of ours, known by a key if it comes again.
pub fn post(path: &str, key: Option<&str>, body: &Value) -> Vec<u8> {
    let again = key.map(|key| format!("idempotency-key: {key}\r\n")).unwrap_or_default();
    let head = format!("POST /v1/main/workflow/{path} HTTP/1.1\r\nhost: b\r\n");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let length = body.len();
    format!("{head}authorization: Bearer {KEY}\r\n{again}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}

static KEYS: AtomicU64 = AtomicU64::new(0);

/// Polls and brings results until it is ended; whatever was not answered is asked again.
pub async fn work(address: SocketAddr, done: Arc<AtomicU64>) {
    let mut line = Line { address, connection: None };
    loop {
        let key = format!("poll-{}", KEYS.fetch_add(1, Ordering::Relaxed));
        let wanted = json!({ "actor": ACTOR, "max": BATCH, "wait_ms": 10_000 });
        let Polled { tasks } = line.ask_until_answered(&post("poll", Some(&key), &wanted)).await;
        if tasks.is_empty() {
            continue;
        }
        // A call lays out at most 1,500 tasks: those that lay out a hundred come ten at a time. Accepted once by their attempts: no key is needed.
        let (wide, narrow): (Vec<&Given>, Vec<&Given>) = tasks.iter().partition(|task| task.method == "fan");
        for some in wide.chunks(10).chain(narrow.chunks(BATCH)) {
            let results: Vec<Value> = some.iter().map(|task| task.result()).collect();
            let _: Value = line.ask_until_answered(&post("release", None, &json!({ "results": results }))).await;
        }
        done.fetch_add(tasks.len() as u64, Ordering::Relaxed);
    }
}

/// A connection that is opened again when it breaks.
pub struct Line {
    pub address: SocketAddr,
    pub connection: Option<Connection>,
}

impl Line {
    pub async fn ask_until_answered<T: for<'a> Deserialize<'a>>(&mut self, request: &[u8]) -> T {
        loop {
            match self.ask(request).await {
                Ok(told) => return told,
                // Our own fault: asking again would not help.
                Err(error) if error.to_string().starts_with("refused: HTTP/1.1 4") => panic!("{error}"),
                Err(_) => {
                    self.connection = None;
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        }
    }

    async fn ask<T: for<'a> Deserialize<'a>>(&mut self, request: &[u8]) -> Result<T> {
        let connection = match self.connection.take() {
            Some(connection) => self.connection.insert(connection),
            None => self.connection.insert(Connection::open(self.address).await?),
        };
        Ok(match connection.ask(request).await? {
            [] => serde_json::from_str("null")?,
            told => serde_json::from_slice(told)?,
        })
    }
}
