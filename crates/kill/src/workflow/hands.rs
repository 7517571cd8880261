//! Somebody who calls the workflow: a worker, or whoever starts processes. A call goes to whichever server there is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::check::violation;
use crate::client::Client;
use crate::machine::Front;
use crate::server::KEY;

/// A server that is being started again is there within this time.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a poll waits.
const POLL_MS: u64 = 1_000;

pub(crate) struct Hands<'a> {
    machine: &'a dyn Front,
    client: Option<Client>,
    name: String,
}

/// Calls of all hands: each has a key of its own.
static CALLS: AtomicU64 = AtomicU64::new(0);

impl<'a> Hands<'a> {
    pub(crate) fn new(machine: &'a dyn Front, name: &str) -> Self {
        Self { machine, client: None, name: name.to_owned() }
    }

    /// Its connection breaks, and nobody says a word more.
    pub(crate) fn die(&mut self) {
        self.client = None;
    }

    /// A call under one key, repeated until somebody answers.
    pub(crate) fn call(&mut self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let once = format!("drill-{}", CALLS.fetch_add(1, Ordering::Relaxed));
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.once(method, path, body, &once)? {
                return Ok(answer);
            }
            ensure!(Instant::now() < until, violation(format!("{path} is never answered")));
            std::thread::sleep(Duration::from_millis(20)); // tidy: sleep — the server is being started by somebody else
        }
    }

    /// A call that is made once. `None`: nobody heard it, or nobody heard the answer.
    fn once(&mut self, method: &str, path: &str, body: &Value, once: &str) -> Result<Option<Value>> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => Client::new(self.machine.address()?, KEY),
        };
        let once = if method == "GET" { "" } else { once };
        let answer = client.ask(method, &format!("/v1/main/workflow/{path}"), body, once);
        match answer {
            Ok(answer) if !answer.is_for_later() => {
                let good = (200..300).contains(&answer.status);
                ensure!(good, violation(format!("{path} with {body} was answered {answer:?}")));
                self.client = Some(client);
                Ok(Some(answer.body))
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn get(&mut self, path: &str) -> Result<Value> {
        self.call("GET", path, &Value::Null)
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Result<Value> {
        self.call("POST", path, body)
    }

    /// Starts a process of one task.
    pub(crate) fn start(&mut self, kind: &str, number: usize) -> Result<()> {
        let task = json!({ "actor": format!("{kind}#1"), "method": "run", "args": [{ "value": number }] });
        let body = json!({ "type": kind, "key": number.to_string(), "start": task });
        self.post("processes", &body).map(drop)
    }

    /// Asks for tasks once; none if nobody answers.
    pub(crate) fn poll(&mut self, kind: &str, max: usize) -> Result<Vec<Value>> {
        let body = json!({ "actor": format!("{kind}#1"), "worker": self.name, "max": max, "wait_ms": POLL_MS });
        let answer = self.once("POST", "poll", &body, "")?;
        Ok(answer.and_then(|answer| answer["tasks"].as_array().cloned()).unwrap_or_default())
    }

    /// Brings the value, or the error, of each; how many count.
    pub(crate) fn release(&mut self, tasks: &[Value], end: &(&str, Value)) -> Result<usize> {
        let result = |task: &Value| {
            let mut result = json!({ "task_id": task["task_id"], "attempt": task["attempt"], "pass": task["pass"] });
            result[end.0] = end.1.clone();
            result
        };
        let results: Vec<Value> = tasks.iter().map(result).collect();
        let answer = self.post("release", &json!({ "results": results }))?;
        let told = answer["results"].as_array().context("results")?;
        Ok(told.iter().filter(|verdict| verdict["accepted"] == true).count())
    }

    /// Says that it is at a task.
    pub(crate) fn beat(&mut self, task: &Value) -> Result<()> {
        let beat = json!({ "task_id": task["task_id"], "attempt": task["attempt"], "pass": task["pass"] });
        self.post("heartbeat", &json!({ "tasks": [beat] })).map(drop)
    }

    /// Asks until it is so.
    pub(crate) fn wait_for(&mut self, path: &str, is_so: impl Fn(&Value) -> bool) -> Result<Value> {
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = self.get(path)?;
            if is_so(&answer) {
                return Ok(answer);
            }
            ensure!(Instant::now() < until, violation(format!("{path} stays {answer}")));
            std::thread::sleep(Duration::from_millis(20)); // tidy: sleep — the server works, and tells who asks
        }
    }
}
