//! Processes, jobs, actors, types, searches and schedules of the workflow.

use serde_json::{Value, json};

use crate::kit::{Kit, plain};

/// What the server answers to a worker.
fn ask(kit: &Kit, what: &str, body: &Value) -> Value {
    let answer = kit.server.client().post(&format!("/v1/main/workflow/{what}"), body, "").expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

/// Takes the tasks of an actor and ends each so.
fn work_off(kit: &Kit, actor: &str, end: &Value) -> usize {
    let tasks = ask(kit, "poll", &json!({"actor": actor, "max": 100, "wait_ms": 0, "worker": "w"}));
    let tasks = tasks["tasks"].as_array().expect("tasks").clone();
    for task in &tasks {
        let mut result = json!({"task_id": task["task_id"], "attempt": task["attempt"], "pass": task["pass"]});
        let more = end.as_object().expect("an end").clone();
        result.as_object_mut().expect("a result").extend(more);
        ask(kit, "release", &json!({ "results": [result] }));
    }
    tasks.len()
}

fn start(kit: &Kit, words: &[&str]) -> String {
    let ran = kit.run_words(&[&["workflow", "process", "start"], words, &["-q"]].concat(), "");
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.out.trim().to_owned()
}

/// An order whose two prices are laid out; one of them failed.
fn order(kit: &Kit) -> String {
    let id = start(kit, &["order", "order#1", "begin", r#"{"lines":[2,5]}"#, "--custom-id", "order-17"]);
    let price =
        |id: &str, value: u8| json!({"id": id, "actor": "price#1", "method": "price", "args": [{"value": value}]});
    let sum = json!({"id": "total", "actor": "sum#1", "args": [{"promise": "a"}, {"promise": "b"}]});
    let tasks = json!([price("a", 2), price("b", 5), sum]);
    work_off(kit, "order#1", &json!({"value": {"promise": "total"}, "tasks": tasks}));
    id
}

#[test]
fn wfl_23_a_process_is_shown_with_its_tasks_as_a_tree() {
    let kit = Kit::start();
    let id = order(&kit);
    let shown = kit.out(&format!("workflow process show {id}"));
    let (sheet, tree) = shown.split_once("\n\n").expect("two parts");
    assert!(plain(sheet).contains("state  ACTIVE") && plain(sheet).contains("verdict  nobody-polls"), "{sheet}");
    let expected = ".1  order#1 begin  FINISH  = .4\n├─ .2 a  price#1 price  REGISTERED\n├─ .3 b  price#1 price  REGISTERED\n\
                    └─ .4 total  sum#1  WAITING  waits for .2, .3\n";
    assert_eq!(tree, expected);
    assert_eq!(kit.json(&format!("workflow process show {id}"))["custom_id"], "order-17");
    work_off(&kit, "price#1", &json!({"error": {"class": "Busy", "message": "no \u{1b}[31m price"}}));
    let shown = kit.out(&format!("workflow process show {id}"));
    assert!(shown.contains("BROKEN  Busy: no \\u{1b}[31m price") && !shown.contains('\u{1b}'), "{shown}");
    let tasks = kit.out(&format!("workflow process tasks {id} -q"));
    assert_eq!(tasks, (1..=4).map(|number| format!("{id}.{number}\n")).collect::<String>());
    assert!(kit.table(&format!("workflow process history {id}")).contains("failed"), "what failed is told");
    assert_eq!(kit.run("workflow process show 01KA2B3C4D5E6F7G8H9JKMNPQR").code, 3);
}

#[test]
fn wfl_2_wfl_18_processes_are_started_found_signalled_aborted_restarted_and_cloned() {
    let kit = Kit::start();
    let id = start(&kit, &["order", "order#1", "begin", "2", "--key", "k", "--custom-id", "mine"]);
    assert_eq!(start(&kit, &["order", "order#1", "begin", "2", "--key", "k", "--custom-id", "mine"]), id);
    let list = kit.table("workflow process list --type order --state active");
    assert_eq!(list, "ID  TYPE  STATE  CUSTOM ID  STARTED  ENDED  ERROR  MESSAGE\nID  order  ACTIVE  mine  AGO\n");
    assert_eq!(kit.out("workflow process list --argument 2 --started-from -1h -q"), format!("{id}\n"));
    assert_eq!(kit.out("workflow process list --state finished -q"), "");
    let signal = kit.out(&format!("workflow process signal {id} approved true"));
    assert_eq!(signal, format!("process {id} has the signal approved\n"));
    assert_eq!(kit.run(&format!("workflow process abort {id}")).code, 2, "nobody can be asked");
    assert_eq!(kit.out(&format!("workflow process abort {id} --yes")), format!("process {id} is aborted\n"));
    let restarted = kit.out(&format!("workflow process restart {id} --yes"));
    assert_eq!(restarted, format!("process {id} begins anew from its start\n"));
    let clone = kit.out(&format!("workflow process clone {id} -q"));
    assert_eq!(work_off(&kit, "order#1", &json!({"value": {"sum": 7}})), 2);
    assert_eq!(kit.json(&format!("workflow process show {}", clone.trim()))["value"], json!({"sum": 7}));
    let from = format!("workflow process restart {id} --from {id}.1000001 --yes");
    assert!(kit.out(&from).contains("begins anew from task"), "{from}");
    assert_eq!(kit.run("workflow process start order nobody begin").code, 3);
    assert_eq!(kit.run("workflow process start order order#1 begin no-json").code, 2);
}

#[test]
fn wfl_16_wfl_17_what_is_broken_is_counted_and_restarted_by_a_job() {
    let kit = Kit::start();
    for number in ["1", "2", "3"] {
        start(&kit, &["order", "order#1", "begin", number]);
    }
    work_off(&kit, "order#1", &json!({"error": {"class": "Busy", "message": "no"}}));
    assert!(kit.table("workflow broken list").starts_with("GROUP  TASKS  FIRST  LAST  LAST TASK  MESSAGE\nBusy  3  "));
    assert!(kit.table("workflow broken list --group actor").contains("order#1  3"));
    let tasks = kit.out("workflow broken tasks --name Busy -q");
    assert_eq!(tasks.lines().count(), 3);
    let one = tasks.lines().next().expect("a task");
    assert_eq!(kit.out(&format!("workflow broken retry {one}")), format!("task {one} is tried again\n"));
    let find = "--type order --state broken";
    assert_eq!(kit.run(&format!("workflow job start restart {find}")).code, 2, "nobody can be asked");
    let dry = kit.run(&format!("workflow job start restart {find} --dry-run --watch"));
    assert!(dry.code == 0 && dry.err.contains("100 % DONE: 2 found"), "{dry:?}");
    let job = kit.out(&format!("workflow job start restart {find} --yes --rate 1000 -q"));
    let watched = kit.table(&format!("workflow job watch {}", job.trim()));
    assert!(
        watched.contains("state  DONE") && watched.contains("changed  2") && watched.contains("failed  0"),
        "{watched}"
    );
    assert_eq!(kit.out(&format!("workflow job results {} -q", job.trim())).lines().count(), 2);
    assert_eq!(kit.out("workflow job list -q"), "2\n1\n");
    assert_eq!(kit.run("workflow job pause 1").code, 3, "it is over");
    assert_eq!(kit.run("workflow job change 1").code, 2, "nothing to change");
    assert_eq!(work_off(&kit, "order#1", &json!({"value": null})), 3);
}

#[test]
fn wfl_16_a_job_is_paused_changed_resumed_and_cancelled() {
    let kit = Kit::start();
    for number in 0..40 {
        start(&kit, &["order", "order#1", "begin", &number.to_string()]);
    }
    kit.out("workflow job start abort --type order --rate 1 --yes");
    assert_eq!(kit.out("workflow job pause 1"), "job 1 is paused\n");
    assert_eq!(kit.json("workflow job show 1")["state"], "PAUSED");
    assert_eq!(kit.out("workflow job change 1 --rate 2 --priority -3"), "job 1 is changed\n");
    assert_eq!(kit.out("workflow job resume 1"), "job 1 goes on\n");
    assert_eq!(kit.out("workflow job cancel 1"), "job 1 is cancelled\n");
    let job = kit.json("workflow job show 1");
    assert_eq!((&job["state"], &job["rate"], &job["priority"]), (&json!("CANCELLED"), &json!(2), &json!(-3)));
}

#[test]
fn wfl_10_wfl_21_actors_and_types_are_listed_and_set() {
    let kit = Kit::start();
    start(&kit, &["order", "order#1", "begin"]);
    let list = kit.table("workflow actor list");
    assert!(list.contains("order#1  silent  1"), "{list}");
    assert_eq!(kit.out("workflow actor block order#1"), "actor order#1 is blocked\n");
    assert_eq!(work_off(&kit, "order#1", &json!({"value": 1})), 0);
    assert_eq!(kit.out("workflow actor unblock order#1"), "actor order#1 works again\n");
    kit.out("workflow actor set order#1 --work-timeout 5m --accept-first no");
    let shown = kit.json("workflow actor show order#1");
    assert_eq!((&shown["work_timeout_ms"], &shown["accept_first"]), (&json!(300_000), &json!(false)));
    kit.out("workflow actor set order#1 --work-timeout usual");
    assert_eq!(kit.json("workflow actor show order#1")["work_timeout_ms"], 60_000);
    assert_eq!(kit.run("workflow actor set order#1").code, 2, "nothing to set");
    kit.out("workflow type set order --on-inconsistency restart --kept 90d");
    let types = kit.table("workflow type list");
    assert!(types.contains("order  3600000  300000  restart  7776000000"), "{types}");
}

#[test]
fn wfl_18_wfl_29_searches_are_kept_and_schedules_made() {
    let kit = Kit::start();
    kit.out("workflow search save late --type order --unchanged-min 1h");
    let searches = kit.json("workflow search list");
    assert_eq!(searches["items"][0]["search"], json!({"type": "order", "unchanged_min_ms": 3_600_000}));
    assert_eq!(kit.out("workflow search delete late --yes"), "search late is deleted\n");
    let made = ["workflow", "schedule", "create", "30 2 * * *", "night", "night#1", "begin", "--missed", "all", "-q"];
    let made = kit.run_words(&made, "");
    let id = made.out.trim();
    let list = kit.table("workflow schedule list");
    assert!(list.contains("30 2 * * *  night  night#1"), "{list}");
    assert_eq!(kit.json(&format!("workflow schedule show {id}"))["next"].as_array().map(Vec::len), Some(5));
    assert_eq!(kit.out(&format!("workflow schedule pause {id}")), format!("schedule {id} is paused\n"));
    assert_eq!(kit.json(&format!("workflow schedule show {id}"))["paused"], true);
    kit.out(&format!("workflow schedule resume {id}"));
    assert_eq!(kit.out(&format!("workflow schedule delete {id} --yes")), format!("schedule {id} is deleted\n"));
    assert_eq!(plain(&kit.run("workflow schedule list").err), "no schedules\n");
}
