//! Targets that hang, beside some that do not (KER-16, KER-19): how long others wait because of them.
//!
//! One server, one run: the same tasks are put off twice while nobody hangs, which shows the noise, once while four targets hold
//! as many calls as they may, and once more while further tasks for these come back again and again and find no room. A task to a target has begun when the target hears of it, a local one when a reader
//! of the feed hears of its mark.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ledger::drill::{Mark, TOPIC};
use serde_json::{Value, json};

use super::partner::{Manners, Partner};
use super::stream::{Stream, line};
use crate::client::Client;
use crate::leftovers;
use crate::rng::Rng;
use crate::server::{Launch, Server};
use crate::waits::Waits;

/// Targets that hang.
const HANGING: usize = 4;
/// Calls to one target at once, by default.
const CALLS_PER_TARGET: usize = 32;
/// Tasks for each target that hangs, beyond those that it holds.
const COME_BACK: usize = 18;
/// Pause between two pairs of tasks: far below what one server bears, for its queues are not what is measured.
const PACE: Duration = Duration::from_millis(10);
/// Longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// One phase: tasks to a good target, and local ones.
#[derive(Debug, Clone, Copy)]
pub struct Phase {
    /// To a target that answers.
    pub target: Waits,
    /// Without any target.
    pub local: Waits,
}

/// What was measured.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Nobody hangs, twice.
    pub calm: [Phase; 2],
    /// Four targets hold as many calls as they may.
    pub full: Phase,
    /// And more tasks for them come back again and again.
    pub hanging: Phase,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
        let rows = [
            ("calm", self.calm[0]),
            ("calm again", self.calm[1]),
            ("four full", self.full),
            ("four hang", self.hanging),
        ];
        write!(f, "phase       target p50 / p99 ms    local p50 / p99 ms")?;
        for (name, Phase { target, local }) in rows {
            let [a, b, c, d] = [target.p50, target.p99, local.p50, local.p99].map(ms);
            write!(f, "\n{name:<10}  {a:>9.1} / {b:<9.1}  {c:>9.1} / {d:<9.1}")?;
        }
        Ok(())
    }
}

/// Measures with `count` tasks of each kind in each phase.
///
/// # Errors
/// A task did not begin at all, or the server cannot be run.
pub fn run(program: &Path, count: usize) -> Result<Figures> {
    let folder = leftovers::folder()?;
    let launch = Launch::new(program, &folder.path().join("data")).env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true");
    let server = launch.start()?;
    let good = Partner::start(Manners::Good, Rng::new(1))?;
    phase(&server, &good, "warm", 20)?;
    let calm = [phase(&server, &good, "first", count)?, phase(&server, &good, "second", count)?];
    let partners = (0..HANGING).map(|_| Partner::start(Manners::Hanging, Rng::new(1)));
    let partners: Vec<Partner> = partners.collect::<Result<_>>()?;
    hang(&server, &partners, CALLS_PER_TARGET)?;
    let full = phase(&server, &good, "third", count)?;
    hang(&server, &partners, COME_BACK)?;
    // Not measured: they were put off all at once, and whoever comes behind them waits for that.
    phase(&server, &good, "behind", 20)?;
    let hanging = phase(&server, &good, "fourth", count)?;
    Ok(Figures { calm, full, hanging })
}

/// Puts so many tasks off to each target that hangs, until each holds as many calls as it may.
fn hang(server: &Server, partners: &[Partner], count: usize) -> Result<()> {
    let mut client = server.client();
    for partner in partners {
        for _ in 0..count {
            put_off(&mut client, &json!({ "op": "hang", "target": partner.url() }))?;
        }
    }
    let until = Instant::now() + PATIENCE;
    while partners.iter().any(|partner| partner.calls().len() < CALLS_PER_TARGET) {
        ensure!(Instant::now() < until, "the hanging targets were not called often enough");
        thread::sleep(PACE); // tidy: sleep — calls come when they come
    }
    Ok(())
}

/// Puts tasks off at an even pace, and says how long they waited.
fn phase(server: &Server, good: &Partner, name: &str, count: usize) -> Result<Phase> {
    let head = server.client().get("/v1/main/events?after=head")?;
    let after = head.body["next"].as_str().context("a cursor")?.to_owned();
    let path = format!("/v1/main/events?topic={TOPIC}&after={after}");
    let mut client = server.client();
    thread::scope(|scope| {
        let heard = scope.spawn(|| hear(server, &path, count));
        let (mut called, mut marked) = (BTreeMap::new(), BTreeMap::new());
        let begun = Instant::now();
        for number in 0..count {
            let pair = u32::try_from(number)?;
            thread::sleep((PACE * pair).saturating_sub(begun.elapsed())); // tidy: sleep — an even pace is what is measured at
            let sent = Instant::now();
            called.insert(put_off(&mut client, &json!({ "op": "call", "target": good.url() }))?, sent);
            let mark = Mark { name: format!("{name}-{number}"), cycles: 1 };
            let sent = Instant::now();
            put_off(&mut client, &json!({ "op": "drill.mark", "param": &mark }))?;
            marked.insert(mark.name, sent);
        }
        let heard = heard.join().map_err(|_| anyhow::anyhow!("the reader broke down"))??;
        let until = Instant::now() + PATIENCE;
        while called.keys().any(|id| !good.calls().contains_key(id)) {
            ensure!(Instant::now() < until, "tasks to a good target did not begin");
            thread::sleep(PACE); // tidy: sleep — calls come when they come
        }
        let calls = good.calls().into_iter().filter_map(|(id, call)| Some((id, call.first?))).collect();
        Ok(Phase { target: waits(&called, &calls), local: waits(&marked, &heard) })
    })
}

fn put_off(client: &mut Client, body: &Value) -> Result<String> {
    let answer = client.post("/v1/main/tasks", body, "").map_err(std::io::Error::from)?;
    ensure!(answer.status == 201, "{answer:?}");
    Ok(answer.body["id"].as_str().context("an id")?.to_owned())
}

/// When the events of so many marks were heard.
fn hear(server: &Server, path: &str, count: usize) -> Result<BTreeMap<String, Instant>> {
    let mut stream = Stream::open(server.address, path, "text/event-stream", PATIENCE)?;
    let mut heard = BTreeMap::new();
    while heard.len() < count {
        let line = line(&mut stream)?;
        let event = line.strip_prefix("data: ").map(serde_json::from_str::<Value>).transpose()?;
        if let Some(subject) = event.as_ref().and_then(|event| event["subject"].as_str()) {
            heard.insert(subject.to_owned(), Instant::now());
        }
    }
    Ok(heard)
}

fn waits(sent: &BTreeMap<String, Instant>, begun: &BTreeMap<String, Instant>) -> Waits {
    let wait = |(id, sent): (&String, &Instant)| Some(begun.get(id)?.saturating_duration_since(*sent));
    Waits::of(sent.iter().filter_map(wait).collect())
}
