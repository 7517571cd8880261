//! Our own limits (WFL-31): completions in batches, and from ready to polled at half of what is possible.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::future::{join_all, try_join_all};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use super::worker::{Given, Line, Polled, post};
use crate::contest::{Effort, median};
use crate::documents::Process;
use crate::report::{Figure, Unit};
use crate::sensors::start_process;

pub const TITLE: &str = "limits";
/// One-task processes of a round.
const PROCESSES: usize = 20_000;
/// Fan-outs of a round, and tasks of each.
const FANS: (usize, usize) = (20, 1_000);
/// Who polls, and how many tasks at once.
const POLLERS: usize = 4;
const BATCH: usize = 100;
/// Processes of a flow.
const FLOW: usize = 10_000;

pub fn run(effort: &Effort, folder: &Path) -> Result<()> {
    let home = folder.join("limits");
    std::fs::create_dir(&home)?;
    let server = start_process(&home)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    println!("\nlimits: {POLLERS} pollers that take and bring {BATCH} at once");
    let mut all: [Vec<f64>; 4] = Default::default();
    for _ in 0..effort.rounds {
        let [starts, singles, fans, cores] = runtime.block_on(round(&server))?;
        all.iter_mut().zip([starts, singles, fans, cores]).for_each(|(all, figure)| all.push(figure));
    }
    let [starts, singles, fans, cores] = all.each_ref().map(|figures| median(figures));
    println!("  starts of processes, 64 clients               {starts:>8.0}/s");
    println!("  completions, each the end of a process        {singles:>8.0}/s   {cores:.2} cores of the server");
    println!("  completions, of fan-outs of {:<5}             {fans:>8.0}/s", FANS.1);
    Figure::new("starts of processes, 64 clients", Unit::PerSecond).side("ours", &all[0]).tell();
    Figure::new("completions over HTTP in batches", Unit::PerSecond).side("ours", &all[1]).goal(10_000.0).tell();
    Figure::new("completions of fan-outs of 1,000", Unit::PerSecond).side("ours", &all[2]).tell();
    let live = runtime.block_on(flow(server.address, FLOW, None))?;
    let paced = runtime.block_on(flow(server.address, FLOW, Some(live.rate / 2.0)))?;
    println!("  started, polled and brought at once           {:>8.0}/s", live.rate);
    println!(
        "  from start to polled at half of that ({:.0}/s)  p50 {:.2} ms, p99 {:.2} ms",
        paced.rate, paced.p50_ms, paced.p99_ms
    );
    Figure::new("from start to polled at half load, p50", Unit::Milliseconds)
        .side("ours", &[paced.p50_ms])
        .goal(5.0)
        .tell();
    Figure::new("from start to polled at half load, p99", Unit::Milliseconds).side("ours", &[paced.p99_ms]).tell();
    let told = json!({ "starts": all[0], "completions": all[1], "fan_completions": all[2], "cores": all[3], "flow": live.rate,
        "half": { "rate": paced.rate, "p50_ms": paced.p50_ms, "p99_ms": paced.p99_ms } });
    println!("{}", json!({ "bench": "workflow", "name": TITLE, "figures": told }));
    Ok(())
}

async fn round(server: &Process) -> Result<[f64; 4]> {
    let address = server.address;
    let begun = Instant::now();
    start_all(address, "single#1", PROCESSES).await;
    let starts = PROCESSES as f64 / begun.elapsed().as_secs_f64();
    let used = server.processor().used_s()?;
    let begun = Instant::now();
    take_all(address, "single#1", PROCESSES).await?;
    let (seconds, used) = (begun.elapsed().as_secs_f64(), server.processor().used_s()? - used);
    start_all(address, "wide#1", FANS.0).await;
    lay_out_fans(address).await?;
    let fans_begun = Instant::now();
    take_all(address, "leaf#1", FANS.0 * FANS.1).await?;
    let fans = (FANS.0 * FANS.1) as f64 / fans_begun.elapsed().as_secs_f64();
    Ok([starts, PROCESSES as f64 / seconds, fans, used / seconds])
}

async fn start_all(address: SocketAddr, actor: &str, count: usize) {
    let next = AtomicUsize::new(0);
    join_all((0..64).map(|_| async {
        let mut line = Line { address, connection: None };
        while next.fetch_add(1, Ordering::Relaxed) < count {
            let task = json!({ "actor": actor, "args": [{ "value": 1 }] });
            let _: Value =
                line.ask_until_answered(&post("processes", None, &json!({ "type": "limit", "start": task }))).await;
        }
    }))
    .await;
}

/// Takes and brings until so many are done.
async fn take_all(address: SocketAddr, actor: &str, count: usize) -> Result<()> {
    let done = Arc::new(AtomicU64::new(0));
    let pollers = (0..POLLERS).map(|_| async {
        let mut line = Line { address, connection: None };
        while done.load(Ordering::Relaxed) < count as u64 {
            let Polled { tasks } = line
                .ask_until_answered(&post("poll", None, &json!({ "actor": actor, "max": BATCH, "wait_ms": 0 })))
                .await;
            let results: Vec<Value> = tasks.iter().map(Given::result).collect();
            if !results.is_empty() {
                let told: Value = line.ask_until_answered(&post("release", None, &json!({ "results": results }))).await;
                let told = told["results"].as_array().into_iter().flatten().filter(|told| told["accepted"] == true);
                done.fetch_add(told.count() as u64, Ordering::Relaxed);
            }
        }
    });
    join_all(pollers).await;
    ensure!(done.load(Ordering::Relaxed) == count as u64, "more than {count} were done");
    Ok(())
}

async fn lay_out_fans(address: SocketAddr) -> Result<()> {
    let mut line = Line { address, connection: None };
    for _ in 0..FANS.0 {
        let polled: Polled = line.ask_until_answered(&post("poll", None, &json!({ "actor": "wide#1" }))).await;
        let leaf = |_| json!({ "actor": "leaf#1", "args": [{ "value": 1 }] });
        let leaves: Vec<Value> = (0..FANS.1).map(leaf).collect();
        let result =
            |task: &Given| json!({ "task_id": task.task_id, "attempt": task.attempt, "value": 0, "tasks": leaves });
        let results: Vec<Value> = polled.tasks.iter().map(result).collect();
        let _: Value = line.ask_until_answered(&post("release", None, &json!({ "results": results }))).await;
    }
    Ok(())
}

/// How it went.
pub struct Flow {
    rate: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
}

/// Processes are started, at that pace or as fast as it goes, while pollers take and bring them; from the asking for a start to its task in
/// the hands of a poller.
pub async fn flow(address: SocketAddr, count: usize, pace: Option<f64>) -> Result<Flow> {
    let begun = Instant::now();
    let asked: Vec<std::cell::Cell<Duration>> = vec![std::cell::Cell::default(); count];
    let next = AtomicUsize::new(0);
    let starters = async {
        join_all((0..64).map(|_| async {
            let mut line = Line { address, connection: None };
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= count {
                    return;
                }
                if let Some(rate) = pace {
                    let due = Duration::from_secs_f64(n as f64 / rate);
                    tokio::time::sleep_until((begun + due).into()).await;
                }
                asked[n].set(begun.elapsed());
                let task = json!({ "actor": "flow#1", "method": n.to_string(), "args": [{ "value": 1 }] });
                let _: Value =
                    line.ask_until_answered(&post("processes", None, &json!({ "type": "flow", "start": task }))).await;
            }
        }))
        .await;
        anyhow::Ok(vec![])
    };
    let done = AtomicU64::new(0);
    let poller = || async {
        let mut line = Line { address, connection: None };
        let mut waits = vec![];
        while done.load(Ordering::Relaxed) < count as u64 {
            let wanted = json!({ "actor": "flow#1", "max": BATCH, "wait_ms": 200 });
            let Polled { tasks } = line.ask_until_answered(&post("poll", None, &wanted)).await;
            let now = begun.elapsed();
            let asked_of = |task: &Given| task.method.parse::<usize>().map_or(now, |n| asked[n].get());
            waits.extend(tasks.iter().map(|task| (now - asked_of(task)).as_secs_f64() * 1e3));
            let results: Vec<Value> = tasks.iter().map(Given::result).collect();
            if !results.is_empty() {
                let _: Value = line.ask_until_answered(&post("release", None, &json!({ "results": results }))).await;
                done.fetch_add(tasks.len() as u64, Ordering::Relaxed);
            }
        }
        anyhow::Ok(waits)
    };
    let pollers = async { Ok(try_join_all((0..POLLERS).map(|_| poller())).await?.concat()) };
    let all = tokio::try_join!(starters, pollers);
    let (_, mut waits): (Vec<f64>, Vec<f64>) = all?;
    let seconds = begun.elapsed().as_secs_f64();
    waits.sort_by(f64::total_cmp);
    let at = |share: usize| waits[waits.len() * share / 100];
    Ok(Flow { rate: count as f64 / seconds, p50_ms: at(50), p99_ms: at(99) })
}
