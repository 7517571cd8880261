//! The partner outside that tasks call: it answers soon or late, fails, hangs, or cuts the connection, and remembers who called.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;

use super::stream::line;
use crate::loopback;
use crate::rng::Rng;

/// Longest silence of a caller.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a partner behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manners {
    /// As partners do: mostly well.
    Moody,
    /// Answers at once.
    Good,
    /// Never answers.
    Hanging,
}

/// What it knows of one call's id.
#[derive(Debug, Clone, Default)]
pub(super) struct Called {
    /// How often.
    pub(super) times: u64,
    /// When it heard of it first.
    pub(super) first: Option<Instant>,
    /// The highest attempt that it was told.
    pub(super) attempt: i64,
    /// The mark that the task will leave.
    pub(super) name: String,
}

struct Inner {
    manners: Manners,
    calls: Mutex<BTreeMap<String, Called>>,
    rng: Mutex<Rng>,
    over: AtomicBool,
    /// Rung at the end, for those that hang.
    ended: (Mutex<bool>, Condvar),
}

/// A partner; ends when dropped.
pub(super) struct Partner {
    address: SocketAddr,
    inner: Arc<Inner>,
}

impl Partner {
    pub(super) fn start(manners: Manners, rng: Rng) -> Result<Self> {
        let (calls, over, ended) = Default::default();
        let inner = Arc::new(Inner { manners, calls, rng: Mutex::new(rng), over, ended });
        let address = loopback::listen(&inner, |inner| inner.over.load(Ordering::Relaxed), Inner::serve)?;
        Ok(Self { address, inner })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(super) fn calls(&self) -> BTreeMap<String, Called> {
        lock(&self.inner.calls).clone()
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        self.inner.over.store(true, Ordering::Relaxed);
        *lock(&self.inner.ended.0) = true;
        self.inner.ended.1.notify_all();
        // So that the listener looks.
        let _ = TcpStream::connect(self.address);
    }
}

impl Inner {
    /// Requests of one connection, until it is cut.
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut connection = BufReader::new(stream);
        while let Some((id, body)) = request(&mut connection)? {
            self.remember(id, &body);
            let (answer, after) = self.answer();
            if self.is_over_within(after) {
                return Ok(());
            }
            let Some(status) = answer else { return Ok(()) };
            let text = format!("HTTP/1.1 {status} x\r\ncontent-length: 2\r\n\r\n{{}}");
            connection.get_mut().write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn remember(&self, id: String, body: &[u8]) {
        let told: Value = serde_json::from_slice(body).unwrap_or_default();
        let mut calls = lock(&self.calls);
        let called = calls.entry(id).or_default();
        called.times += 1;
        called.first = called.first.or_else(|| Some(Instant::now()));
        called.attempt = called.attempt.max(told["attempt"].as_i64().unwrap_or(0));
        called.name = told["name"].as_str().unwrap_or_default().to_owned();
    }

    /// What to answer, if anything, and after how long.
    fn answer(&self) -> (Option<u16>, Duration) {
        let mut rng = lock(&self.rng);
        let ms = Duration::from_millis;
        match self.manners {
            Manners::Good => (Some(200), Duration::ZERO),
            Manners::Hanging => (None, Duration::from_secs(3_600)),
            Manners::Moody => match rng.between(0, 100) {
                0..=2 => (None, ms(0)),
                3..=5 => (Some(503), ms(0)),
                6..=7 => (None, ms(1_500)),
                8..=50 => (Some(200), ms(rng.between(300, 1_500))),
                _ => (Some(200), ms(rng.between(0, 50))),
            },
        }
    }

    fn is_over_within(&self, time: Duration) -> bool {
        let over = lock(&self.ended.0);
        let waited = self.ended.1.wait_timeout_while(over, time, |over| !*over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The id and body of the next request; `None` at the end of the connection.
fn request(connection: &mut BufReader<TcpStream>) -> io::Result<Option<(String, Vec<u8>)>> {
    let Ok(_) = line(connection) else { return Ok(None) };
    let (mut id, mut length) = (String::new(), 0);
    loop {
        let header = line(connection)?;
        let Some((name, value)) = header.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "webhook-id" => id = value.trim().to_owned(),
            "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(Some((id, body)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
