//! Processes are started by the calendar.

use base::{Sql, Wall, args};
use kernel::Op;
use serde_json::{Value, json};
use workflow::schedules::{
    CREATE_SCHEDULE, DELETE_SCHEDULE, PATCH_SCHEDULE, SCHEDULE, SCHEDULES, SchedulePatchOf, ScheduleView,
};

use crate::alerts;
use crate::kit::Flow;

const HOUR: u64 = 3_600_000;

fn create(flow: &Flow, cron: &str, missed: &str) -> Result<String, base::OpError> {
    let wish = json!({
        "cron": cron, "missed": missed, "missed_max": 3,
        "start": { "type": "report", "custom_id": "daily", "start": { "actor": "a#1" } },
    });
    flow.0.call(&CREATE_SCHEDULE, serde_json::from_value(wish).unwrap()).map(|reply| reply.out.id)
}

fn patch(flow: &Flow, id: &str, patch: Value) -> Result<(), base::OpError> {
    let patch = SchedulePatchOf { id: id.into(), patch: serde_json::from_value(patch).unwrap() };
    flow.0.call(&PATCH_SCHEDULE, patch).map(drop)
}

fn schedule(flow: &Flow, id: &str) -> ScheduleView {
    flow.0.read(&SCHEDULE, id.into()).unwrap()
}

fn started(flow: &Flow) -> i64 {
    static STARTED: Sql = Sql::new("test.started", "SELECT COUNT(*) FROM wfl_process WHERE type = 'report'");
    flow.0.count(&STARTED)
}

#[test]
fn wfl_29_each_due_moment_starts_one_process_and_the_next_five_dates_are_shown() {
    let flow = Flow::new();
    let id = create(&flow, "H30", "once").unwrap();
    let at = |minutes: i64| Wall(testbed::NOON + minutes * 60_000).rfc3339();
    assert_eq!(schedule(&flow, &id).next, [at(30), at(90), at(150), at(210), at(270)]);
    flow.0.pass_ms(HOUR / 2 - 1_000);
    assert_eq!(started(&flow), 0);
    flow.0.pass_ms(2_000);
    assert_eq!(started(&flow), 1);
    flow.0.pass_ms(3 * HOUR);
    assert_eq!(started(&flow), 4);
    let view = schedule(&flow, &id);
    assert_eq!((view.runs, view.last_at, view.next[0].clone()), (4, Some(at(210)), at(270)));
    assert_eq!(flow.process(&view.last_process.unwrap()).custom_id.as_deref(), Some("daily"));
}

#[test]
fn wfl_29_what_was_missed_is_left_out_or_made_up_for() {
    for (missed, expected) in [("skip", 0), ("once", 1), ("all", 3)] {
        let flow = Flow::new();
        let id = create(&flow, "0 * * * *", missed).unwrap();
        flow.0.jump_calendar_ms(10 * 3_600_000 + 1_800_000);
        flow.0.pass_ms(120_000);
        assert_eq!(started(&flow), expected, "{missed}");
        assert_eq!(schedule(&flow, &id).next[0], Wall(testbed::NOON + 11 * 3_600_000).rfc3339());
        flow.0.pass_ms(HOUR);
        assert_eq!(started(&flow), expected + 1, "{missed}: from then on as always");
    }
}

#[test]
fn wfl_29_a_calendar_that_is_put_back_starts_nothing_twice() {
    let flow = Flow::new();
    create(&flow, "*/10 * * * *", "all").unwrap();
    flow.0.pass_ms(HOUR);
    assert_eq!(started(&flow), 6);
    flow.0.jump_calendar_ms(-1_800_000);
    flow.0.pass_ms(HOUR / 2);
    assert_eq!(started(&flow), 6, "these moments were before");
    flow.0.pass_ms(HOUR / 2);
    assert_eq!(started(&flow), 9);
}

#[test]
fn wfl_29_a_schedule_is_paused_changed_and_deleted() {
    let flow = Flow::new();
    let id = create(&flow, "H30", "all").unwrap();
    patch(&flow, &id, json!({ "paused": true })).unwrap();
    assert_eq!(schedule(&flow, &id).next, Vec::<String>::new());
    flow.0.pass_ms(5 * HOUR);
    assert_eq!(started(&flow), 0);
    patch(&flow, &id, json!({ "paused": false })).unwrap();
    flow.0.pass_ms(HOUR);
    assert_eq!(started(&flow), 1, "a pause is nothing that was missed");
    patch(&flow, &id, json!({ "cron": "*/5 * * * *" })).unwrap();
    flow.0.pass_ms(HOUR);
    assert_eq!(started(&flow), 13);
    flow.0.call(&DELETE_SCHEDULE, id.clone()).unwrap();
    flow.0.pass_ms(HOUR);
    assert_eq!(started(&flow), 13);
    assert_eq!(flow.0.read(&SCHEDULES, ()).unwrap().len(), 0);
    assert_eq!(patch(&flow, &id, json!({})).unwrap_err().code.name, "NFLOWJOB");
}

#[test]
fn wfl_29_a_schedule_whose_cron_cannot_be_read_any_more_is_repaired_by_a_change() {
    static SPOIL: Sql = Sql::new("test.spoil", "UPDATE wfl_schedule SET wish = REPLACE(wish, 'H30', 'Q99')");
    static SET: Op<(), ()> = Op::new("test.spoil", |tx, _, ()| Ok(tx.write(&SPOIL, args![])?));
    let flow = Flow::new();
    let id = create(&flow, "H30", "once").unwrap();
    flow.0.call(&SET, ()).unwrap();
    patch(&flow, &id, json!({ "missed": "skip" })).unwrap_err();
    patch(&flow, &id, json!({ "cron": "*/10 * * * *" })).unwrap();
    flow.0.pass_ms(HOUR);
    assert_eq!(started(&flow), 6);
}

/// A schedule whose run at 14:00 fails, and what it is so many minutes later.
fn failing(minutes: u64) -> (Flow, String) {
    static REFUSE: Sql = Sql::new(
        "test.refuse",
        "CREATE TRIGGER refuse BEFORE INSERT ON wfl_process WHEN NEW.type = 'wrong' BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    static SET: Op<(), ()> = Op::new("test.set", |tx, _, ()| Ok(tx.write(&REFUSE, args![])?));
    let flow = Flow::new();
    flow.0.call(&SET, ()).unwrap();
    let id = create(&flow, "0 14 * * *", "once").unwrap();
    patch(&flow, &id, json!({ "start": { "type": "wrong", "start": { "actor": "a#1" } } })).unwrap();
    flow.0.pass_ms(2 * HOUR + minutes * 60_000);
    assert_eq!((started(&flow), schedule(&flow, &id).runs), (0, 0));
    (flow, id)
}

#[test]
fn wfl_29_a_run_that_is_due_and_failed_is_made_once_the_schedule_is_put_right() {
    // Between two tries; after the last of them.
    for (minutes, parked) in [(2, 0), (300, 1)] {
        let (flow, id) = failing(minutes);
        assert_eq!(alerts(&flow, "task.parked").len(), parked);
        // As the page does, with all that it shows, the unchanged cron too.
        let right = json!({ "type": "report", "start": { "actor": "a#1" } });
        patch(&flow, &id, json!({ "cron": " 0  14 * * * ", "missed": "once", "missed_max": 3, "start": right }))
            .unwrap();
        flow.0.pass_ms(1_000);
        let (at, view) = (Wall(testbed::NOON + 2 * 3_600_000), schedule(&flow, &id));
        assert_eq!((started(&flow), view.runs, view.missed_times), (1, 1, 0), "after {minutes} minutes");
        assert_eq!((view.last_at, &view.next[0]), (Some(at.rfc3339()), &at.plus_ms(86_400_000).rfc3339()));
        assert_eq!(alerts(&flow, "task.parked"), Vec::<String>::new());
        flow.0.pass_ms(6 * HOUR);
        assert_eq!(started(&flow), 1, "once");
    }
}

#[test]
fn wfl_29_a_run_that_is_due_and_falls_to_another_calendar_or_a_pause_is_counted_as_missed() {
    for change in [json!({ "cron": "0 15 * * *" }), json!({ "paused": true })] {
        let (flow, id) = failing(2);
        patch(&flow, &id, change.clone()).unwrap();
        flow.0.pass_ms(HOUR / 2);
        assert_eq!((started(&flow), schedule(&flow, &id).missed_times), (0, 1), "{change}");
    }
}

#[test]
fn wfl_29_what_cannot_be_is_refused() {
    let flow = Flow::new();
    for cron in ["", "every day", "0 0 30 2 *", "61 * * * *", "H61"] {
        assert_eq!(create(&flow, cron, "once").unwrap_err().code.name, "AWORKFLOW", "{cron}");
    }
    let id = create(&flow, "H30", "once").unwrap();
    for bad in [json!({ "cron": "x" }), json!({ "missed_max": 0 }), json!({ "missed_max": 101 })] {
        assert_eq!(patch(&flow, &id, bad).unwrap_err().code.name, "AWORKFLOW");
    }
    assert_eq!(schedule(&flow, &id).wish.cron, "H30", "nothing changed");
}
