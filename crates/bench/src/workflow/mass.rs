//! A mass restart (WFL-28): a hundred thousand broken processes begin anew while others go on; the job is paused, the server is killed, and it
//! goes on from there.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use super::limits::flow;
use super::million::{ask, multiply};
use crate::documents::{Process, ask_json, request};
use crate::report::{Figure, Unit};
use crate::sensors::{KEY, start_process};

pub const TITLE: &str = "mass restart";
const BROKEN: usize = 100_000;
/// Restarts of a second that are asked for, one after the other.
const RATES: [usize; 3] = [500, 1_000, 2_000];
/// Processes of the live flow: how many, and how many a second.
const LIVE: (usize, f64) = (3_000, 500.0);

pub fn run(folder: &Path) -> Result<()> {
    println!("\n{TITLE} of {BROKEN} broken processes beside {} others a second", LIVE.1);
    let home = folder.join("mass");
    std::fs::create_dir(&home)?;
    let process = break_one(&start_process(&home)?)?;
    let tables = ["wfl_process", "wfl_task", "wfl_decision", "wfl_graph"];
    multiply(&home.join("data/namespaces/main/store.db"), &process, BROKEN, &tables)?;
    let server = start_process(&home)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(flow(server.address, LIVE.0, Some(LIVE.1)))?;
    let live = || runtime.block_on(flow(server.address, LIVE.0, Some(LIVE.1)));
    let before = live()?;
    println!("  others, from start to polled, before: p50 {:.2} ms, p99 {:.2} ms", before.p50_ms, before.p99_ms);
    let wish = json!({ "action": "restart", "search": { "state": "BROKEN", "type": "broken" }, "rate": RATES[0] });
    let job = ask(&server, "jobs", &wish)?["job"].to_string();
    for rate in RATES {
        change(&server, &job, rate)?;
        let (had, begun) = (repaired(&show(&server, &job)?)?, Instant::now());
        let during = live()?;
        let restarts = (repaired(&show(&server, &job)?)? - had) / begun.elapsed().as_secs_f64();
        println!(
            "  {restarts:>5.0} restarts a second; others p50 {:.2} ms, p99 {:.2} ms",
            during.p50_ms, during.p99_ms
        );
        let figure =
            Figure::new(format!("p50 of others while {restarts:.0} a second are restarted"), Unit::Milliseconds);
        figure
            .side("ours, meanwhile", &[during.p50_ms])
            .side("ours, before", &[before.p50_ms])
            .goal(2.0 * before.p50_ms)
            .tell();
        let told = json!({ "restarts": restarts, "before_ms": [before.p50_ms, before.p99_ms], "during_ms": [during.p50_ms, during.p99_ms] });
        println!("{}", json!({ "bench": "workflow", "name": TITLE, "figures": told }));
    }
    ask(&server, &format!("jobs/{job}/pause"), &Value::Null)?;
    let paused = show(&server, &job)?;
    drop(server);
    let server = start_process(&home)?;
    let again = show(&server, &job)?;
    ensure!((&again["state"], &again["repaired"]) == (&json!("PAUSED"), &paused["repaired"]), "{again} was {paused}");
    ask(&server, &format!("jobs/{job}/resume"), &Value::Null)?;
    let ended = wait_for(&server, &job)?;
    ensure!(repaired(&ended)? == (BROKEN + 1) as f64 && ended["failed"] == json!(0), "{ended}");
    println!("  paused, killed and resumed at {}; all {} done, none failed", paused["repaired"], ended["repaired"]);
    Ok(())
}

/// A process whose only task failed.
fn break_one(server: &Process) -> Result<String> {
    let started = ask(server, "processes", &json!({ "type": "broken", "start": { "actor": "bad#1" } }))?;
    let polled = ask(server, "poll", &json!({ "actor": "bad#1" }))?;
    let task = &polled["tasks"][0];
    let result =
        json!({ "task_id": task["task_id"], "attempt": 1, "error": { "class": "Bad", "message": "it cannot be" } });
    ask(server, "release", &json!({ "results": [result] }))?;
    started["process_id"].as_str().map(str::to_owned).context("an id")
}

fn repaired(told: &Value) -> Result<f64> {
    told["repaired"].as_f64().with_context(|| told.to_string())
}

fn change(server: &Process, job: &str, rate: usize) -> Result<()> {
    let path = format!("/v1/main/workflow/jobs/{job}");
    let body = json!({ "rate": rate }).to_string();
    ask_json(server.address, &request("PATCH", &path, &format!("Bearer {KEY}"), &body)).map(drop)
}

fn show(server: &Process, job: &str) -> Result<Value> {
    ask_json(server.address, &request("GET", &format!("/v1/main/workflow/jobs/{job}"), &format!("Bearer {KEY}"), ""))
}

fn wait_for(server: &Process, job: &str) -> Result<Value> {
    let begun = Instant::now();
    loop {
        let told = show(server, job)?;
        if told["state"] == "DONE" {
            return Ok(told);
        }
        ensure!(begun.elapsed() < Duration::from_secs(300), "{told}");
        std::thread::sleep(Duration::from_millis(200));
    }
}
