//! Sensors: writers send signals over HTTP while the server is killed again and again; a receiver takes what it is told, in every
//! mood. In the end each acknowledged change has its event, each event its end, and the receiver heard each under one id and in order.

pub(crate) mod judge;
pub mod receiver;
pub(crate) mod speakers;

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::check::violation;
use crate::client::Client;
use crate::leftovers;
use crate::rng::Rng;
use crate::server::{KEY, Launch, Server};
use crate::world::store_of;
use judge::Left;
use receiver::Receiver;
use speakers::{End, SENSORS, Speaker};

/// Writers; each has sensors of its own.
pub(crate) const SPEAKERS: usize = 3;
/// Everything is told within this time once the kills are over: a holder that is gone is waited for, then a pause.
const SETTLE_MAX: Duration = Duration::from_secs(120);

/// What a drill came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// How often the server was killed.
    pub kills: u32,
    /// Changes that were acknowledged.
    pub changes: u64,
    /// Calls that the receiver got, and events that it was told.
    pub calls: (usize, usize),
    /// How long it took until everything was told.
    pub settled: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, changes, calls: (calls, events), settled } = self;
        write!(
            f,
            "{kills} kills, {changes} changes acknowledged, {calls} calls for {events} events, settled in {settled:?}"
        )
    }
}

/// Where the server listens now; it changes with every start.
struct Address(Mutex<SocketAddr>);

impl Address {
    fn get(&self) -> SocketAddr {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, address: SocketAddr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }
}

/// Runs a drill with so many kills.
///
/// # Errors
/// A promise was broken.
pub fn run(program: &Path, kills: u32, seed: u64) -> Result<Report> {
    let mut rng = Rng::new(seed);
    let folder = leftovers::folder()?;
    let launch = Launch::new(program, &folder.path().join("data")).env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true");
    let mut server = launch.start()?;
    let receiver = Receiver::start(rng.fork())?;
    let client = register(server.address, &receiver.url())?;
    let address = Address(Mutex::new(server.address));
    let end = End::new();
    let mut speakers: Vec<Speaker> = (0..SPEAKERS).map(|number| Speaker::new(number, rng.fork())).collect();
    let server = thread::scope(|scope| -> Result<Server> {
        let (end, address) = (&end, &address);
        let speaking: Vec<_> =
            speakers.iter_mut().map(|speaker| scope.spawn(move || speaker.speak(end, || address.get()))).collect();
        for _ in 0..kills {
            thread::sleep(Duration::from_millis(rng.between(100, 900))); // tidy: sleep — the moment of a kill is chance
            server.kill()?;
            server = launch.start().map_err(|error| violation(format!("{error:#}")))?;
            address.set(server.address);
        }
        end.ring();
        for speaker in speaking {
            speaker.join().map_err(|_| violation("a speaker panicked"))??;
        }
        Ok(server)
    })?;
    receiver.be_good();
    speakers.iter_mut().try_for_each(|speaker| speaker.last_words(server.address))?;
    let settled = wait_told(&receiver, &speakers)?;
    let (status, _) = server.end("TERM")?;
    ensure!(status.success(), violation(format!("stopped with {status}")));
    let events =
        judge::judge(&Left::in_file(&store_of(launch.data(), "main"), &client)?, &receiver.heard(), &speakers)?;
    let changes = speakers.iter().flat_map(|speaker| speaker.said.values()).sum();
    Ok(Report { kills, changes, calls: (receiver.heard().len(), events), settled })
}

/// A client that is told of every sensor of every speaker; its id.
pub(crate) fn register(address: SocketAddr, url: &str) -> Result<String> {
    let mut client = Client::new(address, KEY);
    let made = client
        .post("/v1/main/sensor-clients", &json!({ "name": "house", "url": url }), "")
        .map_err(std::io::Error::from)?;
    let id = made.body["id"].as_str().with_context(|| format!("no client: {made:?}"))?.to_owned();
    for sensor in (0..SPEAKERS).flat_map(|speaker| (0..SENSORS).map(move |number| speakers::sensor(speaker, number))) {
        let body = json!({ "address": "a house" });
        for (path, body) in [
            (format!("/v1/main/sensors/{sensor}"), body),
            (format!("/v1/main/sensor-clients/{id}/sensors/{sensor}"), Value::Null),
        ] {
            let answer = client.ask("PUT", &path, &body, "").map_err(std::io::Error::from)?;
            ensure!(answer.status < 300, "{path}: {answer:?}");
        }
    }
    Ok(id)
}

/// Waits until the receiver heard the last change of each sensor.
pub(crate) fn wait_told(receiver: &Receiver, speakers: &[Speaker]) -> Result<Duration> {
    let begun = Instant::now();
    let said: Vec<(&String, &u64)> = speakers.iter().flat_map(|speaker| &speaker.said).collect();
    loop {
        let heard = receiver.newest();
        let missing = said.iter().find(|(sensor, many)| heard.get(*sensor) != Some(*many));
        let Some((sensor, many)) = missing else { return Ok(begun.elapsed()) };
        let late = begun.elapsed() > SETTLE_MAX;
        ensure!(!late, violation(format!("change {many} of {sensor} is not told after {SETTLE_MAX:?}")));
        thread::sleep(Duration::from_millis(5)); // tidy: sleep — another process tells, and says so to nobody else
    }
}
