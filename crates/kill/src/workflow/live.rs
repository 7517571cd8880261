//! The live flow: how long a process that is started waits until a worker has its task.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;

use super::hands::Hands;
use crate::check::violation;
use crate::machine::Machine;
use crate::waits::Waits;

/// Type of the processes, and name of their actor.
const KIND: &str = "live";
/// Pause between two starts: far below what one server bears, for the queue is not what is measured.
const PACE: Duration = Duration::from_millis(10);

/// When a process was started, and how long its task waited.
type Started = (Instant, Duration);

/// How long those that were started up to this moment waited.
pub(super) fn waits(all: &[Started], until: Instant) -> Waits {
    Waits::of(all.iter().filter(|(begun, _)| *begun <= until).map(|(_, wait)| *wait).collect())
}

/// Starts processes numbered in this range one after the other, beside a worker that takes them.
pub(super) fn measure(machine: &Machine, numbers: std::ops::Range<usize>) -> Result<Vec<Started>> {
    let (tell, told) = channel();
    let count = numbers.len();
    thread::scope(|scope| {
        let worker = scope.spawn(move || -> Result<()> {
            let mut hands = Hands::new(machine, "live worker");
            let mut taken = 0;
            while taken < count {
                let tasks = hands.poll(KIND, 10)?;
                let now = Instant::now();
                taken += tasks.len();
                tasks.iter().try_for_each(|task| tell.send((task["args"][0]["value"].as_u64(), now)))?;
                if !tasks.is_empty() {
                    hands.release(&tasks, &("value", json!(null)))?;
                }
            }
            Ok(())
        });
        let started = start_all(machine, numbers)?;
        worker.join().map_err(|_| violation("the live worker panicked"))??;
        let wait = |(number, taken): (Option<u64>, Instant)| {
            let begun = started.get(&number?)?;
            Some((*begun, taken.saturating_duration_since(*begun)))
        };
        Ok(told.iter().filter_map(wait).collect())
    })
}

fn start_all(machine: &Machine, numbers: std::ops::Range<usize>) -> Result<BTreeMap<u64, Instant>> {
    let mut hands = Hands::new(machine, &format!("live starter {}", numbers.start));
    let mut started = BTreeMap::new();
    for number in numbers {
        started.insert(u64::try_from(number).context("a number")?, Instant::now());
        hands.start(KIND, number)?;
        thread::sleep(PACE); // tidy: sleep — the load is light, and even
    }
    Ok(started)
}
