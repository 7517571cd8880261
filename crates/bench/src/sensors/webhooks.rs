//! Notifications to clients that answer, alone and while a hundred others hang.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::receivers::Receivers;
use super::server::{Told, signals, start};
use super::tell;
use crate::contest::{Effort, median};
use crate::documents::{Process, ask_all};

pub const TITLE: &str = "notifications";
/// Clients that answer, and those that hang, each at an address of its own.
const FAST: usize = 10;
const HANGING: usize = 100;
/// Changes of the sensors of a fast client in one round, and of one that hangs: one notification each.
const EACH_FAST: usize = 1_000;
const EACH_HANGING: usize = 100;
const PATIENCE: Duration = Duration::from_secs(120);

/// Rounds without and with the sensors of those that hang.
pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    let (fast, hanging) = (Receivers::start(FAST, true)?, Receivers::start(HANGING, false)?);
    let from = FAST * EACH_FAST;
    let told: Vec<Told> =
        told(&fast, "fast", 0, EACH_FAST).chain(told(&hanging, "hangs", from, EACH_HANGING)).collect();
    let sensors = from + HANGING * EACH_HANGING;
    let server = start(&folder.join("webhooks"), sensors, &told)?;
    send(&server, 0..sensors, true)?;
    let (mut alone, mut beside, mut cores) = (vec![], vec![], vec![]);
    let mut closed = true;
    for round in 0..2 * effort.rounds {
        closed = !closed;
        let with_hanging = round >= effort.rounds;
        if with_hanging {
            send(&server, from..sensors, closed)?;
        }
        let (before, used, begun) = (fast.told(), server.processor().used_s()?, Instant::now());
        send(&server, 0..from, closed)?;
        fast.wait(before + from, PATIENCE)?;
        let seconds = begun.elapsed().as_secs_f64();
        if with_hanging { &mut beside } else { &mut alone }.push(from as f64 / seconds);
        cores.push((server.processor().used_s()? - used) / seconds);
    }
    let (without, with) = (median(&alone), median(&beside));
    println!("  {without:>8.0}/s to {FAST} clients that answer, {:.2} cores of the server", median(&cores));
    println!(
        "  {with:>8.0}/s while {HANGING} others hang ({} calls hung), {:.2} of that",
        hanging.told(),
        with / without
    );
    tell(
        TITLE,
        &json!({ "alone_per_s": alone, "beside_hanging_per_s": beside, "hung": hanging.told(), "cores": cores }),
    );
    Ok(())
}

fn told<'a>(receivers: &'a Receivers, name: &'a str, from: usize, each: usize) -> impl Iterator<Item = Told> + 'a {
    receivers.addresses.iter().enumerate().map(move |(number, address)| Told {
        name: format!("{name}{number}"),
        url: format!("http://{address}/doors"),
        sensors: from + number * each..from + (number + 1) * each,
    })
}

fn send(server: &Process, sensors: std::ops::Range<usize>, closed: bool) -> Result<()> {
    let numbers: Vec<usize> = sensors.collect();
    let requests: Vec<_> =
        numbers.chunks(1_000).map(|part| signals(part.iter().map(|number| (*number, closed)))).collect();
    ask_all(server.address, &requests).map(drop)
}
