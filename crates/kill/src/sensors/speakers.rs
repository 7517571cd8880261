//! Those who send signals: each signal has an id, is the opposite of the one before it, and is repeated until it is acknowledged. So each
//! is one change, however often it was sent.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::check::violation;
use crate::client::Client;
use crate::rng::Rng;
use crate::server::KEY;

/// Sensors of each.
pub(crate) const SENSORS: usize = 3;
/// A signal that is not acknowledged within this time never will be.
const PATIENCE: Duration = Duration::from_secs(60);

/// Rung when there have been kills enough.
pub(crate) struct End(AtomicBool);

impl End {
    pub(crate) const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    pub(crate) fn ring(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One of them.
pub(crate) struct Speaker {
    number: usize,
    rng: Rng,
    pace: Duration,
    /// Acknowledged signals of each sensor.
    pub(crate) said: BTreeMap<String, u64>,
}

/// The id of a sensor.
pub(crate) fn sensor(speaker: usize, number: usize) -> String {
    format!("s{speaker}x{number}")
}

impl Speaker {
    pub(crate) fn new(number: usize, rng: Rng) -> Self {
        Self { number, rng, pace: Duration::ZERO, said: BTreeMap::new() }
    }

    /// With a pause after each signal.
    pub(crate) fn paced(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Speaks until the end, one or two sensors at a time.
    pub(crate) fn speak(&mut self, end: &End, address: impl Fn() -> SocketAddr) -> Result<()> {
        while !end.0.load(Ordering::Relaxed) {
            let first = usize::try_from(self.rng.between(0, SENSORS as u64)).unwrap_or(0) % SENSORS;
            let both = self.rng.percent(30);
            let sensors: Vec<usize> = if both { vec![first, (first + 1) % SENSORS] } else { vec![first] };
            self.say(&sensors, &address)?;
            thread::sleep(self.pace); // tidy: sleep — the load is as asked for
        }
        Ok(())
    }

    /// A last signal of each sensor.
    pub(crate) fn last_words(&mut self, address: SocketAddr) -> Result<()> {
        self.say(&(0..SENSORS).collect::<Vec<_>>(), &|| address)
    }

    fn say(&mut self, sensors: &[usize], address: &impl Fn() -> SocketAddr) -> Result<()> {
        let names: Vec<String> = sensors.iter().map(|number| sensor(self.number, *number)).collect();
        let signal = |name: &String| {
            let number = self.said.get(name).copied().unwrap_or(0) + 1;
            json!({ "sensor_id": name, "data": number % 2, "id": format!("{name}-{number}") })
        };
        let body = Value::Array(names.iter().map(signal).collect());
        let until = Instant::now() + PATIENCE;
        while !sent(&body, address(), names.len())? {
            ensure!(Instant::now() < until, violation(format!("{body} is never acknowledged")));
            thread::sleep(Duration::from_millis(10)); // tidy: sleep — the server is being started by somebody else
        }
        names.into_iter().for_each(|name| *self.said.entry(name).or_default() += 1);
        Ok(())
    }
}

/// Whether it was acknowledged.
fn sent(body: &Value, address: SocketAddr, many: usize) -> Result<bool> {
    let Ok(answer) = Client::new(address, KEY).post("/v1/main/signals", body, "") else { return Ok(false) };
    if answer.status != 200 {
        return Ok(false);
    }
    let accepted = answer.body["accepted"].as_u64();
    ensure!(accepted == u64::try_from(many).ok(), violation(format!("{body} was answered with {answer:?}")));
    Ok(true)
}
