//! `bench exchange` (EXC-26): durable messages in, and through the whole cycle, beside RabbitMQ and NATS.
//!
//! Each side is a server of its own on this machine, and acknowledges a message only when it is on the disk: ours after its commit,
//! RabbitMQ's quorum queue by a publisher's confirm, NATS JetStream with `sync_interval: always`. Every sender waits for the answer
//! before it sends again. The cycle is in and out: ours by the handshake with batches of ten (start, prepare, commit, files moved), theirs
//! by as many consumers that take ten and acknowledge them. Ours promises more there (an effect exactly once in another database);
//! theirs is the plain acknowledgement.
//!
//! Our files follow: under such a load the clerk of the folders gives way to acknowledgements. How long after a round the folders were
//! complete is printed beside the rates, and the others only run when they are.

mod message;
mod million;
mod nats;
mod ours;
mod rabbit;
mod recovery;

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use crate::contest::{Effort, median};
use crate::disk::print_sync_time;
use crate::report::{Figure, Unit};
use message::Message;
use nats::Nats;
use ours::Ours;
use rabbit::Rabbit;

/// Senders at once.
const SENDERS: [usize; 3] = [1, 16, 64];
/// `--only ours`, or `--only "ours 1 KB, 64"`: for a profile.
const OURS: &str = "ours";
/// Who takes messages out, at most: databases of ours, consumers of theirs.
pub const TAKERS: usize = 16;

/// Somebody who keeps messages.
pub trait Side {
    fn name(&self) -> &'static str;
    /// So many senders send these, each its share one after the other; the seconds that it took.
    fn send(&mut self, senders: usize, messages: &[Message]) -> Result<f64>;
    /// Takes so many out; the seconds that it took.
    fn take(&mut self, takers: usize, count: usize) -> Result<f64>;
    /// Processor time of the server, where we know which process it is.
    fn used_s(&self) -> Result<f64> {
        Ok(f64::NAN)
    }
    /// Waits until it has nothing to do any more; the seconds that it took.
    fn rest(&mut self) -> Result<f64> {
        Ok(0.0)
    }
}

/// Runs everything that can run here.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let folder = folder.path().canonicalize()?;
    print_sync_time(&folder)?;
    if "messages".contains(&effort.only) || effort.only.starts_with(OURS) {
        let mut sides = sides(effort, &folder)?;
        for bytes in [1 << 10, 64 << 10] {
            SENDERS.iter().try_for_each(|senders| contest(effort, &mut sides, *senders, bytes))?;
        }
    }
    if million::TITLE.contains(&effort.only) {
        million::run(effort, &folder)?;
    }
    if recovery::TITLE.contains(&effort.only) {
        recovery::run(effort, &folder)?;
    }
    print_sync_time(&folder)
}

fn sides(effort: &Effort, folder: &Path) -> Result<Vec<Box<dyn Side>>> {
    let mut sides: Vec<Box<dyn Side>> = vec![Box::new(Ours::start(&folder.join("ours"))?)];
    if effort.only.starts_with(OURS) {
        return Ok(sides);
    }
    match Rabbit::start()? {
        Some(rabbit) => sides.push(Box::new(rabbit)),
        None => println!("RabbitMQ: not run, FASTNESS_TEST_RABBITMQ is not set (cargo xtask services run -- …)"),
    }
    match nats::program() {
        Ok(program) => sides.push(Box::new(Nats::start(&program, &folder.join("nats"))?)),
        Err(error) => println!("NATS: not run, PyPI gives none: {error:#}"),
    }
    Ok(sides)
}

/// Rates of a side: messages in, out, and through both.
#[derive(Default)]
struct Rates {
    in_: Vec<f64>,
    out: Vec<f64>,
    through: Vec<f64>,
    /// Processor time of the server for each message, in microseconds: in, and out.
    used_us: [Vec<f64>; 2],
    /// Seconds until the server was at rest again.
    rest_s: Vec<f64>,
}

fn contest(effort: &Effort, sides: &mut [Box<dyn Side>], senders: usize, bytes: usize) -> Result<()> {
    let title = format!("{} KB, {senders} senders", bytes >> 10);
    if !title.contains(effort.only.strip_prefix(OURS).unwrap_or_default().trim()) {
        return Ok(());
    }
    let count = many(senders, bytes);
    let mut rates: Vec<Rates> = sides.iter().map(|_| Rates::default()).collect();
    for _ in 0..effort.rounds {
        for (side, rates) in sides.iter_mut().zip(&mut rates) {
            let messages = message::make(senders, count, bytes);
            let begun_s = side.used_s()?;
            let sent_s = side.send(senders, &messages)?;
            let sent_used_s = side.used_s()?;
            let taken_s = side.take(senders.min(TAKERS), count)?;
            rates.used_us[0].push((sent_used_s - begun_s) / count as f64 * 1e6);
            rates.used_us[1].push((side.used_s()? - sent_used_s) / count as f64 * 1e6);
            rates.rest_s.push(side.rest()?);
            rates.in_.push(count as f64 / sent_s);
            rates.out.push(count as f64 / taken_s);
            rates.through.push(count as f64 / (sent_s + taken_s));
        }
    }
    println!("\nmessages of {title}");
    tell(&title, sides, &rates);
    let ours = (median(&rates[0].in_), median(&rates[0].through));
    for (side, rates) in sides.iter().zip(&rates) {
        let [in_, out, through] = [&rates.in_, &rates.out, &rates.through].map(|rates| median(rates));
        println!(
            "  {:<28} {in_:>8.0}/s in ({:>5.2} ×)  {out:>8.0}/s out  {through:>8.0}/s through both ({:>5.2} ×)",
            side.name(),
            ours.0 / in_,
            ours.1 / through
        );
        if rates.used_us[0][0].is_finite() {
            let [in_us, out_us] = [0, 1].map(|place| median(&rates.used_us[place]));
            let rest_s = median(&rates.rest_s);
            println!(
                "    processor time of the server: {in_us:.0} µs in, {out_us:.0} µs out; at rest {rest_s:.2} s later"
            );
        }
        let figures = json!({
            "side": side.name(), "kb": bytes >> 10, "senders": senders, "in": rates.in_, "out": rates.out, "rest_s": rates.rest_s,
        });
        println!("{}", json!({ "bench": "exchange", "name": "messages", "figures": figures }));
    }
    Ok(())
}

/// What docs/benchmarks.md calls goals, of 1 KB from 64 senders.
const GOALS: (&str, f64, f64) = ("1 KB, 64 senders", 10_000.0, 5_000.0);

fn tell(title: &str, sides: &[Box<dyn Side>], rates: &[Rates]) {
    let of = |way: &str, goal: f64, of: fn(&Rates) -> &Vec<f64>| {
        let told = Figure::new(format!("messages of {title}, {way}"), Unit::PerSecond);
        let told = if title == GOALS.0 { told.goal(goal) } else { told };
        sides.iter().zip(rates).fold(told, |told, (side, rates)| told.side(side.name(), of(rates))).tell();
    };
    of("in", GOALS.1, |rates| &rates.in_);
    of("through both", GOALS.2, |rates| &rates.through);
}

/// Enough for a second or so.
fn many(senders: usize, bytes: usize) -> usize {
    let small = match senders {
        1 => 1_000,
        16 => 8_000,
        _ => 16_000,
    };
    if bytes > 10_000 { small / 10 } else { small }
}
