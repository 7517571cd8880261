//! Many processes are broken and restarted by a job, over kills of the server and a pause; then once more, as quick as it goes.

use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::hands::Hands;
use super::{Size, live};
use crate::check::violation;
use crate::machine::{Front as _, Machine};
use crate::waits::Waits;

/// Type of the processes, and name of their actor.
pub(super) const KIND: &str = "mass";
/// Who starts them, at once.
const STARTERS: usize = 4;
/// Tasks of one poll.
const BATCH: usize = 200;

/// What it came to.
pub(super) struct Mass {
    /// The two jobs.
    pub(super) jobs: [i64; 2],
    pub(super) restarts_per_s: f64,
    pub(super) calm: Waits,
    pub(super) busy: Waits,
}

pub(super) fn run(machine: &Machine, size: Size) -> Result<Mass> {
    let mut hands = Hands::new(machine, "operator");
    start_all(machine, size.processes)?;
    work_off(&mut hands, size.processes, &("error", json!({ "class": "Oops", "message": "on purpose" })))?;
    let calm = live::waits(&live::measure(machine, 0..size.live)?, Instant::now());
    let first = killed_job(machine, &mut hands, size.processes)?;
    work_off(&mut hands, size.processes, &("value", json!(1)))?;
    let (second, restarts_per_s, busy) = quick_job(machine, &mut hands, size)?;
    work_off(&mut hands, size.processes, &("value", json!(2)))?;
    Ok(Mass { jobs: [first, second], restarts_per_s, calm, busy })
}

fn start_all(machine: &Machine, processes: usize) -> Result<()> {
    let start = |starter: usize| -> Result<()> {
        let mut hands = Hands::new(machine, &format!("starter {starter}"));
        (starter..processes).step_by(STARTERS).try_for_each(|number| hands.start(KIND, number))
    };
    thread::scope(|scope| {
        let starters: Vec<_> = (0..STARTERS).map(|starter| scope.spawn(move || start(starter))).collect();
        starters.into_iter().try_for_each(|starter| starter.join().map_err(|_| violation("a starter panicked"))?)
    })
}

/// Takes so many tasks and ends them all so; each counts.
fn work_off(hands: &mut Hands<'_>, count: usize, end: &(&str, Value)) -> Result<()> {
    let mut done = 0;
    while done < count {
        let tasks = hands.poll(KIND, BATCH)?;
        ensure!(!tasks.is_empty(), violation(format!("{done} of {count} tasks are there, and no more come")));
        let counted = hands.release(&tasks, end)?;
        ensure!(counted == tasks.len(), violation(format!("{counted} of {} results counted", tasks.len())));
        done += counted;
    }
    ensure!(done == count, violation(format!("{done} tasks for {count} processes")));
    Ok(())
}

fn begin(hands: &mut Hands<'_>, state: &str, rate: usize) -> Result<i64> {
    let search = json!({ "type": KIND, "state": state });
    let made = hands.post("jobs", &json!({ "action": "restart", "search": search, "rate": rate }))?;
    made["job"].as_i64().context("the number of a job")
}

/// So slow that it lasts a few seconds. The server is killed while it runs, and while it is paused.
fn killed_job(machine: &Machine, hands: &mut Hands<'_>, processes: usize) -> Result<i64> {
    let job = begin(hands, "BROKEN", (processes / 4).max(1))?;
    let (path, part) = (format!("jobs/{job}"), i64::try_from(processes / 8)?);
    hands.wait_for(&path, |job| changed(job) >= part)?;
    machine.restart()?;
    let seen = hands.wait_for(&path, |job| changed(job) >= 3 * part)?;
    ensure!(seen["state"] == "RUNNING", violation(format!("it was to be paused in its middle: {seen}")));
    hands.post(&format!("{path}/pause"), &Value::Null)?;
    let paused = hands.get(&path)?;
    ensure!(paused["state"] == "PAUSED", violation(format!("it does not pause: {paused}")));
    machine.restart()?;
    // Whoever asks the restarted server something else meanwhile finds the job where it was.
    live::measure(machine, 1_000_000..1_000_020)?;
    let after = hands.get(&path)?;
    let is_still = after["state"] == "PAUSED" && changed(&after) == changed(&paused);
    ensure!(is_still, violation(format!("it was {paused} and is {after} after a restart")));
    hands.post(&format!("{path}/resume"), &Value::Null)?;
    counted(&hands.wait_for(&path, |job| job["state"] == "DONE")?, processes)?;
    Ok(job)
}

fn changed(job: &Value) -> i64 {
    job["repaired"].as_i64().unwrap_or(0)
}

fn counted(job: &Value, processes: usize) -> Result<()> {
    let all = i64::try_from(processes)?;
    let is_whole = job["found"] == all && job["repaired"] == all && job["failed"] == 0 && job["skipped"] == 0;
    ensure!(is_whole, violation(format!("a job over {processes} processes ended as {job}")));
    Ok(())
}

/// As quick as it may, beside the live flow.
fn quick_job(machine: &Machine, hands: &mut Hands<'_>, size: Size) -> Result<(i64, f64, Waits)> {
    let begun = Instant::now();
    let job = begin(hands, "FINISHED", 10_000)?;
    let (busy, took) = thread::scope(|scope| {
        let live = scope.spawn(|| live::measure(machine, size.live..2 * size.live));
        let done = hands.wait_for(&format!("jobs/{job}"), |job| job["state"] == "DONE")?;
        let ended = Instant::now();
        counted(&done, size.processes)?;
        let busy = live.join().map_err(|_| violation("the live flow panicked"))??;
        // Whoever was started after its end felt nothing of it.
        anyhow::Ok((live::waits(&busy, ended), ended - begun))
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
    let restarts_per_s = size.processes as f64 / took.as_secs_f64();
    Ok((job, restarts_per_s, busy))
}
