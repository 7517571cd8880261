//! Processes of one task, and a worker who brings its result.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Load, Work};
use crate::caller::Caller;
use crate::site::Site;

pub const KIND: &str = "order";
const W: &str = "/v1/main/workflow";

/// What came of it.
pub struct Processed {
    /// Processes whose start was acknowledged.
    pub started: u64,
    /// How often a result of each was taken.
    pub finished: BTreeMap<u64, u32>,
}

/// A worker that died is missed soon: an answer with tasks may be lost with a server.
pub fn register(site: &Site) {
    let mut caller = site.caller();
    caller.ask(
        "PATCH",
        &format!("{W}/actors/{KIND}%231"),
        &json!({ "work_timeout_ms": 5_000, "restart_after_work_timeout": true }),
        "",
    );
}

pub fn start(site: &Site, load: &Load) -> u64 {
    let (mut caller, mut number) = (site.caller(), 0);
    while load.goes_on() {
        number += 1;
        let task = json!({ "actor": format!("{KIND}#1"), "method": "run", "args": [{ "value": number }] });
        let process = json!({ "type": KIND, "key": number.to_string(), "start": task });
        caller.post(&format!("{W}/processes"), &process, &format!("process-{number}"));
    }
    load.close(Work::Processes);
    number
}

/// The worker, until nobody starts and nothing is left to do.
pub fn finish(site: &Site, load: &Load) -> BTreeMap<u64, u32> {
    let (mut caller, mut finished) = (site.caller(), BTreeMap::new());
    loop {
        let is_closed = load.is_closed(Work::Processes);
        load.goes_on();
        let poll = json!({ "actor": format!("{KIND}#1"), "worker": "hands", "max": 10, "wait_ms": 500 });
        let tasks = caller.post(&format!("{W}/poll"), &poll, "");
        for task in tasks["tasks"].as_array().unwrap() {
            release(&mut caller, task, &mut finished);
            load.count(Work::Processes);
        }
        if is_closed && is_idle(&mut caller) {
            return finished;
        }
    }
}

fn release(caller: &mut Caller, task: &Value, finished: &mut BTreeMap<u64, u32>) {
    let number = task["args"][0]["value"].as_u64().unwrap();
    let result =
        json!({ "task_id": task["task_id"], "attempt": task["attempt"], "pass": task["pass"], "value": number });
    let once = format!("release-{}-{}-{}", task["task_id"], task["attempt"], task["pass"]).replace('"', "");
    let answer = caller.post(&format!("{W}/release"), &json!({ "results": [result] }), &once);
    if answer["results"][0]["accepted"] == true {
        *finished.entry(number).or_default() += 1;
    }
}

/// Whether every process has ended.
fn is_idle(caller: &mut Caller) -> bool {
    let open = caller.get(&format!("{W}/processes?type={KIND}&state=ACTIVE&limit=1"));
    open["items"].as_array().unwrap().is_empty()
}
