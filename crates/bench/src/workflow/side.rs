//! What every side is asked, and how it is printed.

use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use crate::contest::{Effort, median};
use crate::report::{Figure, Unit};

/// What a process is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    One,
    Three,
    Fan,
}

impl Shape {
    pub const ALL: [Self; 3] = [Self::One, Self::Three, Self::Fan];

    pub fn word(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Three => "three",
            Self::Fan => "fan",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::One => "1 step",
            Self::Three => "3 steps",
            Self::Fan => "fan-out of 100",
        }
    }

    /// What a process that begins with `n` ends with.
    pub fn value(self, n: i64) -> i64 {
        match self {
            Self::One => n + 1,
            Self::Three => n + 3,
            Self::Fan => 100 * n + 5_050,
        }
    }

    /// How many, for a second or so.
    fn many(self, clients: usize) -> usize {
        match (self, clients) {
            (Self::Fan, 1) => 20,
            (Self::Fan, _) => 64,
            (_, 1) => 300,
            (Self::One, _) => 4_000,
            (Self::Three, _) => 2_000,
        }
    }
}

/// What came of a run.
pub struct Ran {
    pub seconds: f64,
    /// Of each process, from start to result, in milliseconds.
    pub waits: Vec<f64>,
}

/// Somebody who runs processes.
pub trait Side {
    fn name(&self) -> &'static str;
    /// So many clients, each of which starts the next process when it has the result of the last.
    fn run(&mut self, shape: Shape, clients: usize, count: usize) -> Result<Ran>;
    /// Starts so many; returns when all are durable.
    fn begin(&mut self, shape: Shape, count: usize) -> Result<()>;
    /// Kills the server at once and starts it again; returns when it was started.
    fn kill(&mut self) -> Result<()>;
    /// Returns when all that were begun have ended.
    fn all_ended(&mut self, count: usize) -> Result<()>;
    /// Resident memory of the server.
    fn memory_mib(&self) -> Result<f64>;
    /// Ends a server that did not come back, so that it takes nothing from those that are measured next; `true` where they go on
    /// without it: what does not come back of ours fails the run.
    fn give_up(&mut self) -> bool {
        false
    }
}

/// Clients at once: low and high load; fewer where each has a hundred steps at once.
fn clients(shape: Shape) -> [usize; 2] {
    if shape == Shape::Fan { [1, 16] } else { [1, 64] }
}
/// Processes under way when the server is killed.
const UNDER_WAY: usize = 500;

pub fn contests(effort: &Effort, sides: &mut [Box<dyn Side>], only: &str) -> Result<()> {
    // Everything is prepared and warm before the clock runs.
    for side in sides.iter_mut() {
        side.run(Shape::Three, 8, 100)?;
    }
    for shape in Shape::ALL {
        for clients in clients(shape) {
            contest(effort, sides, shape, clients, only)?;
        }
    }
    println!("\nmemory of the server afterwards");
    let mut memory = Figure::new("memory of the server afterwards", Unit::Mebibytes);
    for side in sides.iter() {
        memory = memory.side(side.name(), &[side.memory_mib()?]);
        println!("  {:<24} {:>7.0} MiB", side.name(), side.memory_mib()?);
    }
    memory.tell();
    if "recovery".contains(only) {
        recovery(effort, sides)?;
    }
    Ok(())
}

fn contest(effort: &Effort, sides: &mut [Box<dyn Side>], shape: Shape, clients: usize, only: &str) -> Result<()> {
    let title = format!("{}, {clients} clients", shape.title());
    if !title.contains(only) {
        return Ok(());
    }
    let count = shape.many(clients);
    let mut figures: Vec<[Vec<f64>; 3]> = sides.iter().map(|_| Default::default()).collect();
    for _ in 0..effort.rounds {
        for (side, [rates, p50s, p99s]) in sides.iter_mut().zip(&mut figures) {
            let Ran { seconds, mut waits } = side.run(shape, clients, count)?;
            waits.sort_by(f64::total_cmp);
            rates.push(count as f64 / seconds);
            p50s.push(waits[waits.len() / 2]);
            p99s.push(waits[waits.len() * 99 / 100]);
        }
    }
    println!("\nprocesses: {title}");
    for (place, (what, unit)) in
        [("rate", Unit::PerSecond), ("p50", Unit::Milliseconds), ("p99", Unit::Milliseconds)].into_iter().enumerate()
    {
        let told = Figure::new(format!("processes of {title}: {what}"), unit);
        sides.iter().zip(&figures).fold(told, |told, (side, figures)| told.side(side.name(), &figures[place])).tell();
    }
    let ours = figures[0].each_ref().map(|figures| median(figures));
    for (side, all) in sides.iter().zip(&figures) {
        let [rate, p50, p99] = all.each_ref().map(|figures| median(figures));
        let name = side.name();
        println!(
            "  {name:<24} {rate:>8.0}/s ({:>5.2} ×)   p50 {p50:>8.2} ms ({:>5.2} ×)   p99 {p99:>8.2} ms ({:>5.2} ×)",
            ours[0] / rate,
            p50 / ours[1],
            p99 / ours[2]
        );
        let told = json!({ "side": name, "shape": shape.word(), "clients": clients, "rates": all[0], "p50_ms": all[1], "p99_ms": all[2] });
        println!("{}", json!({ "bench": "workflow", "name": "processes", "figures": told }));
    }
    Ok(())
}

/// Seconds from the kill until all that was under way has ended, and until the server was there again.
fn recovered(side: &mut dyn Side) -> Result<(f64, f64)> {
    side.begin(Shape::Three, UNDER_WAY)?;
    let killed = Instant::now();
    side.kill()?;
    let up = killed.elapsed().as_secs_f64();
    side.all_ended(UNDER_WAY)?;
    Ok((killed.elapsed().as_secs_f64(), up))
}

/// From the kill until all that was under way has ended.
fn recovery(effort: &Effort, sides: &mut [Box<dyn Side>]) -> Result<()> {
    println!("\nrecovery: kill -9 of the server with {UNDER_WAY} processes of 3 steps begun");
    let mut told =
        Figure::new(format!("kill -9 with {UNDER_WAY} processes of 3 steps begun: all ended after"), Unit::Seconds);
    for side in sides.iter_mut() {
        let took = (0..effort.rounds).map(|_| recovered(side.as_mut())).collect::<Result<Vec<_>>>();
        let took = match took {
            Ok(took) => took,
            // Seen of a peer, now and then: that is what there is to say of it, and no reason to leave out all that follows.
            Err(error) if side.give_up() => {
                println!("  {:<24} did not come back: {error:#}", side.name());
                continue;
            }
            Err(error) => return Err(error),
        };
        let [all, up] = [|pair: &(f64, f64)| pair.0, |pair: &(f64, f64)| pair.1]
            .map(|of| median(&took.iter().map(of).collect::<Vec<_>>()));
        println!("  {:<24} started again after {up:.2} s, all ended after {all:.2} s", side.name());
        told = told.side(side.name(), &took.iter().map(|pair| pair.0).collect::<Vec<_>>());
        let line = json!({ "side": side.name(), "up_s": up, "all_s": all });
        println!("{}", json!({ "bench": "workflow", "name": "recovery", "figures": line }));
    }
    told.tell();
    Ok(())
}
