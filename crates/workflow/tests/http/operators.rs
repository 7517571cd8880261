//! What operators ask for, by plain HTTP.

use serde_json::{Value, json};
use testbed_web::Edge;

use crate::tour::{bring, poll, start};

/// A process that is broken.
fn broken(edge: &Edge, class: &str) -> String {
    let id = start(edge, json!({ "actor": "work#1", "args": [{ "value": "order 17" }] }));
    bring(
        edge,
        &poll(edge, "work#1")[0],
        json!({ "error": { "class": class, "message": "it broke", "trace": "line 1" } }),
    );
    id
}

fn ids(list: &Value, name: &str) -> Vec<String> {
    list["items"].as_array().unwrap().iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
}

pub fn searches(edge: &Edge) {
    let (one, two) = (broken(edge, "Oops"), broken(edge, "Busy"));
    let other = start(edge, json!({ "actor": "other#1" }));
    assert_eq!(ids(&edge.get("/processes?state=BROKEN&order=oldest"), "process_id"), [one.clone(), two.clone()]);
    assert_eq!(ids(&edge.get("/processes?error_class=Busy"), "process_id"), [two]);
    assert_eq!(ids(&edge.get("/processes?argument=order%2017&limit=1&order=oldest"), "process_id")[0], one);
    assert_eq!(ids(&edge.get("/processes?actor=other%231"), "process_id"), [other]);
    assert_eq!(edge.refused("GET", "/processes?colour=red", &Value::Null), (400, "ABODY".into()));
    assert_eq!(edge.refused("GET", "/processes?state=RED", &Value::Null).0, 422);
    let save = json!({ "name": "all broken", "search": { "state": "BROKEN" } });
    assert_eq!(edge.ask("POST", "/searches", &save).0, 204);
    assert_eq!(edge.refused("POST", "/searches", &json!({ "name": "x", "search": { "colour": 1 } })).0, 400);
    assert_eq!(edge.get("/searches")["items"][0]["search"], json!({ "state": "BROKEN" }));
    assert_eq!(edge.ask("DELETE", "/searches/all%20broken", &Value::Null).0, 204);
    assert_eq!(edge.refused("DELETE", "/searches/all%20broken", &Value::Null), (404, "NFLOWJOB".into()));
    let groups = edge.get("/broken?group=error");
    assert_eq!(ids(&groups, "group").len(), 2);
    let tasks = edge.get("/broken/tasks?group=error&name=Oops");
    assert_eq!(
        (&tasks["items"][0]["process_id"], &tasks["items"][0]["error"]["trace"]),
        (&json!(one), &json!("line 1"))
    );
    let retry = format!("/broken/{}/retry", tasks["items"][0]["task_id"].as_str().unwrap());
    assert_eq!(edge.ask("POST", &retry, &Value::Null).0, 204);
    assert_eq!(edge.get(&format!("/processes/{one}"))["state"], "ACTIVE");
    assert_eq!(edge.refused("POST", &retry, &Value::Null).0, 409, "it is not broken any more");
}

#[test]
fn wfl_17_wfl_18_processes_and_broken_tasks_are_found() {
    searches(&crate::edge());
}

#[test]
fn wfl_16_wfl_28_a_job_is_made_watched_and_ended() {
    let edge = crate::edge();
    let id = broken(&edge, "Oops");
    let job = edge.told(201, "POST", "/jobs", &json!({ "action": "restart", "search": { "state": "BROKEN" } }));
    let path = format!("/jobs/{}", job["job"]);
    edge.world().pass_ms(10_000);
    let shown = edge.get(&path);
    assert_eq!((&shown["repaired"], &shown["failed"]), (&json!(1), &json!(0)), "{shown}");
    assert_eq!(edge.get(&format!("{path}/results"))["items"][0]["process_id"], json!(id));
    assert_eq!(edge.get("/jobs")["items"][0]["job"], job["job"]);
    assert_eq!(edge.refused("POST", &format!("{path}/pause"), &Value::Null).0, 409, "it is over");
    assert_eq!(edge.refused("GET", "/jobs/77", &Value::Null), (404, "NFLOWJOB".into()));
    assert_eq!(edge.refused("GET", "/jobs/x", &Value::Null), (404, "NFLOWJOB".into()));
    assert_eq!(edge.refused("POST", "/jobs", &json!({ "action": "dance" })).0, 400);
    assert_eq!(edge.refused("POST", "/jobs", &json!({ "action": "restart", "rate": 0 })).0, 422);
}

#[test]
fn wfl_29_a_schedule_shows_its_next_five_dates() {
    let edge = crate::edge();
    let wish =
        json!({ "cron": "30 2 * * *", "missed": "once", "start": { "type": "night", "start": { "actor": "a#1" } } });
    let made = edge.told(201, "POST", "/schedules", &wish);
    let path = format!("/schedules/{}", made["id"].as_str().unwrap());
    assert_eq!(edge.get(&path)["next"].as_array().unwrap().len(), 5);
    assert_eq!(edge.ask("PATCH", &path, &json!({ "paused": true })).0, 204);
    assert_eq!(edge.get("/schedules")["items"][0]["paused"], true);
    assert_eq!(
        edge.refused(
            "POST",
            "/schedules",
            &json!({ "cron": "at noon", "start": { "type": "n", "start": { "actor": "a#1" } } })
        )
        .0,
        422
    );
    assert_eq!(edge.ask("DELETE", &path, &Value::Null).0, 204);
    assert_eq!(edge.refused("GET", &path, &Value::Null), (404, "NFLOWJOB".into()));
}

#[test]
fn wfl_10_wfl_21_actors_are_listed_set_and_blocked() {
    let edge = crate::edge();
    start(&edge, json!({ "actor": "a#1" }));
    let listed = edge.get("/actors");
    assert_eq!((&listed["items"][0]["actor"], &listed["items"][0]["waiting"]), (&json!("a#1"), &json!(1)), "{listed}");
    let set = edge.told(200, "PATCH", "/actors/a%231", &json!({ "blocked": true, "work_timeout_ms": 5000 }));
    assert_eq!((&set["blocked"], &set["work_timeout_ms"]), (&json!(true), &json!(5000)));
    assert_eq!(poll(&edge, "a#1").len(), 0, "it gets nothing");
    let set = edge.told(200, "PATCH", "/actors/a%231", &json!({ "blocked": false, "work_timeout_ms": null }));
    assert_eq!(set["work_timeout_ms"], 60_000);
    assert_eq!(poll(&edge, "a#1").len(), 1);
    assert_eq!(edge.get("/actors/a%231")["state"], "active");
    for bad in [json!({ "work_timeout_ms": 0 }), json!({ "work_timeout_ms": -5 })] {
        assert_eq!(edge.refused("PATCH", "/actors/a%231", &bad).0, 422, "{bad}");
    }
    assert_eq!(edge.refused("PATCH", "/actors/a%231", &json!({ "colour": 1 })).0, 400);
    let set =
        edge.told(200, "PATCH", "/types/order", &json!({ "on_inconsistency": "restart", "idle_timeout_ms": 10_000 }));
    assert_eq!(set["on_inconsistency"], "restart");
    assert_eq!(edge.get("/types")["items"][0]["type"], "order");
}
