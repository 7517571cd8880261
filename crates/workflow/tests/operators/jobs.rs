//! Jobs over many processes.

use base::Sql;
use serde_json::{Value, json};
use workflow::jobs::{
    CHANGE_JOB, CONTROL_JOB, CREATE_JOB, ChangeJob, ControlJob, JOB, JOB_RESULTS, JOBS, JobControl, JobResult, JobView,
    JobsOf, ResultsOf,
};

use crate::kit::Flow;
use crate::{alerts, break_one};

fn create(flow: &Flow, wish: Value) -> Result<i64, base::OpError> {
    let wish = serde_json::from_value(wish).expect("a job");
    flow.0.call(&CREATE_JOB, wish).map(|reply| reply.out.job)
}

fn job(flow: &Flow, number: i64) -> JobView {
    flow.0.read(&JOB, number).unwrap()
}

fn control(flow: &Flow, number: i64, control: JobControl) -> Result<(), base::OpError> {
    flow.0.call(&CONTROL_JOB, ControlJob { job: number, control }).map(drop)
}

/// Runs until it is over.
fn finish(flow: &Flow, number: i64) -> JobView {
    for _ in 0..600 {
        let view = job(flow, number);
        if view.state == "DONE" {
            return view;
        }
        flow.0.pass_ms(1_000);
    }
    panic!("{:?}", job(flow, number));
}

fn results(flow: &Flow, number: i64) -> Vec<JobResult> {
    flow.0.read(&JOB_RESULTS, ResultsOf { job: number, after: 0, limit: 1_000 }).unwrap().results
}

#[test]
fn wfl_16_wfl_28_a_job_over_2000_processes_works_on_each_once_at_its_rate() {
    static ATTEMPTS: Sql = Sql::new("test.firsts", "SELECT COUNT(*) FROM wfl_process WHERE first = 1000001");
    static LISTED: Sql = Sql::new("test.listed", "SELECT COUNT(DISTINCT process) FROM wfl_job_result");
    let flow = Flow::new();
    for _ in 0..2_000 {
        flow.start(json!({ "actor": "a#1" }));
    }
    let number = create(&flow, json!({ "action": "restart", "search": { "type": "test" }, "rate": 50 })).unwrap();
    let late = flow.start(json!({ "actor": "a#1" }));
    let mut last = 0;
    for second in 1..=10 {
        flow.0.pass_ms(1_000);
        let view = job(&flow, number);
        let sum = view.repaired + view.skipped + view.failed;
        assert_eq!((view.found, sum), (view.examined, sum), "{view:?}");
        assert_eq!(view.found, sum, "each commit counts what it did");
        assert_eq!(flow.0.count(&ATTEMPTS), view.repaired, "and did what it counts");
        assert!(view.repaired - last <= 101, "second {second}: {} after {last}", view.repaired);
        last = view.repaired;
    }
    assert!((400..=600).contains(&last), "{last} in ten seconds at 50 a second");
    control(&flow, number, JobControl::Pause).unwrap();
    control(&flow, number, JobControl::Pause).unwrap();
    flow.0.pass_ms(60_000);
    assert_eq!(job(&flow, number).repaired, last, "it stands");
    flow.0.call(&CHANGE_JOB, ChangeJob { job: number, rate: Some(1_000), priority: None }).unwrap();
    control(&flow, number, JobControl::Resume).unwrap();
    let view = finish(&flow, number);
    assert_eq!((view.found, view.repaired, view.failed, view.remaining), (2_000, 2_000, 0, Some(0)));
    assert_eq!((flow.0.count(&ATTEMPTS), flow.0.count(&LISTED)), (2_000, 2_000), "each once");
    assert_eq!(view.percent, 100);
    assert!(flow.history(&late).is_empty(), "what was started later is not its business");
    let one = &results(&flow, number)[0];
    let line = flow.history(&one.process_id).remove(0);
    assert_eq!((line.kind.as_str(), line.source), ("restarted", format!("operator job {number}")), "WFL-19");
    flow.0.check_invariants();
}

#[test]
fn wfl_28_a_dry_run_changes_nothing_and_lists_what_it_would_do() {
    static STATES: Sql = Sql::new("test.states", "SELECT id, state, first, changed FROM wfl_process ORDER BY id");
    let flow = Flow::new();
    let broken = break_one(&flow, "order", "a#1", "Oops");
    let active = flow.start(json!({ "actor": "b#1" }));
    let before = flow.0.rows(&STATES);
    for action in ["restart", "abort", "retry_broken", "clone", "recover", "analyse"] {
        let number = create(&flow, json!({ "action": action, "dry_run": true })).unwrap();
        let view = finish(&flow, number);
        assert_eq!((view.found, view.failed), (2, 0), "{action}");
        assert_eq!(flow.0.rows(&STATES), before, "{action}");
    }
    let number = create(&flow, json!({ "action": "retry_broken", "dry_run": true })).unwrap();
    finish(&flow, number);
    let listed: Vec<(String, String)> =
        results(&flow, number).into_iter().map(|result| (result.process_id, result.outcome)).collect();
    assert_eq!(listed, [(broken, "would".into()), (active, "skipped".into())]);
}

#[test]
fn wfl_17_a_group_of_broken_tasks_is_tried_again_and_aborted_by_a_job() {
    let flow = Flow::new();
    let ids: Vec<String> = (0..30).map(|_| break_one(&flow, "order", "a#1", "Oops")).collect();
    let other = break_one(&flow, "order", "a#1", "Other");
    let wish = json!({ "action": "retry_broken", "search": { "state": "BROKEN", "error_class": "Oops" } });
    let view = finish(&flow, create(&flow, wish).unwrap_or_default());
    assert_eq!((view.repaired, view.failed), (30, 0));
    assert!(ids.iter().all(|id| flow.state(id) == "ACTIVE"));
    assert_eq!(flow.state(&other), "BROKEN");
    assert_eq!(alerts(&flow, "workflow-broken").len(), 1);
    let number = create(&flow, json!({ "action": "abort", "search": { "state": "BROKEN" } })).unwrap();
    assert_eq!(finish(&flow, number).repaired, 1);
    assert_eq!(flow.state(&other), "ABORTED");
    assert_eq!(alerts(&flow, "workflow-broken"), Vec::<String>::new());
    assert_eq!(flow.poll_many("a#1", 100).len(), 30);
}

#[test]
fn wfl_18_from_a_chosen_task_on_and_one_that_never_ran_is_told() {
    let flow = Flow::new();
    let done = flow.start(json!({ "actor": "decide#1" }));
    let tasks =
        json!([{ "id": "a", "actor": "a#1", "method": "go" }, { "id": "b", "actor": "b#1", "wait_for": ["a"] }]);
    flow.done(&flow.take("decide#1"), json!({ "tasks": tasks }));
    flow.done(&flow.take("a#1"), json!({}));
    flow.done(&flow.take("b#1"), json!({}));
    let waiting = flow.start(json!({ "actor": "decide#1" }));
    flow.done(&flow.take("decide#1"), json!({ "tasks": tasks }));
    flow.take("a#1");
    let without = flow.start(json!({ "actor": "c#1" }));
    let number = create(&flow, json!({ "action": "restart_from", "task": { "id": "b" } })).unwrap();
    let view = finish(&flow, number);
    assert_eq!((view.repaired, view.failed), (1, 2));
    let listed: Vec<(String, String)> =
        results(&flow, number).into_iter().map(|result| (result.process_id, result.text)).collect();
    assert_eq!(listed[0], (done.clone(), format!("begun anew from task {done}.3")));
    assert_eq!(listed[1], (waiting.clone(), format!("task {waiting}.3 never ran: there is nothing to begin anew")));
    assert_eq!(listed[2], (without, "it has no such task".into()));
    assert_eq!(flow.state(&done), "ACTIVE");
    assert_eq!(flow.take("b#1").task_id, format!("{done}.3"));
    let number =
        create(&flow, json!({ "action": "restart_from", "task": { "actor": "a#1", "method": "go" } })).unwrap();
    assert_eq!(finish(&flow, number).repaired, 2);
    assert_eq!(flow.poll_many("a#1", 10).len(), 2);
}

#[test]
fn wfl_18_clones_are_made_once_and_are_not_cloned() {
    static ALL: Sql = Sql::new("test.all", "SELECT COUNT(*) FROM wfl_process");
    let flow = Flow::new();
    for _ in 0..50 {
        flow.start(json!({ "actor": "a#1" }));
    }
    let number = create(&flow, json!({ "action": "clone", "rate": 10 })).unwrap();
    // The calendar is put back: the ids of clones lie below the end of the job.
    flow.0.pass_ms(500);
    flow.0.jump_calendar_ms(-100_000);
    assert_eq!(finish(&flow, number).repaired, 50);
    assert_eq!(flow.0.count(&ALL), 100);
    assert_eq!(flow.poll_many("a#1", 500).len(), 100);
}

#[test]
fn wfl_28_a_lower_job_waits_for_a_higher_one() {
    let flow = Flow::new();
    for _ in 0..40 {
        flow.start(json!({ "actor": "a#1" }));
    }
    let low = create(&flow, json!({ "action": "restart", "rate": 10 })).unwrap();
    flow.0.pass_ms(1_000);
    let high = create(&flow, json!({ "action": "restart", "rate": 10, "priority": 5 })).unwrap();
    flow.0.pass_ms(1_000);
    let stood = job(&flow, low);
    assert_eq!(stood.waits_for, Some(high));
    flow.0.pass_ms(2_000);
    assert_eq!(job(&flow, low).repaired, stood.repaired, "it waits");
    assert!(job(&flow, high).repaired > 10);
    flow.0.call(&CHANGE_JOB, ChangeJob { job: low, rate: None, priority: Some(9) }).unwrap();
    flow.0.pass_ms(2_000);
    assert!(job(&flow, low).repaired > stood.repaired, "now it is the higher one");
    assert_eq!(finish(&flow, low).repaired, 40);
    assert_eq!(finish(&flow, high).repaired, 40);
    let numbers: Vec<i64> =
        flow.0.read(&JOBS, JobsOf { before: None, limit: 10 }).unwrap().iter().map(|job| job.job).collect();
    assert_eq!(numbers, [high, low], "newest first");
}

#[test]
fn wfl_16_types_come_in_the_order_of_their_priorities() {
    let flow = Flow::new();
    for kind in ["a", "b", "c", "a", "b", "c"] {
        flow.try_start(json!({ "type": kind, "start": { "actor": "x#1" } })).unwrap();
    }
    let types = json!([{ "type": "a", "priority": 1 }, { "type": "c", "priority": 2 }]);
    let number = create(&flow, json!({ "action": "abort", "types": types })).unwrap();
    assert_eq!(finish(&flow, number).repaired, 4);
    let kinds: Vec<String> =
        results(&flow, number).iter().map(|result| flow.process(&result.process_id).kind).collect();
    assert_eq!(kinds, ["c", "c", "a", "a"]);
}

#[test]
fn wfl_16_wfl_20_a_lost_graph_is_found_by_an_analysis_and_made_anew_by_a_recovery() {
    static LOSE: kernel::Op<(), ()> = kernel::Op::new("test.lose", |tx, _, ()| {
        static SQL: Sql = Sql::new("test.lose", "DELETE FROM wfl_graph");
        Ok(tx.write(&SQL, &[])?)
    });
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    let analyse = || finish(&flow, create(&flow, json!({ "action": "analyse" })).unwrap());
    assert_eq!((analyse().repaired, analyse().skipped), (0, 1));
    flow.0.call(&LOSE, ()).unwrap();
    let view = analyse();
    assert_eq!(view.repaired, 1);
    assert_eq!(results(&flow, view.job)[0].text, "the graph was lost and is made anew");
    let number = create(&flow, json!({ "action": "recover" })).unwrap();
    assert_eq!(finish(&flow, number).repaired, 1);
    assert_eq!(flow.history(&id)[0].source, format!("operator job {number}"));
    assert_eq!(analyse().repaired, 0);
    flow.done(&flow.take("a#1"), json!({ "value": 1 }));
    assert_eq!(flow.value(&id), json!(1));
}

#[test]
fn wfl_16_a_process_that_cannot_be_worked_on_does_not_hold_up_the_others() {
    static DAMAGE: kernel::Op<String, ()> = kernel::Op::new("test.damage", |tx, _, id| {
        static SQL: Sql = Sql::new("test.damage", "UPDATE wfl_process SET start = 'x' WHERE id = ?1");
        Ok(tx.write(&SQL, base::args![id])?)
    });
    let flow = Flow::new();
    let ids: Vec<String> = (0..5).map(|_| flow.start(json!({ "actor": "a#1" }))).collect();
    flow.0.call(&DAMAGE, ids[2].clone()).unwrap();
    let number = create(&flow, json!({ "action": "restart" })).unwrap();
    let view = finish(&flow, number);
    assert_eq!((view.found, view.repaired, view.failed), (5, 4, 1));
    let failed: Vec<String> = results(&flow, number)
        .into_iter()
        .filter(|result| result.outcome == "failed")
        .map(|result| result.process_id)
        .collect();
    assert_eq!(failed, [ids[2].clone()]);
}

#[test]
fn wfl_16_what_cannot_be_is_refused() {
    let flow = Flow::new();
    let code = |result: Result<(), base::OpError>| result.unwrap_err().code.name;
    assert_eq!(code(create(&flow, json!({ "action": "abort", "rate": 0 })).map(drop)), "AWORKFLOW");
    let large = json!({ "action": "abort", "search": { "argument": "x".repeat(5 << 20) } });
    assert_eq!(code(create(&flow, large).map(drop)), "ALIMIT");
    assert_eq!(code(control(&flow, 7, JobControl::Pause)), "NFLOWJOB");
    for _ in 0..3 {
        flow.start(json!({ "actor": "a#1" }));
    }
    let number = create(&flow, json!({ "action": "abort", "rate": 1 })).unwrap();
    let done = job(&flow, number).repaired;
    assert!(done < 3);
    control(&flow, number, JobControl::Cancel).unwrap();
    control(&flow, number, JobControl::Cancel).unwrap();
    assert_eq!(code(control(&flow, number, JobControl::Resume)), "AFLOW");
    let change = ChangeJob { job: number, rate: Some(0), priority: None };
    assert_eq!(code(flow.0.call(&CHANGE_JOB, change).map(drop)), "AWORKFLOW");
    let change = ChangeJob { job: number, rate: Some(5), priority: None };
    assert_eq!(code(flow.0.call(&CHANGE_JOB, change).map(drop)), "AFLOW");
    flow.0.pass_ms(60_000);
    assert_eq!((job(&flow, number).state.as_str(), job(&flow, number).repaired), ("CANCELLED", done));
}

#[test]
fn wfl_28_jobs_run_side_by_side_and_what_they_queue_comes_at_their_rate() {
    static QUEUED: Sql = Sql::new("test.queued_again", "SELECT COUNT(*) FROM wfl_queue WHERE number > 1000000");
    let flow = Flow::new();
    for kind in ["left", "right"] {
        for _ in 0..300 {
            flow.try_start(json!({ "type": kind, "start": { "actor": format!("{kind}#1") } })).unwrap();
        }
    }
    let numbers = ["left", "right"]
        .map(|kind| create(&flow, json!({ "action": "restart", "search": { "type": kind }, "rate": 20 })).unwrap());
    let mut queued = flow.0.count(&QUEUED);
    for second in 1..=5 {
        flow.0.pass_ms(1_000);
        let now = flow.0.count(&QUEUED);
        assert!(now - queued <= 2 * 21, "second {second}: {} came into queues", now - queued);
        queued = now;
        // Live work goes on between.
        let id = flow.start(json!({ "actor": "live#1" }));
        flow.done(&flow.take("live#1"), json!({ "value": second }));
        assert_eq!(flow.state(&id), "FINISHED");
    }
    let views = numbers.map(|number| job(&flow, number));
    assert!(views.iter().all(|view| view.waits_for.is_none() && (80..=130).contains(&view.repaired)), "{views:?}");
    numbers.iter().for_each(|number| assert_eq!(finish(&flow, *number).repaired, 300));
}
