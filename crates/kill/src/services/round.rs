//! The drill: everybody works, nodes are struck one after the other, and the judges look.

use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use super::balancer::Balancer;
use super::caller::told;
use super::cluster::Cluster;
use super::crew::{Crew, Trade};
use super::documents::{self, Writer};
use super::exchange::{Office, Phone};
use super::folders::Pair;
use super::papers::Clerk;
use super::report::Report;
use super::sensors::{House, speak};
use super::strike::Strike;
use super::workflow::{self, Counted};
use crate::check::violation;
use crate::leftovers;
use crate::nodes::books::Reading;
use crate::postgres::{Database, SHARED};
use crate::rng::Rng;
use crate::sensors::speakers::{End, Speaker};
use crate::storage::Storage;

/// Writers of documents, and workers of the workflow.
const WRITERS: usize = 2;
const WORKERS: usize = 2;
/// A node is back, and every service goes on without one, within this time: what a node took with it of words to others is made up for by the looks
/// behind them, each 30 s in folders, and a daemon bears a silent stream for 70 s.
const PATIENCE: Duration = Duration::from_secs(120);
/// Nothing is left to do within this time after the last work.
const SETTLE_MAX: Duration = Duration::from_secs(60);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What to do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The server: `fastness`.
    pub program: PathBuf,
    /// How many nodes.
    pub nodes: usize,
    /// How many strikes.
    pub rounds: usize,
    /// The lease of a node.
    pub lease: Duration,
    /// What decides all chance.
    pub seed: u64,
}

/// Runs a drill and says what it came to.
///
/// # Errors
/// A promise was broken (a [`crate::check::Violation`]), or the drill could not be run.
pub fn run(plan: &Plan, tell: &mut dyn FnMut(&str)) -> Result<Report> {
    leftovers::sweep()?;
    let folder = leftovers::folder()?;
    let database = Database::new(SHARED, "all")?;
    let balancer = Balancer::start(plan.nodes)?;
    let storage = Storage::start(&folder.path().join("storage"))?;
    let cluster = Cluster::start(plan, (&database, &storage), folder.path(), &balancer)?;
    let reading = Reading::open(&database)?;
    let rng = Rng::new(plan.seed);
    let mut field = Field {
        plan,
        rng,
        cluster,
        balancer: &balancer,
        reading,
        begun: Instant::now(),
        report: Report::default(),
        tell,
    };
    (0..plan.nodes).try_for_each(|node| field.wait_ready(node))?;
    let played = field.play(folder.path());
    played.inspect_err(|_| eprintln!("{}", field.cluster.logs()))?;
    field.report.took = field.begun.elapsed();
    Ok(field.report)
}

/// Everybody who works.
struct Work<'a> {
    writers: Vec<Writer<'a>>,
    clerk: Clerk<'a>,
    office: Office<'a>,
    phone: Phone<'a>,
    started: usize,
    counted: Vec<Counted>,
    speakers: Vec<Speaker>,
    pair: Pair,
}

struct Field<'a> {
    plan: &'a Plan,
    rng: Rng,
    cluster: Cluster<'a>,
    balancer: &'a Balancer,
    reading: Reading,
    begun: Instant,
    report: Report,
    tell: &'a mut dyn FnMut(&str),
}

impl Field<'_> {
    fn play(&mut self, folder: &Path) -> Result<()> {
        let front = self.balancer;
        documents::declare(front)?;
        let house = House::open(front, &mut self.rng)?;
        let speakers = House::speakers(&mut self.rng);
        let office = Office::open(front, folder)?;
        let pair = Pair::open(&self.plan.program, front, folder)?;
        let (crew, end) = (Crew::default(), End::new());
        let mut work = thread::scope(|scope| -> Result<Work<'_>> {
            let (crew, end) = (&crew, &end);
            let phone = office.phone();
            let writers: Vec<_> =
                (0..WRITERS).map(|number| scope.spawn(move || Writer::new(front, number).work(crew))).collect();
            let clerk = scope.spawn(move || Clerk::new(front).work(crew));
            let office = scope.spawn(move || office.work(crew));
            let phone = scope.spawn(move || phone.work(crew));
            let starter = scope.spawn(move || workflow::start_all(front, crew));
            let workers: Vec<_> =
                (0..WORKERS).map(|number| scope.spawn(move || workflow::work(front, crew, number))).collect();
            let speakers: Vec<_> =
                speakers.into_iter().map(|speaker| scope.spawn(move || speak(speaker, front, end))).collect();
            let pair = scope.spawn(move || pair.work(crew));
            let struck = self.strike_all(crew, &house);
            crew.ring();
            end.ring();
            let work = Work {
                writers: all(writers)?,
                clerk: one(clerk)?,
                office: one(office)?,
                phone: one(phone)?,
                started: one(starter)?,
                counted: all(workers)?,
                speakers: all(speakers)?,
                pair: one(pair)?,
            };
            struck?;
            Ok(work)
        })?;
        self.settle(&mut work, &house)?;
        self.judge(&work, &house)
    }

    fn strike_all(&mut self, crew: &Crew, house: &House) -> Result<()> {
        self.wait_progress("the beginning", crew, house)?;
        for (number, strike) in Strike::draw(&mut self.rng, self.plan.rounds).into_iter().enumerate() {
            let (at, begun) = (self.begun.elapsed().as_secs_f64(), Instant::now());
            (self.tell)(&format!(
                "{at:>7.1} s  strike {:>2}: {strike}; {:?} done so far",
                number + 1,
                progress(crew, house)
            ));
            match strike {
                Strike::Restart | Strike::Upgrade => {
                    (0..self.cluster.count()).try_for_each(|node| self.strike(node, strike, crew, house))?;
                }
                Strike::Kill | Strike::Pause | Strike::Cut | Strike::Silence => {
                    let node = usize::try_from(self.rng.between(0, self.cluster.count() as u64))?;
                    self.strike(node, strike, crew, house)?;
                }
            }
            self.report.strikes.push((strike.to_string(), begun.elapsed()));
        }
        Ok(())
    }

    /// A node is out until its lease is over and every service went on without it; then it is back.
    fn strike(&mut self, node: usize, strike: Strike, crew: &Crew, house: &House) -> Result<()> {
        let begun = Instant::now();
        self.cluster.strike(node, strike)?;
        let struck = begun.elapsed();
        if !matches!(strike, Strike::Restart | Strike::Upgrade) {
            let beyond = self.plan.lease + Duration::from_millis(self.rng.between(500, 1_500));
            thread::sleep(beyond); // tidy: sleep — a node is out for longer than its lease
        }
        let last = self.wait_progress(&format!("{strike} of node {}", node + 1), crew, house)?;
        let went_on = begun.elapsed();
        self.cluster.heal(node, strike)?;
        self.wait_ready(node)?;
        let [struck, went_on, back] =
            [struck, went_on - struck, begun.elapsed() - went_on].map(|time| time.as_secs_f64());
        (self.tell)(&format!(
            "           node {} was out for {:.1} s: struck within {struck:.1} s, all went on for {went_on:.1} s ({last} last), back within {back:.1} s",
            node + 1,
            begun.elapsed().as_secs_f64()
        ));
        Ok(())
    }

    /// Everything that is not final goes on: each service does something from its beginning to its end. Which was waited for last.
    fn wait_progress(&self, what: &str, crew: &Crew, house: &House) -> Result<String> {
        let (before, until) = (progress(crew, house), Instant::now() + PATIENCE);
        let mut last = String::from("none");
        loop {
            let now = progress(crew, house);
            let standing = Trade::ALL.into_iter().zip(before).zip(now).find(|((_, before), now)| before + 1 >= *now);
            let Some(((trade, _), _)) = standing else { return Ok(last) };
            last = format!("{trade:?}");
            let text = || violation(format!("{what}: {trade:?} stands still at {now:?} after {PATIENCE:?}"));
            ensure!(Instant::now() < until, text());
            thread::sleep(LOOK_EVERY); // tidy: sleep — others work, and count
        }
    }

    fn wait_ready(&self, node: usize) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        while !self.balancer.is_ready(node) {
            ensure!(Instant::now() < until, violation(format!("node {} is not ready after {PATIENCE:?}", node + 1)));
            thread::sleep(LOOK_EVERY); // tidy: sleep — the balancer looks now and then
        }
        Ok(())
    }

    /// Nobody brings anything new: what was begun ends by itself.
    fn settle(&mut self, work: &mut Work<'_>, house: &House) -> Result<()> {
        let begun = Instant::now();
        house.settle(self.balancer, &mut work.speakers)?;
        work.office.erp.finish()?;
        let mut hands = workflow::Counted::new();
        while let Some(left) = self.left(&mut hands)? {
            ensure!(begun.elapsed() < SETTLE_MAX, violation(format!("{left} after {SETTLE_MAX:?}")));
        }
        work.counted.push(hands);
        self.report.settled = begun.elapsed();
        Ok(())
    }

    /// What is left to do, or stuck.
    fn left(&self, counted: &mut Counted) -> Result<Option<String>> {
        workflow::rest(self.balancer, counted)?;
        let open = workflow::open_count(&self.reading)?;
        if open > 0 {
            return Ok(Some(format!("{open} processes have not ended")));
        }
        let stuck = told(self.balancer, "GET", "/v1/main/stuck", &Value::Null)?;
        let is_none = stuck["items"].as_array().is_some_and(Vec::is_empty);
        Ok((!is_none).then(|| format!("stuck: {stuck}")))
    }

    fn judge(&mut self, work: &Work<'_>, house: &House) -> Result<()> {
        let commits: Result<Vec<usize>> = work.writers.iter().map(Writer::judge).collect();
        self.report.commits = commits?.into_iter().sum();
        self.report.attachments = work.clerk.judge()?;
        self.report.messages = work.phone.judge(&work.office.erp)?;
        workflow::judge(&self.reading, work.started, &work.counted)?;
        self.report.processes = work.started;
        self.report.files = work.pair.judge(self.balancer)?;
        let events = house.judge(&self.reading, &work.speakers)?;
        let said = work.speakers.iter().flat_map(|speaker| speaker.said.values()).sum();
        self.report.signals = (said, events, house.receiver.count());
        self.report.nodes = self.plan.nodes;
        let parked =
            self.reading.number("SELECT COUNT(*) FROM task WHERE exc IS NOT NULL AND op NOT LIKE 'alert.%'")?;
        ensure!(parked == 0, violation(format!("{parked} tasks failed and wait")));
        self.cluster.end()?;
        self.cluster.check().map(drop)
    }
}

/// How many were done of each, in the order of [`Trade::ALL`].
fn progress(crew: &Crew, house: &House) -> [u64; Trade::ALL.len()] {
    let mut done = crew.done();
    done[Trade::Sensors as usize] = house.receiver.count();
    done
}

fn one<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().map_err(|_| violation("somebody panicked"))?
}

fn all<T>(threads: Vec<ScopedJoinHandle<'_, Result<T>>>) -> Result<Vec<T>> {
    threads.into_iter().map(one).collect()
}
