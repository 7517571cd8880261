//! Processes of one task each, and workers who do them.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::crew::{Crew, Trade};
use crate::check::violation;
use crate::machine::Front;
use crate::nodes::books::Reading;
use crate::workflow::hands::Hands;

/// Type of the processes, and name of their actor.
const KIND: &str = "drill";
/// Between two starts.
const PACE: Duration = Duration::from_millis(50);
/// A worker may be silent for so long: polls whose answer was lost are over then.
const WORK_TIMEOUT_MS: u64 = 3_000;

/// Starts processes until it is over; how many.
pub(super) fn start_all(front: &dyn Front, crew: &Crew) -> Result<usize> {
    let mut hands = Hands::new(front, "starter");
    hands.call("PATCH", &format!("actors/{KIND}%231"), &json!({ "work_timeout_ms": WORK_TIMEOUT_MS }))?;
    let mut count = 0;
    while !crew.is_over() {
        hands.start(KIND, count)?;
        // The next one goes to another node.
        hands.die();
        count += 1;
        thread::sleep(PACE); // tidy: sleep — a steady load, with room for what strikes
    }
    Ok(count)
}

/// How often results of each process counted.
pub(super) type Counted = BTreeMap<u64, u64>;

/// Works until it is over and nothing more comes.
pub(super) fn work(front: &dyn Front, crew: &Crew, number: usize) -> Result<Counted> {
    let (mut hands, mut counted) = (Hands::new(front, &format!("worker {number}")), Counted::new());
    loop {
        let was_over = crew.is_over();
        let tasks = hands.poll(KIND, 4)?;
        for task in &tasks {
            do_one(&mut hands, task, &mut counted, crew)?;
        }
        hands.die();
        if was_over && tasks.is_empty() {
            return Ok(counted);
        }
    }
}

/// One more look for tasks, for those whose worker never heard of them.
pub(super) fn rest(front: &dyn Front, counted: &mut Counted) -> Result<()> {
    let (mut hands, crew) = (Hands::new(front, "last worker"), Crew::default());
    for task in hands.poll(KIND, 4)? {
        do_one(&mut hands, &task, counted, &crew)?;
    }
    Ok(())
}

fn do_one(hands: &mut Hands<'_>, task: &Value, counted: &mut Counted, crew: &Crew) -> Result<()> {
    let number = task["args"][0]["value"].as_u64().with_context(|| format!("a number: {task}"))?;
    let count = hands.release(std::slice::from_ref(task), &("value", json!(number)))?;
    if count > 0 {
        *counted.entry(number).or_default() += count as u64;
        crew.did(Trade::Workflow);
    }
    Ok(())
}

/// How many processes have not ended, as the store says.
pub(super) fn open_count(reading: &Reading) -> Result<u64> {
    reading.number("SELECT COUNT(*) FROM wfl_process WHERE state <> 'FINISHED'")
}

/// Each process ended once with its own value.
pub(super) fn judge(reading: &Reading, started: usize, counted: &[Counted]) -> Result<()> {
    let rows = reading.rows::<2>("SELECT start_key, value FROM wfl_process ORDER BY start_key")?;
    ensure!(rows.len() == started, violation(format!("{} processes of {started}", rows.len())));
    let other = rows.iter().find(|[key, value]| key != value);
    ensure!(other.is_none(), violation(format!("a process has the value of another: {other:?}")));
    for number in 0..started as u64 {
        let times: u64 = counted.iter().filter_map(|of| of.get(&number)).sum();
        ensure!(times == 1, violation(format!("the result of process {number} counted {times} times")));
    }
    let left = reading.number("SELECT COUNT(*) FROM wfl_queue")?;
    ensure!(left == 0, violation(format!("{left} places are left in queues")));
    Ok(())
}
