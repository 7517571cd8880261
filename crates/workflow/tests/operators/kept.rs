//! What is over is let go.

use base::{Sql, args};
use kernel::Op;
use serde_json::json;
use workflow::actors::{PATCH_TYPE, TypePatch, TypePatchOf};
use workflow::process::{ABORT, Abort};
use workflow::retention::FORGET_NOW;

use crate::kit::Flow;

const DAY: i64 = 86_400_000;

static ROWS: Sql = Sql::new(
    "test.all_rows",
    "SELECT (SELECT COUNT(*) FROM wfl_process) + (SELECT COUNT(*) FROM wfl_task) + (SELECT COUNT(*) FROM wfl_decision) \
     + (SELECT COUNT(*) FROM wfl_graph) + (SELECT COUNT(*) FROM wfl_signal) + (SELECT COUNT(*) FROM wfl_history) \
     + (SELECT COUNT(*) FROM wfl_queue)",
);
static PROCESSES: Sql = Sql::new("test.processes", "SELECT COUNT(*) FROM wfl_process");

/// So many days pass for what is over, and it is looked at. (Days of timers would take minutes here.)
fn age(flow: &Flow, days: i64) {
    static AGE: Op<i64, ()> = Op::new("test.age", |tx, _, days| {
        static SQL: Sql = Sql::new("test.age", "UPDATE wfl_process SET ended = ended - ?1 WHERE ended IS NOT NULL");
        Ok(tx.write(&SQL, args![*days * DAY])?)
    });
    flow.0.call(&AGE, days).unwrap();
    flow.0.call(&FORGET_NOW, ()).unwrap();
    flow.0.pass_ms(10_000);
}

fn finish(flow: &Flow, kind: &str) -> String {
    let id = flow.try_start(json!({ "type": kind, "start": { "actor": "a#1" } })).unwrap();
    flow.done(&flow.take("a#1"), json!({}));
    id
}

#[test]
fn wfl_24_finished_processes_go_after_their_time_and_aborted_ones_after_a_day() {
    let flow = Flow::new();
    let short = TypePatch { kept_ms: Some(Some(3_600_000)), ..TypePatch::default() };
    flow.0.call(&PATCH_TYPE, TypePatchOf { kind: "short".into(), patch: short }).unwrap();
    finish(&flow, "short");
    finish(&flow, "long");
    let aborted = flow.start(json!({ "actor": "b#1" }));
    flow.0.call(&ABORT, Abort { process: aborted, reason: "not wanted".into(), source: None }).unwrap();
    let open = flow.start(json!({ "actor": "c#1" }));
    flow.pass_ms(3_601_000);
    flow.0.call(&FORGET_NOW, ()).unwrap();
    flow.0.pass_ms(10_000);
    assert_eq!(flow.0.count(&PROCESSES), 3, "of a short time");
    age(&flow, 1);
    assert_eq!(flow.0.count(&PROCESSES), 2, "the aborted one");
    age(&flow, 28);
    assert_eq!(flow.0.count(&PROCESSES), 2);
    age(&flow, 1);
    assert_eq!(flow.0.count(&PROCESSES), 1, "of the usual time");
    assert_eq!(flow.state(&open), "ACTIVE", "what is open stays for ever");
}

#[test]
fn wfl_24_a_calendar_that_jumps_takes_nothing_that_is_young() {
    let flow = Flow::new();
    finish(&flow, "order");
    flow.0.jump_calendar_ms(400 * DAY);
    flow.0.call(&FORGET_NOW, ()).unwrap();
    flow.0.pass_ms(10_000);
    assert_eq!(flow.0.count(&PROCESSES), 1);
}

#[test]
fn wfl_24_a_large_process_goes_whole_in_portions() {
    let flow = Flow::new();
    flow.start(json!({ "actor": "decide#1" }));
    let tasks: Vec<_> = (0..1_400).map(|_| json!({ "actor": "one#1" })).collect();
    flow.done(&flow.take("decide#1"), json!({ "tasks": tasks }));
    for _ in 0..14 {
        for task in flow.poll_many("one#1", 100) {
            flow.done(&task, json!({ "value": 1 }));
        }
    }
    for _ in 0..120 {
        finish(&flow, "small");
    }
    age(&flow, 31);
    assert_eq!(flow.0.count(&ROWS), 0);
}
