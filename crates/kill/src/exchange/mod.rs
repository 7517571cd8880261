//! The exchange: phones send, databases process, and at every step of the handshake somebody is killed, hangs or is cut off (EXC-10 to
//! EXC-20), with the commit marker and without it.
//!
//! Each point has a database and a phone of its own. Those that leave the server alone run side by side; the others one after the
//! other. In the end every message was done exactly once, every reply arrived exactly once, the ledger is true, the folders are too, and an
//! outcome was unknown exactly where nobody told it.

pub(crate) mod erp;
mod judge;
mod points;
pub(crate) mod wire;

use std::fmt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::check::violation;
use crate::client::Client;
use crate::leftovers;
use crate::machine::{Front as _, Machine};
use crate::server::{KEY, Launch};
use crate::world::store_of;
use erp::Erp;
use points::Point;
use wire::{Outcome, Wire};

/// Messages of each point.
const MESSAGES: usize = 3;
/// Files are where they belong within this time.
const LAID_MAX: Duration = Duration::from_secs(30);

/// What a drill came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// Points that were cut.
    pub points: usize,
    /// How often the server was killed.
    pub kills: u32,
    /// How many outcomes were unknown for a while.
    pub unknown: usize,
    /// Messages, replies included.
    pub messages: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { points, kills, unknown, messages } = self;
        write!(
            f,
            "{points} points, {kills} kills, {unknown} outcomes unknown for a while, {messages} messages exactly once"
        )
    }
}

/// Runs all points.
///
/// # Errors
/// A promise was broken.
pub fn run(program: &Path, has_marker: bool) -> Result<Report> {
    let folder = leftovers::folder()?;
    let launch = Launch::new(program, &folder.path().join("data"))
        .env("FASTNESS_EXCHANGE__PREPARE_WITHIN", "1s")
        .env("FASTNESS_EXCHANGE__COMMIT_WITHIN", "1s");
    let machine = Machine::start(launch)?;
    register_company(&machine)?;
    let points = points::all();
    let mut scenes = vec![];
    for (number, point) in points.iter().enumerate() {
        scenes.push((number, Scene::open(&machine, folder.path(), number, *point, has_marker)?));
    }
    let (alone, together): (Vec<_>, Vec<_>) = scenes.into_iter().partition(|(_, scene)| scene.point.kills_server());
    let play = |(number, scene): (usize, Scene<'_>)| {
        let point = scene.point;
        scene.play().with_context(|| format!("point {number}: {point}"))
    };
    let mut unknown = 0;
    thread::scope(|scope| -> Result<()> {
        let playing: Vec<_> = together.into_iter().map(|scene| scope.spawn(move || play(scene))).collect();
        for scene in playing {
            unknown += usize::from(scene.join().map_err(|_| violation("a scene panicked"))??);
        }
        Ok(())
    })?;
    for scene in alone {
        unknown += usize::from(play(scene)?);
    }
    wait_laid(&machine)?;
    let kills = machine.end()?;
    let messages = judge::judge(&store_of(machine.data(), "main"), &machine.data().join("exchange/main"))?;
    ensure!(messages == points.len() * MESSAGES * 2, violation(format!("{messages} messages and replies")));
    Ok(Report { points: points.len(), kills, unknown, messages })
}

fn register_company(machine: &Machine) -> Result<()> {
    post(machine, "companies", &json!({ "id": "acme", "name": "Acme" }))?;
    post(machine, "subsystems", &json!({ "id": "sales", "company": "acme", "name": "Sales" })).map(drop)
}

fn post(machine: &Machine, path: &str, body: &Value) -> Result<Value> {
    match Wire::new(machine, KEY).post(None, path, body)? {
        Outcome::Answer(answer) => Ok(answer),
        Outcome::Nothing | Outcome::Died => anyhow::bail!("{path} was not answered"),
    }
}

fn wait_laid(machine: &Machine) -> Result<()> {
    let (store, until) = (store_of(machine.data(), "main"), Instant::now() + LAID_MAX);
    while !judge::is_laid(&store)? {
        ensure!(Instant::now() < until, violation(format!("files are not where they belong after {LAID_MAX:?}")));
        thread::sleep(Duration::from_millis(50)); // tidy: sleep — another process lays them, and says so to nobody
    }
    Ok(())
}

/// A phone and a database, and the point at which something happens to them.
struct Scene<'a> {
    machine: &'a Machine,
    point: Point,
    erp: Erp<'a>,
    phone: String,
    key: String,
    messages: Vec<String>,
}

impl<'a> Scene<'a> {
    fn open(machine: &'a Machine, folder: &Path, number: usize, point: Point, has_marker: bool) -> Result<Self> {
        let name = format!("erp{number}");
        let text = |answer: &Value, name: &str| answer[name].as_str().map(str::to_owned).context(name.to_owned());
        let made = post(machine, "databases", &json!({ "id": name, "company": "acme" }))?;
        let wire = Wire::new(machine, &text(&made, "key")?);
        let erp = Erp::open(&folder.join(format!("{name}.db")), &name, wire, has_marker)?;
        let wanted = json!({ "company": "acme", "subsystem": "sales", "name": format!("phone {number}") });
        let made = post(machine, "devices", &wanted)?;
        let active = post(machine, "activate", &json!({ "code": made["activation_code"] }))?;
        let messages = (0..MESSAGES).map(|message| format!("m-{number}-{message}")).collect();
        Ok(Self { machine, point, erp, phone: text(&active, "device")?, key: text(&active, "key")?, messages })
    }

    /// Whether the outcome was unknown for a while.
    fn play(mut self) -> Result<bool> {
        for (order, id) in self.messages.iter().enumerate() {
            self.send(id, order)?;
        }
        self.erp.fault = Some(self.point);
        self.erp.finish()?;
        let expected = self.point.is_unknown();
        let saw = self.erp.saw_unknown;
        // One that hangs tells in the end, maybe before it looks for what is unknown.
        let good = saw == expected || self.point.fault == points::Fault::Hangs;
        ensure!(good, violation(format!("unknown: {saw}, expected: {expected}")));
        self.judge()?;
        Ok(saw)
    }

    fn send(&self, id: &str, order: usize) -> Result<()> {
        let message = json!({
            "version": 1, "id": id,
            "head": { "company": "acme", "subsystem": "sales", "from": self.phone, "to": self.erp.name,
                      "created_at": "2026-11-16T12:00:00Z", "order": order },
            "body": { "type": "order", "version": 1, "payload": { "n": order } },
        });
        // Twice: the second is the first again.
        for _ in 0..2 {
            let answer = Wire::new(self.machine, &self.key).post(None, "messages", &message)?;
            ensure!(matches!(answer, Outcome::Answer(_)), "a message was not taken");
        }
        Ok(())
    }

    fn judge(&self) -> Result<()> {
        for id in &self.messages {
            let times = self.erp.done(id)?;
            ensure!(times == 1, violation(format!("message {id} was done {times} times")));
            let status = Wire::new(self.machine, &self.key).get(&format!("messages/{id}/status"))?;
            ensure!(status["state"] == "processed", violation(format!("message {id}: {status}")));
        }
        let mut replies = self.fetch_all()?;
        replies.sort();
        let expected: Vec<String> = self.messages.iter().map(|id| format!("r-{id}")).collect();
        ensure!(replies == expected, violation(format!("replies {replies:?}")));
        Ok(())
    }

    /// Fetches one at a time and acknowledges each.
    fn fetch_all(&self) -> Result<Vec<String>> {
        let mut all = vec![];
        loop {
            let fetched = Wire::new(self.machine, &self.key).get("messages?max_files=1")?;
            let Some(id) = fetched["messages"][0]["id"].as_str() else { return Ok(all) };
            let mut client = Client::new(self.machine.address()?, &self.key);
            let path = format!("/v1/main/exchange/messages/{id}/ack");
            let answer = client.post(&path, &Value::Null, "").map_err(std::io::Error::from)?;
            ensure!(answer.status == 204, violation(format!("{path}: {answer:?}")));
            all.push(id.to_owned());
        }
    }
}
