//! Somebody who asks under one key until it is answered, each time at another node.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::check::violation;
use crate::client::{Answer, Client, Cut};
use crate::machine::Front;
use crate::server::KEY;

/// Somebody answers within this time, whatever strikes one node.
const PATIENCE: Duration = Duration::from_secs(60);

/// Requests of all callers: each has a key of its own.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// Asks; an answer that is no fault.
pub(super) fn ask(front: &dyn Front, method: &str, path: &str, body: &Value) -> Result<Answer> {
    let once = if method == "GET" { String::new() } else { format!("all-{}", ASKED.fetch_add(1, Ordering::Relaxed)) };
    let (answer, _) =
        until_answered(front, path, |client| client.ask(method, path, body, &once).map(|answer| (answer, vec![])))?;
    Ok(answer)
}

/// Sends bytes to where there is one thing only, so that doing it twice is doing it once.
pub(super) fn upload(front: &dyn Front, path: &str, bytes: &[u8]) -> Result<()> {
    let (answer, _) = until_answered(front, path, |client| client.upload(path, bytes).map(|answer| (answer, vec![])))?;
    ensure!((200..300).contains(&answer.status), violation(format!("{path} was answered {answer:?}")));
    Ok(())
}

/// Reads bytes.
pub(super) fn download(front: &dyn Front, path: &str) -> Result<Vec<u8>> {
    let (answer, bytes) = until_answered(front, path, |client| client.download(path))?;
    ensure!(answer.status == 200, violation(format!("{path} was answered {answer:?}")));
    Ok(bytes)
}

type Answered = std::result::Result<(Answer, Vec<u8>), Cut>;

fn until_answered(front: &dyn Front, path: &str, ask: impl Fn(&mut Client) -> Answered) -> Result<(Answer, Vec<u8>)> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Ok(answered) = ask(&mut Client::new(front.address()?, KEY))
            && !answered.0.is_for_later()
        {
            return Ok(answered);
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
