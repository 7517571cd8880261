//! Runs that end well or badly, cycles, calls, cron.

use base::{CallResult, OpError, Sql, Wall, args, codes};
use kernel::counters::rates::Point;
use kernel::tasks::{self, Create, ReportDone, State, parked_at};
use kernel::{NewTask, Op};

use super::world::{World, status};
use crate::world::NOON;

const MINUTE: u64 = 60_000;
/// How long those who found no room for their call wait for it before they go back.
const LINE_MS: u64 = 2_000;

#[test]
fn ker_15_ker_17_a_task_runs_at_once_and_goes_with_its_effects() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task.param("7"), "test.note");
    assert_eq!(world.notes(), ["7 1"]);
    assert!(world.tasks().is_empty());
}

/// What was counted of tasks: ended well, ended badly, to be run again.
fn counted(world: &World) -> [i64; 3] {
    let rates = world.main().watched.counters.rates("task", world.kernel.env().clock.wall());
    let sum = |of: fn(&Point) -> i64| rates.points.iter().map(of).sum();
    [sum(|point| point.processed), sum(|point| point.errors), sum(|point| point.retries)]
}

#[test]
fn con_2_ker_29_ends_of_tasks_are_counted_good_failed_and_parked() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task, "test.note");
    assert_eq!(counted(&world), [1, 0, 0]);
    world.create(|task| task, "test.steps");
    assert_eq!(counted(&world), [2, 0, 0], "cycles are not ends");
    world.create(|task| task, "test.fail");
    assert_eq!(counted(&world), [2, 1, 1]);
    world.pass(8 * MINUTE);
    assert_eq!(counted(&world), [2, 2, 2]);
}

#[test]
fn ker_18_a_task_starts_at_its_time_and_not_before() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task.at(Wall(NOON + 5_000)), "test.note");
    world.pass(4_999);
    assert!(world.notes().is_empty());
    world.pass(1);
    assert_eq!(world.notes().len(), 1);
}

#[test]
fn ker_18_a_task_that_nobody_told_of_is_found_by_the_scan() {
    let world = World::new();
    world.create(|task| task.at(Wall(NOON + 90_000)), "test.note");
    let _node = world.node();
    world.pass(89_999);
    assert!(world.notes().is_empty());
    world.pass(1);
    assert_eq!(world.notes().len(), 1, "found by the scan before, and started on time");
}

#[test]
fn ker_18_workers_go_on_until_nothing_is_due_and_each_task_runs_once() {
    let world = World::new();
    for at in 10..30 {
        world.create(move |task| task.param(at.to_string()), "test.note");
        world.create(|task| task, "test.fail");
    }
    world.create(|task| task.at(Wall(NOON + 5_000)).param("later"), "test.note");
    let _node = world.node();
    let mut notes = world.notes();
    notes.sort_unstable();
    assert_eq!(notes, (10..30).map(|at| format!("{at} 1")).collect::<Vec<_>>());
    assert!(world.tasks().iter().all(|task| task.state() == State::Waiting && task.attempt <= 1));
    world.pass(5_000);
    assert_eq!(world.notes().len(), 21, "the last one is on time");
}

#[test]
fn ker_17_a_failure_is_tried_again_by_the_schedule_and_then_parked_with_an_alert() {
    let world = World::new();
    let _node = world.node();
    let id = world.create(|task| task, "test.fail");
    let mut tries = vec![];
    for minutes in [1, 10, 60, 180] {
        let task = world.task(id);
        tries.push((task.attempt, task.retry, task.exc.clone().unwrap(), task.report.clone().unwrap()));
        assert_eq!((task.state(), task.start_time), (State::Waiting, None));
        world.pass(minutes * MINUTE - 1);
        assert_eq!(world.task(id).attempt, task.attempt, "not before its time");
        world.pass(1);
    }
    let report = || "never\non purpose".to_owned();
    let expected: Vec<_> = (1..=4).map(|n| (n, n, "ALIMIT".to_owned(), report())).collect();
    assert_eq!(tries, expected);
    let task = world.task(id);
    assert_eq!((task.state(), task.start_at, task.attempt), (State::Parked, parked_at(), 5));
    assert!(world.notes().is_empty(), "what a failed run wrote is undone");
    assert_eq!(open_alerts(&world), [format!("task.parked.{id}")]);
}

pub(super) fn open_alerts(world: &World) -> Vec<String> {
    use base::{Sql, args};
    static OPEN: Sql = Sql::new(
        "test.alerts",
        "SELECT key FROM alert WHERE closed_at IS NULL AND kind <> 'alerts.channel' ORDER BY key LIMIT 100",
    );
    static QUERY: kernel::Query<(), Vec<String>> = kernel::Query::new("test.alerts", |tx, ()| {
        Ok(tx.query(&OPEN, args![], 100)?.iter().map(|row| row.text(0).to_owned()).collect())
    });
    world.read(&QUERY, ()).unwrap()
}

#[test]
fn ker_20_cycles_follow_at_once_each_in_its_own_commit() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task, "test.steps");
    assert_eq!(world.notes(), ["step 1 retry 0", "step 2 retry 0", "step 3 retry 0"]);
    assert!(world.tasks().is_empty());
}

#[test]
fn ker_14_a_plain_operation_can_be_put_off() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task.param("\"hello\""), "test.plain");
    assert_eq!(world.notes(), ["hello"]);
    let id = world.create(|task| task.param("7"), "test.plain");
    assert_eq!(world.task(id).exc.as_deref(), Some("ABODY"));
    let id = world.create(|task| task, "test.nothing");
    assert_eq!(world.task(id).exc.as_deref(), Some("NOPERATION"));
}

#[test]
fn ker_14_a_call_is_made_outside_and_settled_in_the_commit_that_ends_the_task() {
    let world = World::new();
    let node = world.node();
    let id = world.create(|task| task.param("\"http://a.example/\""), "test.call");
    assert_eq!((world.partner.waiting(), node.busy(), node.calls()), (1, 0, 1), "a call occupies no worker");
    assert_eq!((world.task(id).state(), world.notes().len()), (State::Running, 0));
    world.partner.answer(status(200));
    assert_eq!(world.notes(), ["settled 1"]);
    assert!(world.tasks().is_empty() && node.calls() == 0);
}

#[test]
fn ker_16_targets_that_hang_leave_room_for_the_others_and_nothing_is_blamed_on_who_waits() {
    let world = World::new();
    let node = world.node();
    for _ in 0..5 {
        world.create(|task| task.param("\"http://hangs.example/\""), "test.call");
    }
    assert_eq!(node.calls(), 2, "two of one target");
    world.create(|task| task.param("\"http://works.example/\""), "test.call");
    assert_eq!(world.partner.waiting(), 3);
    world.pass(LINE_MS);
    let waiting: Vec<_> = world.tasks().into_iter().filter(|task| task.owner.is_none()).collect();
    assert_eq!(waiting.len(), 3);
    assert!(waiting.iter().all(|task| task.retry == 0 && task.forgiven == task.attempt && task.exc.is_none()));
    world.pass(10 * MINUTE);
    assert_eq!(world.tasks().iter().filter(|task| task.is_parked() || task.retry > 0).count(), 0);
    for _ in 0..3 {
        world.partner.answer(status(200));
    }
    world.pass(2 * MINUTE);
    world.partner.answer(status(200));
    world.partner.answer(status(200));
    world.pass(2 * MINUTE);
    world.partner.answer(status(200));
    assert!(world.tasks().is_empty());
}

#[test]
fn ker_16_a_task_that_others_took_over_is_not_given_back_nor_removed() {
    static TAKEN: Sql =
        Sql::new("test.taken", "UPDATE task SET owner = NULL, lost_at = NULL, start_time = NULL, start_at = ?1");
    static TAKE_OVER: Op<Wall, ()> = Op::new("test.take_over", |tx, _, at| Ok(tx.write(&TAKEN, args![*at])?));
    let world = World::new();
    let _node = world.node();
    let task = |task: NewTask| task.param("\"http://hangs.example/\"");
    world.create(task, "test.call");
    world.create(task, "test.call");
    let third = world.create(move |new| task(new).unique("third"), "test.call");
    let later = Wall(i64::MAX / 4);
    world.call(&TAKE_OVER, later).unwrap();
    world.pass(LINE_MS);
    assert_eq!(world.task(third).start_at, later, "what another node will do stays");
}

#[test]
fn ker_19_a_target_is_called_signed_with_the_same_id_until_it_answers_well() {
    let world = World::new();
    let _node = world.node();
    let target = |task: NewTask| NewTask { target: Some("https://t.example/x".into()), ..task.param("{\"a\":1}") };
    let id = world.create(target, "outside.work");
    let first = world.partner.answer(CallResult::Unknown("cut".into()));
    assert_eq!(world.task(id).exc.as_deref(), Some("XCONTACT"));
    world.pass(MINUTE);
    let second = world.partner.answer(status(204));
    assert!(world.tasks().is_empty());
    let header = |call: &base::HttpCall, name: &str| {
        call.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap()
    };
    assert_eq!(header(&first, "webhook-id"), id.to_string());
    assert_eq!(header(&second, "webhook-id"), id.to_string());
    let told: serde_json::Value = serde_json::from_slice(&second.body).unwrap();
    assert_eq!(
        told,
        serde_json::json!({"ns": "main", "task_id": id.to_string(), "op": "outside.work", "param": {"a": 1}, "retry": 1,
            "attempt": 2, "start_time": "2026-11-15T12:01:00.000Z", "checkpoint": null})
    );
    assert!(header(&second, "webhook-signature").starts_with("v1,"));
}

#[test]
fn ker_19_a_target_reports_a_late_end_until_the_next_attempt() {
    let world = World::new();
    let _node = world.node();
    let target = |task: NewTask| NewTask { target: Some("https://t.example/x".into()), ..task };
    let (one, two) = (world.create(target, "a"), world.create(target, "b"));
    world.partner.answer(CallResult::Unknown("cut".into()));
    world.partner.answer(CallResult::Unknown("cut".into()));
    assert!(world.call(&tasks::REPORT_DONE, ReportDone { id: one, attempt: 1 }).is_ok());
    world.pass(MINUTE);
    let late = world.call(&tasks::REPORT_DONE, ReportDone { id: two, attempt: 1 });
    assert_eq!(late.unwrap_err().code, codes::AATTEMPT);
    let gone = world.call(&tasks::REPORT_DONE, ReportDone { id: one, attempt: 1 });
    assert_eq!(gone.unwrap_err().code, codes::NTASK);
    assert!(world.call(&tasks::REPORT_DONE, ReportDone { id: two, attempt: 2 }).is_ok());
    assert_eq!(
        world.partner.answer(status(200)).url,
        "https://t.example/x",
        "its answer comes too late and harms nobody"
    );
}

#[test]
fn ker_21_a_cron_task_inscribes_its_next_run_in_the_commit_that_ends_it() {
    let world = World::new();
    let _node = world.node();
    let create = Create {
        op: "test.note".into(),
        param: serde_json::json!(1),
        info: "i".into(),
        start_at: None,
        queue: None,
        lane: None,
        cron: Some("H05".parse().unwrap()),
        target: None,
    };
    let first = world.call(&tasks::CREATE, create).unwrap().id;
    world.pass(5 * MINUTE);
    assert_eq!(world.notes(), ["1 1"]);
    let next = world.tasks().pop().unwrap();
    assert_ne!(next.id, first, "whoever is called can tell it from a repeat");
    assert_eq!((next.start_at, next.attempt), (Wall(NOON + 65 * 60_000), 0));
    world.pass(60 * MINUTE);
    assert_eq!(world.notes(), ["1 1", "1 1"]);
}

#[test]
fn ker_21_parking_a_cron_task_still_inscribes_the_next_run() {
    let world = World::new();
    let _node = world.node();
    let id = world.create(|task| NewTask { cron: Some("D1205".parse().unwrap()), ..task }, "test.fail");
    world.pass((5 + 1 + 10 + 60 + 180) * MINUTE);
    let tasks = world.tasks();
    assert_eq!(tasks.len(), 2);
    let (parked, next): (Vec<_>, Vec<_>) = tasks.into_iter().partition(kernel::tasks::Task::is_parked);
    assert_eq!((parked[0].id, &parked[0].cron), (id, &None));
    assert_eq!(next[0].start_at, Wall(NOON + (24 * 60 + 5) * 60_000));
}

#[test]
fn ker_21_a_standing_task_is_there_once_and_runs() {
    let world = World::new();
    let _node = world.node();
    let _other = world.node();
    world.pass(30 * MINUTE);
    assert_eq!(world.hourly_runs(), 1);
    world.pass(60 * MINUTE);
    assert_eq!(world.hourly_runs(), 2);
}

#[test]
fn ker_34_a_task_beyond_its_limits_is_refused_and_nothing_is_written() {
    let world = World::new();
    let refused = |make: fn(NewTask) -> NewTask| -> OpError {
        let make = move |id| make(NewTask::new(id, "test.note"));
        let new = super::world::NewTasks(vec![Box::new(make)]);
        world.call(&super::world::CREATE, new).unwrap_err()
    };
    assert_eq!(refused(|task| NewTask { queue: Some(4), ..task }).code, codes::ALIMIT);
    assert_eq!(refused(|task| NewTask { queue: Some(-1), ..task }).code, codes::ALIMIT);
    assert_eq!(refused(|task| task.info("i".repeat(256))).code, codes::ALIMIT);
    assert_eq!(refused(|task| task.lane("l".repeat(256))).code, codes::ALIMIT);
    assert!(world.tasks().is_empty());
}
