//! Who is told: answers soon or late, refuses, or cuts the connection, and remembers every call.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::loopback;
use crate::rng::Rng;

/// Longest silence of a caller.
const PATIENCE: Duration = Duration::from_secs(60);

/// A call that came.
#[derive(Debug, Clone)]
pub struct Heard {
    /// The same in every try.
    pub id: String,
    /// As it came.
    pub body: String,
}

impl Heard {
    /// Of which sensor, and which of its changes.
    #[must_use]
    pub fn change(&self) -> (String, u64) {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        let sensor = body["data"]["sensor_id"].as_str().unwrap_or_default().to_owned();
        (sensor, body["data"]["sensor_seq"].as_u64().unwrap_or(0))
    }
}

struct Inner {
    heard: Mutex<Vec<Heard>>,
    rng: Mutex<Rng>,
    good: AtomicBool,
    over: AtomicBool,
}

/// The receiver; ends when dropped.
pub struct Receiver {
    address: SocketAddr,
    inner: Arc<Inner>,
}

impl Receiver {
    /// One on any free port, in every mood.
    ///
    /// # Errors
    /// There is no port.
    pub fn start(rng: Rng) -> Result<Self> {
        let (heard, good, over) = Default::default();
        let inner = Arc::new(Inner { heard, rng: Mutex::new(rng), good, over });
        let address = loopback::listen(&inner, |inner| inner.over.load(Ordering::Relaxed), Inner::serve)?;
        Ok(Self { address, inner })
    }

    /// How often it was called.
    pub(crate) fn count(&self) -> u64 {
        lock(&self.inner.heard).len() as u64
    }

    /// By name: what a name resolves to is judged only by whoever connects.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://localhost:{}/doors", self.address.port())
    }

    /// From now on it takes everything at once.
    pub fn be_good(&self) {
        self.inner.good.store(true, Ordering::Relaxed);
    }

    /// All calls so far, in their order.
    #[must_use]
    pub fn heard(&self) -> Vec<Heard> {
        lock(&self.inner.heard).clone()
    }

    /// The newest change of each sensor that it heard of.
    #[must_use]
    pub fn newest(&self) -> BTreeMap<String, u64> {
        let mut newest = BTreeMap::new();
        for (sensor, change) in lock(&self.inner.heard).iter().map(Heard::change) {
            let held = newest.entry(sensor).or_insert(change);
            *held = change.max(*held);
        }
        newest
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.inner.over.store(true, Ordering::Relaxed);
        // So that the listener looks.
        let _ = TcpStream::connect(self.address);
    }
}

impl Inner {
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut connection = BufReader::new(stream);
        while let Some(heard) = request(&mut connection)? {
            lock(&self.heard).push(heard);
            let (answer, after) = self.answer();
            thread::sleep(after); // tidy: sleep — it is slow on purpose
            let Some(answer) = answer else { return Ok(()) };
            connection.get_mut().write_all(format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\n\r\n").as_bytes())?;
        }
        Ok(())
    }

    fn answer(&self) -> (Option<&'static str>, Duration) {
        let ms = Duration::from_millis;
        if self.good.load(Ordering::Relaxed) {
            return (Some("204 x"), ms(0));
        }
        let mut rng = lock(&self.rng);
        match rng.between(0, 100) {
            0..=4 => (None, ms(0)),
            5..=9 => (Some("500 x"), ms(0)),
            10..=24 => (Some("503 x\r\nretry-after: 1"), ms(0)),
            25..=50 => (Some("200 x"), ms(rng.between(20, 400))),
            _ => (Some("204 x"), ms(rng.between(0, 20))),
        }
    }
}

/// The next call; `None` at the end of the connection.
fn request(connection: &mut BufReader<TcpStream>) -> io::Result<Option<Heard>> {
    let (mut line, mut id, mut length) = (String::new(), String::new(), 0);
    if connection.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    loop {
        line.clear();
        connection.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "webhook-id" => id = value.trim().to_owned(),
            "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(Some(Heard { id, body: String::from_utf8_lossy(&body).into_owned() }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
