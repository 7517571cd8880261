//! Readers of the change feed: each prefers one node, goes on at another one when that is gone or silent, and writes down every
//! event that it was given.

use std::io::{self, BufReader};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ledger::drill::TOPIC;
use serde_json::Value;

use super::stream::{Stream, line};
use crate::client::Client;
use crate::server::KEY;

/// Longest silence of a node before the next one is asked.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longest wait for the last events once nothing more comes.
const LAST_WAIT: Duration = Duration::from_secs(20);

/// What readers share: where the nodes are, and how many events there are in the end.
pub(super) struct Feed {
    /// None while a node is down.
    pub(super) nodes: Mutex<Vec<Option<SocketAddr>>>,
    goal: AtomicU64,
}

/// How a reader reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A page at a time.
    Pages,
    /// Server-sent events.
    Live,
}

/// An event as a reader saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) number: i64,
    pub(super) subject: String,
    pub(super) cycle: u32,
}

/// One reader.
pub(super) struct Reader {
    way: Way,
    node: usize,
    cursor: String,
    pub(super) seen: Vec<Seen>,
    /// How often it went on elsewhere or anew.
    pub(super) resumed: u64,
}

impl Feed {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes: Mutex::new(vec![None; nodes]), goal: AtomicU64::new(u64::MAX) }
    }

    pub(super) fn set(&self, node: usize, address: Option<SocketAddr>) {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)[node] = address;
    }

    /// There will be so many events and no more.
    pub(super) fn end_at(&self, count: u64) {
        self.goal.store(count, Ordering::Relaxed);
    }

    /// Where to read: at this node, or at the next one that is there.
    fn address(&self, from: usize) -> Option<(usize, SocketAddr)> {
        let nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = (0..nodes.len()).map(|step| (from + step) % nodes.len());
        turn.into_iter().find_map(|node| Some((node, nodes[node]?)))
    }

    fn goal(&self) -> u64 {
        self.goal.load(Ordering::Relaxed)
    }
}

impl Reader {
    pub(super) fn new(way: Way, node: usize) -> Self {
        Self { way, node, cursor: String::new(), seen: vec![], resumed: 0 }
    }

    pub(super) fn name(&self) -> String {
        format!("reader of node {} ({:?})", self.node + 1, self.way)
    }

    /// Reads until everything was seen, or until nothing more comes.
    pub(super) fn follow(mut self, feed: &Feed) -> Self {
        let (mut at, mut last) = (self.node, None);
        loop {
            let Some((node, address)) = feed.address(at) else { continue };
            let cut = match self.way {
                Way::Pages => self.pages(address, feed),
                Way::Live => self.live(address, feed),
            };
            if cut.is_ok() {
                return self;
            }
            self.resumed += 1;
            at = node + 1;
            let is_last = feed.goal() != u64::MAX;
            let until: &mut Instant = last.get_or_insert(Instant::now() + LAST_WAIT);
            if !is_last {
                last = None;
            } else if Instant::now() > *until {
                return self;
            }
            thread::sleep(Duration::from_millis(20)); // tidy: sleep — a node that is down must not be asked in a tight loop
        }
    }

    fn path(&self, limit: &str) -> String {
        let after = if self.cursor.is_empty() { String::new() } else { format!("&after={}", self.cursor) };
        format!("/v1/main/events?topic={TOPIC}{limit}{after}")
    }

    fn is_done(&self, feed: &Feed) -> bool {
        self.seen.len() as u64 >= feed.goal()
    }

    fn pages(&mut self, address: SocketAddr, feed: &Feed) -> io::Result<()> {
        let mut client = Client::new(address, KEY).with_patience(PATIENCE);
        loop {
            let was_done = self.is_done(feed);
            let page = client.get(&self.path("&limit=200"))?;
            if page.status != 200 {
                return Err(io::Error::other(page.body.to_string()));
            }
            let items = page.body["items"].as_array().cloned().unwrap_or_default();
            items.iter().for_each(|item| self.note(item["cursor"].as_str().unwrap_or_default(), item));
            self.cursor = page.body["next"].as_str().unwrap_or_default().to_owned();
            // One more page after the last event: nobody must be given more.
            if was_done && items.is_empty() {
                return Ok(());
            }
            if items.is_empty() {
                thread::sleep(Duration::from_millis(20)); // tidy: sleep — a reader of pages asks again after a while
            }
        }
    }

    fn live(&mut self, address: SocketAddr, feed: &Feed) -> io::Result<()> {
        let mut stream = Stream::open(address, &self.path(""), "text/event-stream", PATIENCE)?;
        loop {
            let read = self.live_event(&mut stream);
            // Silence after the last event: nobody must be given more.
            if read.is_err() && self.is_done(feed) {
                return Ok(());
            }
            read?;
        }
    }

    /// One event, whole, or what else comes on a stream.
    fn live_event(&mut self, stream: &mut BufReader<Stream>) -> io::Result<()> {
        let (mut id, mut data) = (None, None);
        loop {
            let line = line(stream)?;
            if line.is_empty() {
                break;
            }
            match line.split_once(": ") {
                Some(("id", cursor)) => id = Some(cursor.to_owned()),
                Some(("data", text)) => data = serde_json::from_str::<Value>(text).ok(),
                _ => {}
            }
        }
        if let (Some(cursor), Some(data)) = (&id, &data) {
            self.note(cursor, data);
        }
        if let Some(cursor) = id {
            self.cursor = cursor;
        }
        Ok(())
    }

    fn note(&mut self, cursor: &str, event: &Value) {
        let number = cursor.rsplit_once('.').and_then(|(_, number)| number.parse().ok()).unwrap_or(-1);
        let subject = event["subject"].as_str().unwrap_or_default().to_owned();
        let cycle = event["data"]["cycle"].as_u64().and_then(|cycle| u32::try_from(cycle).ok()).unwrap_or(u32::MAX);
        self.seen.push(Seen { number, subject, cycle });
    }
}
