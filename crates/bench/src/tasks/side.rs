//! The contest: what every queue is asked, in turn, round after round.

use anyhow::Result;

use crate::contest::{Effort, median};
use crate::report::{Figure, Unit};

/// Jobs of one measured rate: as many as a side ends in its time, but neither fewer nor more than this.
const TASKS: (f64, f64) = (500.0, 20_000.0);
/// Jobs that show how many that is.
const PILOT: usize = 500;
/// Enqueuers that work at the same time.
const ENQUEUERS: usize = 64;
/// Jobs that one enqueuing operation makes when it makes many.
const BATCH: usize = 100;
/// Jobs of one measured latency, one after the other.
const LONE: usize = 200;

/// Jobs to enqueue, and how.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    pub tasks: usize,
    pub batch: usize,
    pub enqueuers: usize,
    pub workers: usize,
}

/// Jobs to enqueue one after the other, or (above 0) so many per second.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub tasks: usize,
    pub per_second: f64,
    pub workers: usize,
}

/// From enqueue to done.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    pub p50_ms: f64,
    pub p99_ms: f64,
}

/// A queue of jobs.
pub trait Queue {
    fn name(&self) -> String;

    /// Seconds from the first enqueue until the last job is done.
    fn rate(&mut self, load: Load) -> Result<f64>;

    fn latency(&mut self, pace: Pace) -> Result<Latency>;
}

/// Whether the contest of so many workers is wanted.
pub fn is_wanted(effort: &Effort, workers: usize) -> bool {
    title(workers).contains(&effort.only)
}

fn title(workers: usize) -> String {
    format!("tasks, {workers} workers")
}

/// What one queue showed.
#[derive(Default)]
struct Shown {
    /// Jobs that it ends in the time of a side.
    tasks: usize,
    single: Vec<f64>,
    batched: Vec<f64>,
    lone: Vec<Latency>,
    half: Vec<Latency>,
}

/// All queues in turn.
pub fn contest(effort: &Effort, workers: usize, queues: &mut [Box<dyn Queue + '_>]) -> Result<()> {
    if !is_wanted(effort, workers) {
        return Ok(());
    }
    let mut shown: Vec<Shown> = queues.iter().map(|_| Shown::default()).collect();
    for _ in 0..effort.rounds {
        for (queue, shown) in queues.iter_mut().zip(&mut shown) {
            round(effort, queue.as_mut(), workers, shown)?;
        }
    }
    println!("\n{}, {ENQUEUERS} enqueuers; medians of {} rounds [lowest – highest]", title(workers), effort.rounds);
    println!(
        "  {:<34}{:>28}{:>30}{:>26}{:>26}",
        "", "1 per operation", "100 per operation", "one at a time", "half load"
    );
    queues.iter().zip(&shown).for_each(|(queue, shown)| print(&queue.name(), shown));
    tell(&title(workers), queues, &shown);
    Ok(())
}

fn tell(title: &str, queues: &[Box<dyn Queue + '_>], shown: &[Shown]) {
    let of = |what: &str, unit, of: fn(&Shown) -> Vec<f64>| {
        let told = Figure::new(format!("{title}: {what}"), unit);
        queues.iter().zip(shown).fold(told, |told, (queue, shown)| told.side(queue.name(), &of(shown))).tell();
    };
    of("1 per operation", Unit::PerSecond, |shown| shown.single.clone());
    of("100 per operation", Unit::PerSecond, |shown| shown.batched.clone());
    of("p50 of one at a time", Unit::Milliseconds, |shown| shown.lone.iter().map(|latency| latency.p50_ms).collect());
    of("p99 at half load", Unit::Milliseconds, |shown| shown.half.iter().map(|latency| latency.p99_ms).collect());
}

fn round(effort: &Effort, queue: &mut dyn Queue, workers: usize, shown: &mut Shown) -> Result<()> {
    let side_s = effort.side.as_secs_f64();
    let load = |tasks, batch| Load { tasks, batch, enqueuers: ENQUEUERS, workers };
    if shown.tasks == 0 {
        let pilot_s = queue.rate(load(PILOT, 1))?;
        shown.tasks = whole((PILOT as f64 / pilot_s * side_s).clamp(TASKS.0, TASKS.1));
    }
    let tasks = shown.tasks;
    let single = tasks as f64 / queue.rate(load(tasks, 1))?;
    shown.single.push(single);
    shown.batched.push(tasks as f64 / queue.rate(load(tasks, BATCH))?);
    shown.lone.push(queue.latency(Pace { tasks: LONE, per_second: 0.0, workers })?);
    let per_second = single / 2.0;
    let pace = Pace { tasks: whole(per_second * side_s).max(1), per_second, workers };
    shown.half.push(queue.latency(pace)?);
    Ok(())
}

/// A count of jobs.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand at most, never below zero")]
fn whole(count: f64) -> usize {
    count as usize
}

fn print(name: &str, shown: &Shown) {
    let rate = |rates: &[f64]| {
        let (low, high) = spread(rates);
        format!("{:.0}/s [{low:.0} – {high:.0}]", median(rates))
    };
    let latency = |all: &[Latency]| {
        let of = |figure: fn(&Latency) -> f64| median(&all.iter().map(figure).collect::<Vec<_>>());
        format!("p50 {:.2} p99 {:.2} ms", of(|latency| latency.p50_ms), of(|latency| latency.p99_ms))
    };
    let (single, batched) = (rate(&shown.single), rate(&shown.batched));
    println!("  {name:<34}{single:>28}{batched:>30}{:>26}{:>26}", latency(&shown.lone), latency(&shown.half));
}

/// The lowest and the highest.
pub fn spread(figures: &[f64]) -> (f64, f64) {
    figures.iter().fold((f64::MAX, 0f64), |(low, high), figure| (low.min(*figure), high.max(*figure)))
}

/// The latency of some waits in milliseconds.
pub fn latency(mut waits_ms: Vec<f64>) -> Latency {
    waits_ms.sort_by(f64::total_cmp);
    let at = |share: usize| waits_ms.get(waits_ms.len() * share / 100).copied().unwrap_or(f64::NAN);
    Latency { p50_ms: at(50), p99_ms: at(99) }
}
