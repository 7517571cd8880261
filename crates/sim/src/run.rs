//! One run: a safety phase with faults and random work, a liveness phase without faults in which everything must settle.

use std::collections::BTreeSet;

use base::StoreResult;
use kernel::ops::forget_requests::{FORGET_REQUESTS, ForgetRequests};
use kernel::{Caller, Invariant};

use crate::chores::CHORES;
use crate::courier::COURIER;
use crate::gazette::{FORGET_EVENTS, GAZETTE};
use crate::recording::NotRepeatable;
use crate::sim::{Asker, Event, Sim};
use crate::workload::{self, PAPERS, Workload, World};

/// Events within which everything must have settled once the faults have stopped, for each length of a world.
const SETTLE_EVENTS: u64 = 20_000;

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of every choice.
    pub seed: u64,
    /// Events of the safety phase.
    pub events: u64,
    /// Print every line of the trace.
    pub print: bool,
}

/// A run that went well.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Hash of the trace.
    pub hash: u64,
    /// Events in all.
    pub events: u64,
    /// Simulated microseconds.
    pub simulated_us: u64,
    /// Lives of the server.
    pub lives: u32,
    /// Requests that were acknowledged.
    pub acknowledged: u64,
    /// Points at which something was cut, where a workload names them.
    pub cuts: BTreeSet<String>,
}

impl Report {
    /// Adds another run; the hashes are mixed.
    pub fn add(&mut self, other: &Self) {
        self.hash = self.hash.rotate_left(1) ^ other.hash;
        self.events += other.events;
        self.simulated_us += other.simulated_us;
        self.lives += other.lives;
        self.acknowledged += other.acknowledged;
        self.cuts.extend(other.cuts.iter().cloned());
    }
}

/// A run that did not.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What is wrong.
    pub message: String,
    /// After so many events.
    pub events: u64,
    /// The last lines of the trace.
    pub last: String,
}

/// Runs a seed.
///
/// # Errors
/// A promise was broken.
///
/// # Panics
/// There is no folder to put the store into.
pub fn run(options: &Options) -> Result<Report, Failure> {
    let folder = tempfile::tempdir_in(memory_folder()).expect("a folder for the store");
    let mut services =
        vec![&ledger::LEDGER, &COURIER, &CHORES, &GAZETTE, &documents::SERVICE, &PAPERS, &sensors::SERVICE];
    // The worlds of other seeds stay as they were.
    match World::of(options.seed) {
        World::Exchange => services.push(&exchange::SERVICE),
        World::Workflow => services.push(&workflow::SERVICE),
        World::Folders | World::Agents => services.push(&folders::SERVICE),
        World::Busy | World::Quiet => {}
    }
    let mut sim = Sim::new(options.seed, folder.path().join("store.db"), services, options.print);
    let mut workloads = workload::of(options.seed, &mut sim);
    let events = options.events * World::of(options.seed).length();
    let settle = SETTLE_EVENTS * World::of(options.seed).length();
    let result = phases(&mut sim, &mut workloads, events, settle);
    result.map_err(|message| Failure { message, events: sim.trace.events(), last: sim.trace.last() })?;
    Ok(Report {
        hash: sim.trace.hash(),
        events: sim.trace.events(),
        simulated_us: sim.now_us(),
        lives: sim.life(),
        acknowledged: workloads.iter().map(|workload| workload.acknowledged()).sum(),
        cuts: workloads.iter().flat_map(|workload| workload.cuts()).collect(),
    })
}

/// Files that need not survive the machine are quickest in memory.
fn memory_folder() -> std::path::PathBuf {
    let shared = std::path::Path::new("/dev/shm");
    if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() }
}

fn phases(sim: &mut Sim, workloads: &mut [Box<dyn Workload>], events: u64, settle: u64) -> Result<(), String> {
    while sim.trace.events() < events {
        step(sim, workloads)?;
        misfortune(sim);
    }
    sim.say("CALM");
    sim.faults = crate::faults::Faults::none();
    workloads.iter_mut().for_each(|workload| workload.calm());
    let bound = sim.trace.events() + settle * scale(workloads);
    // A call that hangs may still do harm: it is waited for too.
    while !workloads.iter().all(|workload| workload.is_settled()) || !sim.is_idle() {
        if sim.trace.events() >= bound {
            let mut stuck: Vec<String> = workloads.iter().map(|workload| workload.stuck()).collect();
            stuck.extend(sim.look(crate::chores::waiting).and_then(Result::ok).unwrap_or_default());
            let parked = sim.look(crate::chores::parked).and_then(Result::ok).unwrap_or_default();
            stuck.extend(parked.into_iter().map(|(of, op, why)| format!("parked: {op} of `{of}`: {why}")));
            stuck.push(sim.backlog());
            stuck.push(format!("now {:?}", base::Clock::wall(&sim.clock)));
            return Err(format!("not settled {settle} events after the faults stopped: {}", stuck.join("; ")));
        }
        step(sim, workloads)?;
    }
    check(sim, workloads)?;
    workloads.iter_mut().try_for_each(|workload| workload.check_settled(sim))
}

/// One event and everything that must hold after it.
fn step(sim: &mut Sim, workloads: &mut [Box<dyn Workload>]) -> Result<(), String> {
    let event = sim.next().ok_or("nothing is on the agenda any more")?;
    happen(sim, workloads, event)?;
    sim.collect();
    sim.collect_calls();
    if let Some(text) = NotRepeatable::take() {
        return Err(text);
    }
    sim.check_heard()?;
    if !sim.has_news() {
        return Ok(());
    }
    sim.news += 1;
    if sim.news.is_multiple_of(scale(workloads)) { check(sim, workloads) } else { Ok(()) }
}

fn scale(workloads: &[Box<dyn Workload>]) -> u64 {
    workloads.iter().map(|workload| workload.scale()).max().unwrap_or(1)
}

fn happen(sim: &mut Sim, workloads: &mut [Box<dyn Workload>], event: Event) -> Result<(), String> {
    match event {
        Event::Act(asker) => workloads[asker.workload].act(asker, sim),
        Event::Tell(asker, news) => workloads[asker.workload].hear(asker, news, sim),
        Event::Arrive(life, arrive) => sim.in_life(life, arrive),
        Event::Timer(life, then) => sim.run_timer(life, then),
        Event::StoreRuns(life) => sim.run_store(life),
        Event::Session(life, connection, event) => sim.in_same_life(life, |sim| sim.session(connection, event)),
        Event::SessionTimer(life, connection, number, setting) => {
            sim.in_same_life(life, |sim| sim.session_timer(connection, number, setting));
        }
        Event::Disconnect(life, connection) => sim.in_same_life(life, |sim| sim.disconnect(connection)),
        Event::Deliver(life) => sim.in_same_life(life, Sim::deliver),
        Event::Wake(life) => sim.in_same_life(life, Sim::look_for_parcel),
        Event::Reach(call) => sim.partner.take(&call),
        Event::Called(life, claim, result) => sim.in_same_life(life, |sim| sim.settle(claim, &result)),
        Event::Answered(life, done, result) => sim.answered(life, done, result),
        Event::Knock(life, number) => sim.in_same_life(life, |sim| sim.receivers.arrive(number)),
        Event::Replied(life, number, done, result) => {
            sim.in_same_life(life, |sim| sim.receivers.replied(number, &result));
            sim.answered(life, done, result);
        }
        Event::Export(life, node, work, done) => sim.export(life, node, &work, done),
        Event::Lay(life, node, work, done) => sim.lay(life, node, &work, done),
        Event::Lands(batch) => sim.archive.iter().for_each(|archive| archive.land(batch.clone())),
        Event::Housekeeping(life) => housekeeping(sim, life),
        Event::Start => sim.start().map_err(|error| format!("the server does not start: {error}"))?,
    }
    Ok(())
}

fn housekeeping(sim: &mut Sim, life: u32) {
    if life != sim.life() {
        return;
    }
    if let Some((kernel, main)) = sim.kernel() {
        let request = kernel.request(Caller::server("housekeeping"));
        kernel.call(main, &FORGET_REQUESTS, request, ForgetRequests { limit: 100 }, Box::new(|_| {}));
        let request = kernel.request(Caller::server("housekeeping"));
        kernel.call(main, &FORGET_EVENTS, request, (), Box::new(|_| {}));
    }
    sim.after(10_000_000, Event::Housekeeping(life));
}

/// What happens to the machine between two events.
fn misfortune(sim: &mut Sim) {
    if sim.rng.once_in(sim.faults.crash_anytime) {
        sim.crash("between two events");
    }
    if sim.rng.once_in(sim.faults.clock_jump) {
        let ms = *sim.rng.pick(&[-7_200_000, -1_000, 1_000, 3_600_000, 34_560_000_000, -34_560_000_000]);
        sim.clock.jump(ms);
        sim.say(&format!("the calendar jumps by {ms} ms"));
    }
    if sim.rng.once_in(sim.faults.pause) {
        let ms = sim.rng.within(1_000, 1_200_000);
        let until = sim.now_us() + ms * 1000;
        sim.clock.advance_to(until);
        sim.clock.paused(ms);
        sim.say(&format!("the process stood still for {ms} ms"));
    }
}

/// Every invariant of every service, then every workload's own comparison with what was acknowledged.
fn check(sim: &mut Sim, workloads: &mut [Box<dyn Workload>]) -> Result<(), String> {
    if !sim.is_up() {
        return Ok(());
    }
    for service in kernel::OWN.into_iter().chain(sim.services().to_vec()) {
        service.invariants.iter().try_for_each(|invariant| holds(sim, invariant))?;
    }
    workloads.iter_mut().try_for_each(|workload| workload.check(sim))
}

fn holds(sim: &Sim, invariant: &Invariant) -> Result<(), String> {
    let found: Option<StoreResult<_>> = sim.look(|tx| (invariant.check)(tx));
    match found {
        Some(Ok(violations)) if violations.is_empty() => Ok(()),
        None => Ok(()),
        found => Err(format!("broken: {}: {found:?}", invariant.name)),
    }
}

/// The client of a workload that acts next.
pub fn act(sim: &mut Sim, asker: Asker, after_us: u64) {
    sim.after(after_us, Event::Act(asker));
}
