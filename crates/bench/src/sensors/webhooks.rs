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
use crate::report::{Figure, Unit};

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
    let mut found = [Case::Alone, Case::Beside, Case::Burst].map(|case| (case, vec![], vec![]));
    let (mut closed, mut hanging_closed) = (true, true);
    for (case, rates, cores) in &mut found {
        for _ in 0..effort.rounds {
            closed = !closed;
            let hung = hanging.told();
            if *case != Case::Alone {
                hanging_closed = !hanging_closed;
                send(&server, from..sensors, hanging_closed)?;
            }
            if *case == Case::Beside {
                hanging.wait(hung + 2 * HANGING, PATIENCE)?;
            }
            let (before, used, begun) = (fast.told(), server.processor().used_s()?, Instant::now());
            send(&server, 0..from, closed)?;
            fast.wait(before + from, PATIENCE)?;
            let seconds = begun.elapsed().as_secs_f64();
            rates.push(from as f64 / seconds);
            cores.push((server.processor().used_s()? - used) / seconds);
        }
    }
    for (case, rates, cores) in &found {
        let (rate, cores) = (median(rates), median(cores));
        println!("  {rate:>8.0}/s to {FAST} clients that answer, {cores:.2} cores of the server: {}", case.words());
        Figure::new(format!("notifications while {}", case.words()), Unit::PerSecond)
            .side("ours", rates)
            .goal(2_000.0)
            .tell();
        tell(TITLE, &json!({ "case": case.words(), "per_s": rates, "cores": cores, "hung": hanging.told() }));
    }
    Ok(())
}

/// What those that hang do meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// Nothing is to be told to them.
    Alone,
    /// Each has two calls that hang, and all the others of its notifications wait.
    Beside,
    /// The same number of notifications for them comes at the same moment.
    Burst,
}

impl Case {
    fn words(self) -> &'static str {
        match self {
            Self::Alone => "nobody else is told",
            Self::Beside => "a hundred others hang, a hundred notifications for each",
            Self::Burst => "as many notifications come for a hundred that hang",
        }
    }
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
