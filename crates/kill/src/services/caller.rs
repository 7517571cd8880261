//! Somebody who asks under one key until it is answered, each time at another node.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::check::violation;
use crate::client::{Answer, Client};
use crate::machine::Front;
use crate::server::KEY;

/// Somebody answers within this time, whatever strikes one node.
const PATIENCE: Duration = Duration::from_secs(60);

/// Requests of all callers: each has a key of its own.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// Asks; an answer that is no fault.
pub(super) fn ask(front: &dyn Front, method: &str, path: &str, body: &Value) -> Result<Answer> {
    let once = if method == "GET" { String::new() } else { format!("all-{}", ASKED.fetch_add(1, Ordering::Relaxed)) };
    let until = Instant::now() + PATIENCE;
    loop {
        let answer = Client::new(front.address()?, KEY).ask(method, path, body, &once);
        if let Ok(answer) = answer
            && !answer.is_for_later()
        {
            return Ok(answer);
        }
        ensure!(Instant::now() < until, violation(format!("{path} is never answered")));
        thread::sleep(Duration::from_millis(20)); // tidy: sleep — a node that is out must not be asked in a tight loop
    }
}

/// Asks; what is not done is a broken promise.
pub(super) fn told(front: &dyn Front, method: &str, path: &str, body: &Value) -> Result<Value> {
    let answer = ask(front, method, path, body)?;
    ensure!((200..300).contains(&answer.status), violation(format!("{path} with {body} was answered {answer:?}")));
    Ok(answer.body)
}
