//! Somebody who calls whichever server answers, and repeats until one does.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kill::client::{Answer, Client};
use serde_json::Value;

use crate::site::PATIENCE;

/// Calls of everybody that were not answered, or with "later".
static REFUSED: AtomicU64 = AtomicU64::new(0);

pub fn refused() -> u64 {
    REFUSED.load(Ordering::Relaxed)
}

pub struct Caller {
    addresses: Vec<SocketAddr>,
    key: String,
    turn: usize,
}

impl Caller {
    pub fn new(addresses: &[SocketAddr], key: &str) -> Self {
        Self { addresses: addresses.to_vec(), key: key.to_owned(), turn: 0 }
    }

    pub fn get(&mut self, path: &str) -> Value {
        self.ask("GET", path, &Value::Null, "")
    }

    /// With an Idempotency-Key, unless the call needs none.
    pub fn post(&mut self, path: &str, body: &Value, once: &str) -> Value {
        self.ask("POST", path, body, once)
    }

    /// Each call goes to the other server than the one before, and so does each repetition.
    pub fn ask(&mut self, method: &str, path: &str, body: &Value, once: &str) -> Value {
        let begun = Instant::now();
        loop {
            if let Some(answer) = self.once(method, path, body, once) {
                let good = (200..300).contains(&answer.status);
                assert!(good, "{method} {path} with {body:.300} was answered {answer:?}");
                return answer.body;
            }
            REFUSED.fetch_add(1, Ordering::Relaxed);
            assert!(begun.elapsed() < PATIENCE, "{method} {path} is never answered");
            std::thread::sleep(Duration::from_millis(20)); // tidy: sleep — a part is being started by somebody else
        }
    }

    /// `None`: nobody heard it, nobody heard the answer, or the answer was to come later.
    fn once(&mut self, method: &str, path: &str, body: &Value, once: &str) -> Option<Answer> {
        self.turn += 1;
        let address = self.addresses[self.turn % self.addresses.len()];
        let mut client = Client::new(address, &self.key);
        client.ask(method, path, body, once).ok().filter(|answer| !is_for_later(answer))
    }
}

/// Too busy, a part that is away, or others at the same key for too long.
fn is_for_later(answer: &Answer) -> bool {
    answer.status >= 500 || answer.status == 429 || answer.code().starts_with('C')
}
