//! The drill: waves of tasks, a fault in each, one for ever in the last, and the judge.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use ledger::drill::{Inscribe, TASKS_MAX};
use serde_json::json;

use super::books::Reading;
use super::cluster::{Cluster, Strike, name};
use super::judge::{expected, judge_calls, judge_feed, judge_marks, judge_reader};
use super::partner::{Manners, Partner};
use super::reader::{Feed, Reader, Way};
use super::report::Report;
use crate::check::violation;
use crate::leftovers;
use crate::postgres::{Database, SHARED};
use crate::rng::Rng;

/// What everything may take beyond the lease after the last fault.
const BEYOND_LEASE: Duration = Duration::from_secs(5);
/// Without any progress for so long beyond two leases, something is stuck.
const STUCK: Duration = Duration::from_secs(20);
/// Between two looks at the store.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Time for overtaken attempts to try to settle, after their node is back.
const LATE_WAIT: Duration = Duration::from_secs(3);
/// Calls outside that a node has under way when it is struck, and the longest wait for such a node.
const CALLS_MIN: u64 = 4;
const BUSY_WAIT: Duration = Duration::from_secs(3);
/// Share of the tasks that is kept for the last fault.
const LAST_SHARE: u64 = 25;

/// What to do.
#[derive(Debug, Clone)]
pub struct Drill {
    /// The server.
    pub program: PathBuf,
    /// How many nodes.
    pub nodes: usize,
    /// How many tasks.
    pub tasks: u64,
    /// How many kills.
    pub kills: u32,
    /// How many pauses.
    pub pauses: u32,
    /// The lease of a node.
    pub lease: Duration,
    /// What decides all chance.
    pub seed: u64,
    /// A promise that the nodes break on purpose.
    pub mutant: Option<String>,
}

/// Runs a drill and says what it came to.
///
/// # Errors
/// A promise was broken (a [`crate::check::Violation`]), or the drill could not be run.
pub fn run(drill: &Drill, tell: &mut dyn FnMut(&str)) -> Result<Report> {
    leftovers::sweep()?;
    let folder = leftovers::folder()?;
    let database = Database::new(SHARED, "nodes")?;
    let mut rng = Rng::new(drill.seed);
    let partner = Partner::start(Manners::Moody, rng.fork())?;
    let feed = Feed::new(drill.nodes);
    let cluster = Cluster::start(drill, &database, folder.path(), &feed)?;
    let reading = Reading::open(&database)?;
    let mut field = Field { drill, rng, cluster, reading, partner, waves: vec![], begun: Instant::now(), tell };
    thread::scope(|scope| {
        let ways = [Way::Pages, Way::Live];
        let readers = (0..drill.nodes).flat_map(|node| ways.map(|way| Reader::new(way, node)));
        let readers: Vec<_> = readers.map(|reader| scope.spawn(|| reader.follow(&feed))).collect();
        let played = field.play();
        feed.end_at(played.as_ref().map_or(0, |_| expected(&field.waves).len() as u64));
        let readers: Vec<Reader> = readers.into_iter().filter_map(|reader| reader.join().ok()).collect();
        let judged = played.and_then(|last| field.judge(last, &readers));
        judged.inspect_err(|_| eprintln!("{}", field.cluster.logs()))
    })
}

/// What the last fault came to.
struct Last {
    what: Strike,
    done: Duration,
}

struct Field<'a> {
    drill: &'a Drill,
    rng: Rng,
    cluster: Cluster<'a>,
    reading: Reading,
    partner: Partner,
    waves: Vec<Inscribe>,
    begun: Instant,
    tell: &'a mut dyn FnMut(&str),
}

impl Field<'_> {
    fn play(&mut self) -> Result<Last> {
        let strikes = self.strikes();
        let last_count = (self.drill.tasks / LAST_SHARE).clamp(50, 1_000);
        let each = (self.drill.tasks - last_count).checked_div(strikes.len() as u64).unwrap_or(0);
        for (number, strike) in strikes.into_iter().enumerate() {
            // Not before the last wave is nearly over, so that faults strike over the whole run.
            self.wait("room for a wave", |field| Ok(field.reading.tasks_count()? <= each / 2))?;
            self.wave(number, each)?;
            self.wait("two healthy nodes", |field| Ok(field.cluster.healthy().len() > 1))?;
            self.strike(number, strike)?;
        }
        self.wait("the end of all waves", |field| {
            Ok(field.cluster.all_are_back() && field.reading.tasks_count()? == 0)
        })?;
        self.last(last_count)
    }

    /// Kills and pauses, shuffled.
    fn strikes(&mut self) -> Vec<Strike> {
        let kills = (0..self.drill.kills).map(|_| Strike::Kill);
        let all = kills.chain((0..self.drill.pauses).map(|_| Strike::Pause));
        let mut drawn: Vec<(u64, Strike)> = all.map(|strike| (self.rng.number(), strike)).collect();
        drawn.sort_unstable_by_key(|(number, _)| *number);
        drawn.into_iter().map(|(_, strike)| strike).collect()
    }

    /// Inscribes a wave and waits until some of it is done.
    fn wave(&mut self, number: usize, count: u64) -> Result<()> {
        let before = self.reading.marks_count()?;
        let mut left = count;
        for part in 0.. {
            let now = left.min(u64::from(TASKS_MAX));
            self.inscribe(format!("w{number}.{part}"), u32::try_from(now)?)?;
            left -= now;
            if left == 0 {
                break;
            }
        }
        let goal = before + self.rng.between(count / 20, count / 4).max(1);
        self.wait("some of a wave", |field| Ok(field.reading.marks_count()? >= goal))
    }

    /// A task that inscribes tasks, asked for until it is acknowledged.
    fn inscribe(&mut self, wave: String, count: u32) -> Result<()> {
        let inscribe = Inscribe { wave, count, url: self.partner.url() };
        let body = json!({ "op": "drill.inscribe", "param": &inscribe });
        let answer = self.cluster.client()?.post("/v1/main/tasks", &body, &inscribe.wave);
        let answer = answer.map_err(std::io::Error::from).context("no answer")?;
        ensure!(answer.status == 201, "a wave was refused: {answer:?}");
        self.waves.push(inscribe);
        Ok(())
    }

    fn strike(&mut self, number: usize, strike: Strike) -> Result<()> {
        let node = self.busiest()?;
        let lease_ms = u64::try_from(self.drill.lease.as_millis())?;
        let back_ms = match strike {
            // At once, or after the others took over.
            Strike::Kill => *self.rng.pick(&[0, lease_ms + 2_000]),
            Strike::Pause => lease_ms + self.rng.between(1_500, lease_ms.max(1_501)),
        };
        let (at, marks) = (self.begun.elapsed().as_secs_f64(), self.reading.marks_count()?);
        (self.tell)(&format!(
            "{at:>7.1} s  fault {:>2}: {strike:?} of node {}, back after {back_ms} ms; {marks} marks so far",
            number + 1,
            node + 1
        ));
        self.cluster.strike(node, strike, Some(Duration::from_millis(back_ms)))
    }

    /// The healthy node that makes the most calls outside: after a pause their answers are there, for an attempt that was
    /// overtaken. Anyone, if nobody has anything to do for long.
    fn busiest(&mut self) -> Result<usize> {
        let until = Instant::now() + BUSY_WAIT;
        while Instant::now() < until {
            let claimed = self.reading.claimed()?;
            let of = |node: &usize| claimed.get(&name(*node)).copied().unwrap_or_default();
            let busiest = self.cluster.healthy().into_iter().max_by_key(of).filter(|node| of(node).0 >= CALLS_MIN);
            if let Some(node) = busiest {
                return Ok(node);
            }
        }
        Ok(*self.rng.pick(&self.cluster.healthy()))
    }

    /// The last fault: its node does not come back until everything is done, or should be.
    fn last(&mut self, count: u64) -> Result<Last> {
        self.wave(usize::try_from(self.drill.kills + self.drill.pauses)?, count)?;
        // By the seed, so that both can be asked for.
        let what = if self.drill.seed.is_multiple_of(2) { Strike::Kill } else { Strike::Pause };
        let node = self.busiest()?;
        let left = self.reading.tasks_count()?;
        self.cluster.strike(node, what, None)?;
        let (struck, bound) = (Instant::now(), self.drill.lease + BEYOND_LEASE);
        while self.reading.tasks_count()? > 0 {
            if struck.elapsed() > bound {
                let tasks = self.reading.tasks()?;
                bail!(violation(format!("{bound:?} after the last fault ({what:?}) tasks are left: {tasks:?}")));
            }
            thread::sleep(LOOK_EVERY); // tidy: sleep — the store is looked at now and then, by another connection
        }
        let done = struck.elapsed();
        let at = self.begun.elapsed().as_secs_f64();
        (self.tell)(&format!(
            "{at:>7.1} s  last fault: {what:?} of node {} with {left} tasks left, all done after {:.1} s",
            node + 1,
            done.as_secs_f64()
        ));
        self.cluster.bring_back(node)?;
        thread::sleep(LATE_WAIT); // tidy: sleep — overtaken attempts of a node that is back must have their chance to settle
        Ok(Last { what, done })
    }

    /// Waits while nodes come back when it is their time. What does not move for long is stuck.
    fn wait(&mut self, what: &str, is_so: impl Fn(&Self) -> Result<bool>) -> Result<()> {
        let (mut moved, mut marks) = (Instant::now(), 0);
        while !is_so(self)? {
            self.cluster.tick()?;
            let now = self.reading.marks_count()?;
            if now != marks || !self.cluster.all_are_back() {
                (marks, moved) = (now, Instant::now());
            }
            if moved.elapsed() > self.drill.lease * 2 + STUCK {
                let tasks = self.reading.tasks()?;
                bail!(violation(format!("stuck while waiting for {what}, {now} marks, tasks left: {tasks:?}")));
            }
            thread::sleep(LOOK_EVERY); // tidy: sleep — the store is looked at now and then, by another connection
        }
        Ok(())
    }

    fn judge(&mut self, last: Last, readers: &[Reader]) -> Result<Report> {
        let late = self.cluster.late();
        self.cluster.end()?;
        let (expected, marks, calls) = (expected(&self.waves), self.reading.marks()?, self.partner.calls());
        judge_marks(&expected, &marks)?;
        judge_calls(&marks, &calls)?;
        ensure!(self.reading.unnumbered_count()? == 0, violation("events without a number are left"));
        let feed = judge_feed(&expected, &self.reading.events()?)?;
        readers.iter().try_for_each(|reader| judge_reader(&feed, reader))?;
        ensure!(readers.len() == self.drill.nodes * 2, "a reader broke down");
        let taken_over = marks.iter().filter(|mark| mark.attempt > 1).count() as u64;
        ensure!(taken_over > 0, "no task was taken over: the faults struck nothing");
        ensure!(late > 0 || self.drill.pauses == 0, "no overtaken attempt tried to settle: the pauses struck nothing");
        Ok(Report {
            nodes: self.drill.nodes,
            tasks: self.waves.iter().map(|wave| u64::from(wave.count)).sum(),
            marks: marks.len() as u64,
            struck: (
                self.drill.kills + u32::from(last.what == Strike::Kill),
                self.drill.pauses + u32::from(last.what == Strike::Pause),
            ),
            taken_over,
            late,
            calls: (
                calls.values().map(|called| called.times).sum(),
                calls.values().filter(|called| called.times > 1).count() as u64,
            ),
            readers: (readers.len(), readers.iter().map(|reader| reader.resumed).sum()),
            last: (format!("a {}", format!("{:?}", last.what).to_lowercase()), last.done),
            bound: self.drill.lease + BEYOND_LEASE,
            took: self.begun.elapsed(),
        })
    }
}
