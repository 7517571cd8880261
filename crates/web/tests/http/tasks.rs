//! Routes of tasks, queues and what is stuck (KER-15, KER-19, KER-22, KER-40). Nothing runs tasks here, so they stay as they are
//! put; that they run is shown with the whole server.

use serde_json::{Value, json};

use crate::valve::Flow;
use crate::world::{ADMIN, World};

const LATER: &str = "2031-05-06T07:08:09Z";

fn ids(world: &World, path: &str) -> Vec<String> {
    let list = world.get(path, ADMIN).json();
    list["items"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn ker_15_ker_22_a_task_is_created_shown_moved_and_deleted() {
    let world = World::new();
    let body = json!({"op": "work", "param": {"a": [1]}, "info": "red", "start_at": LATER, "queue": 1,
        "target": "https://t.example/x", "lane": "l", "cron": "D0425"});
    let id = world.create_task("main", &body);
    let shown = world.get(&format!("/v1/main/tasks/{id}"), ADMIN).json();
    for (field, value) in [
        ("namespace", json!("main")),
        ("op", json!("work")),
        ("param", json!({"a": [1]})),
        ("info", json!("red")),
        ("queue", json!(1)),
        ("lane", json!("l")),
        ("state", json!("waiting")),
        ("start_at", json!("2031-05-06T07:08:09.000Z")),
        ("cron", json!("D0425")),
        ("target", json!("https://t.example/x")),
        ("attempt", json!(0)),
        ("exc", Value::Null),
    ] {
        assert_eq!(shown[field], value, "{field}");
    }
    let path = format!("/v1/main/tasks/{id}/move");
    assert_eq!(world.post(&path, ADMIN, &json!({"start_at": "2030-01-01T02:00:00+02:00"})).status, 204);
    assert_eq!(world.get(&format!("/v1/main/tasks/{id}"), ADMIN).json()["start_at"], "2030-01-01T00:00:00.000Z");
    world.post(&path, ADMIN, &json!({"start_at": "tomorrow"})).check(400, "ABODY");
    assert_eq!(world.send("POST", &format!("/v1/main/tasks/{id}/run"), ADMIN).status, 204);
    world.post(&format!("/v1/main/tasks/{id}/done"), ADMIN, &json!({"attempt": 7})).check(409, "AATTEMPT");
    assert_eq!(world.delete(&format!("/v1/main/tasks/{id}"), ADMIN).status, 204);
    world.delete(&format!("/v1/main/tasks/{id}"), ADMIN).check(404, "NTASK");
    world.get("/v1/main/tasks/x", ADMIN).check(404, "NTASK");
}

#[test]
fn ker_34_what_cannot_be_a_task_is_refused_and_nothing_is_inscribed() {
    let world = World::new();
    let refused = |body: Value, status: u16, code: &str| {
        world.post("/v1/main/tasks", ADMIN, &body).check(status, code);
    };
    refused(json!({"op": "no.such"}), 404, "NOPERATION");
    refused(json!({"op": "blob.collect", "start_at": LATER}), 404, "NOPERATION");
    refused(json!({"op": "alert.send", "param": {"kind": "x"}, "start_at": LATER}), 404, "NOPERATION");
    world
        .post("/v1/main/tasks", &world.key("main", "operator"), &json!({"op": "feed.forget"}))
        .check(404, "NOPERATION");
    refused(json!({"op": "a", "target": "ftp://x"}), 400, "ABODY");
    refused(json!({"op": "a", "target": "https://x/", "cron": "D2460"}), 400, "ABODY");
    refused(json!({"op": "a", "target": "https://x/", "cron": "0 0 30 2 *"}), 400, "ABODY");
    refused(json!({"op": "a", "target": "https://x/", "start_at": "12:00"}), 400, "ABODY");
    refused(json!({"op": "a", "target": "https://x/", "queue": 9}), 422, "ALIMIT");
    refused(json!({"op": "a", "target": "https://x/", "info": "x".repeat(256)}), 422, "ALIMIT");
    refused(json!({"op": "a", "target": format!("https://{}", "x".repeat(2_100))}), 422, "ALIMIT");
    refused(json!({"op": "", "target": "https://x/"}), 400, "ABODY");
    refused(json!({"op": "a", "target": "https://x/", "when": 1}), 400, "ABODY");
    assert_eq!(ids(&world, "/v1/main/tasks"), Vec::<String>::new());
}

#[test]
fn ker_21_a_task_takes_a_standard_cron_text_and_shows_it() {
    let world = World::new();
    let body = json!({"op": "a", "target": "https://x/", "cron": " 30 2  * * 1-5"});
    let made = world.post("/v1/main/tasks", ADMIN, &body);
    assert_eq!(made.status, 201);
    let task = world.get(&format!("/v1/main/tasks/{}", made.json()["id"].as_str().unwrap()), ADMIN).json();
    assert_eq!(task["cron"], "30 2 * * 1-5");
    assert!(task["start_at"].as_str().unwrap().ends_with("T02:30:00.000Z"), "{task}");
}

#[test]
fn ker_32_plain_operations_are_put_off_by_administrators_only() {
    let world = World::new();
    let operator = world.key("main", "operator");
    let body = json!({"op": "key.create", "param": {"role": "admin"}});
    world.post("/v1/main/tasks", &operator, &body).check(403, "SROLE");
    let target = json!({"op": "a", "target": "https://x/", "start_at": LATER});
    assert_eq!(world.post("/v1/main/tasks", &operator, &target).status, 201);
    world.send("POST", "/v1/main/webhook-secret", &operator).check(403, "SROLE");
}

#[test]
fn ker_22_tasks_are_filtered_and_paged_in_one_namespace_and_at_z_in_all() {
    let world = World::new();
    let task = |info: &str| json!({"op": "w", "target": "https://x/", "info": info, "start_at": LATER});
    let mut in_main: Vec<String> = ["red", "blue", "red"].map(|info| world.create_task("main", &task(info))).into();
    let in_z = world.create_task("z", &task("red"));
    in_main.sort();
    assert_eq!(ids(&world, "/v1/main/tasks"), in_main);
    assert_eq!(ids(&world, "/v1/main/tasks?info=red").len(), 2);
    assert_eq!(ids(&world, "/v1/main/tasks?op=w&info=blue&state=waiting&queue=0&to=2032-01-01").len(), 1);
    assert_eq!(ids(&world, "/v1/main/tasks?state=parked").len() + ids(&world, "/v1/main/tasks?retry=1").len(), 0);
    let everywhere = ids(&world, "/v1/z/tasks?info=red");
    assert!(everywhere.len() == 3 && everywhere.contains(&in_z));
    let (mut paged, mut after) = (vec![], String::new());
    loop {
        let page = world.get(&format!("/v1/z/tasks?limit=1{after}"), ADMIN).json();
        paged.extend(page["items"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(paged, [in_main.clone(), vec![in_z]].concat());
    assert_eq!(ids(&world, "/v1/main/tasks?whose=people"), in_main);
    assert_eq!(ids(&world, "/v1/main/tasks?whose=server"), Vec::<String>::new());
    for bad in ["state=lost", "whose=mine", "from=x", "after=main.x", "what=1"] {
        world.get(&format!("/v1/main/tasks?{bad}"), ADMIN).check(400, "ABODY");
    }
}

#[test]
fn ker_22_queues_are_shown_suspended_and_resumed() {
    let world = World::new();
    world.create_task("main", &json!({"op": "w", "target": "https://x/", "start_at": LATER}));
    world.create_task("main", &json!({"op": "w", "target": "https://x/"}));
    let queue = |ns: &str, at: usize| world.get(&format!("/v1/{ns}/queues"), ADMIN).json()["items"][at].clone();
    let first = queue("main", 0);
    assert_eq!((&first["due"], &first["later"], &first["workers"]), (&json!(1), &json!(1), &json!(4)));
    let answer = world.send("POST", "/v1/main/queues/0/suspend", ADMIN).json();
    assert_eq!(answer, json!({"suspended": true, "busy_here": 0}));
    assert_eq!(
        (queue("main", 0)["suspended"].clone(), queue("main", 1)["suspended"].clone()),
        (json!(true), json!(false))
    );
    world.send("POST", "/v1/main/queues/0/resume", ADMIN);
    assert_eq!(world.send("POST", "/v1/z/queues/suspend", ADMIN).status, 200);
    assert_eq!(queue("main", 2)["suspended"], true, "the manager at z is that of the instance");
    world.send("POST", "/v1/z/queues/resume", ADMIN);
    assert_eq!(queue("main", 2)["suspended"], false);
    world.send("POST", "/v1/main/queues/9/suspend", ADMIN).check(422, "ALIMIT");
    world.send("POST", "/v1/main/queues/x/suspend", ADMIN).check(400, "ABODY");
}

#[test]
fn ker_40_what_is_overdue_is_listed_with_the_reason() {
    let world = World::new();
    assert_eq!(world.get("/v1/main/stuck", ADMIN).json(), json!({"items": []}));
    let id = world.create_task("main", &json!({"op": "w", "target": "https://x/", "start_at": "2020-01-01T00:00:00Z"}));
    for path in ["/v1/main/stuck", "/v1/z/stuck"] {
        let stuck = world.get(path, ADMIN).json()["items"][0].clone();
        assert_eq!((&stuck["subject"], &stuck["what"]), (&json!(id), &json!("task")));
        assert_eq!(stuck["reason"], "w in queue 0: no worker took it");
    }
    world.send("POST", "/v1/main/queues/suspend", ADMIN);
    assert_eq!(world.get("/v1/main/stuck", ADMIN).json()["items"][0]["reason"], "w in queue 0: its queue is suspended");
}

/// One store that is down must not hide what is in all others.
#[test]
fn ker_22_ker_40_a_namespace_that_is_away_does_not_take_the_others_out_of_lists_of_all() {
    let world = World::new();
    world.create_task("main", &json!({"op": "w", "target": "https://x/"}));
    let in_z = world.create_task("z", &json!({"op": "w", "target": "https://x/", "start_at": "2020-01-01T00:00:00Z"}));
    world.valve.set(Flow::CutOff);
    let away = json!([{"namespace": "main", "code": "XSTORE"}]);
    for (path, name) in [("/v1/z/tasks", "id"), ("/v1/z/stuck", "subject"), ("/v1/z/queues", "namespace")] {
        let list = world.get(path, ADMIN).json();
        assert_eq!(list["unseen"], away, "{path}");
        let items = list["items"].as_array().unwrap();
        let expected = if name == "namespace" { "z" } else { &in_z };
        assert!(!items.is_empty() && items.iter().all(|item| item[name] == expected), "{path}: {items:?}");
        world.get(&path.replace("/z/", "/main/"), ADMIN).check(503, "XSTORE");
    }
    world.valve.set(Flow::Open);
    assert_eq!(world.get("/v1/z/stuck", ADMIN).json().get("unseen"), None, "it is there again");
}

/// A store that says nothing is away like one that refuses, after a while in which the others are waited for, too.
#[test]
fn ker_22_ker_40_a_namespace_that_hangs_does_not_take_the_others_out_of_lists_of_all() {
    let world = World::new();
    let in_z = world.create_task("z", &json!({"op": "w", "target": "https://x/", "start_at": "2020-01-01T00:00:00Z"}));
    world.valve.set(Flow::Silent);
    let paths = ["/v1/z/tasks", "/v1/z/stuck", "/v1/z/queues", "/v1/z/overview"];
    let pages = ["/console/z/tasks", "/console/z/stuck", "/console/z/queues", "/console/z/"];
    let ask = |path: &'static str| (path, world.get(path, ADMIN));
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = paths.into_iter().chain(pages).map(|path| scope.spawn(move || ask(path))).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    for (path, answer) in answers {
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let text = answer.text();
        match path {
            "/v1/z/overview" => assert!(text.contains("\"namespace\":\"main\"") && text.contains("\"work\""), "{text}"),
            _ if path.starts_with("/v1") => {
                assert_eq!(answer.json()["unseen"], json!([{"namespace": "main", "code": "XSTORE"}]), "{path}");
                assert!(text.contains(&in_z) || text.contains("\"namespace\":\"z\""), "{path}: {text}");
            }
            _ => assert!(text.contains("banner"), "{path}: {text}"),
        }
    }
}

/// Each has its whole time: that one is slow does not take it from the next.
#[test]
fn ker_22_namespaces_that_are_slow_are_waited_for_together() {
    let world = World::new();
    let (main, shop) = (&world.valve, world.valved("shop"));
    let tasks = ["main", "shop"].map(|ns| world.create_task(ns, &json!({"op": "w", "target": "https://x/"})));
    main.set(Flow::Silent);
    shop.set(Flow::Silent);
    let list = std::thread::scope(|scope| {
        let asked = scope.spawn(|| world.get("/v1/z/tasks?limit=1000", ADMIN).json());
        main.wait_held(1);
        shop.wait_held(1);
        main.set(Flow::Open);
        shop.set(Flow::Open);
        asked.join().unwrap()
    });
    assert_eq!(list.get("unseen"), None, "{list}");
    let listed: Vec<_> = list["items"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
    assert!(tasks.iter().all(|task| listed.contains(&task.as_str())), "{list}");
}

#[test]
fn ker_19_the_secret_of_calls_to_targets_stays_the_same() {
    let world = World::new();
    let secret = |ns: &str| world.send("POST", &format!("/v1/{ns}/webhook-secret"), ADMIN).json()["secret"].clone();
    assert!(secret("main").as_str().is_some_and(|text| text.starts_with("whsec_") && text.len() > 40));
    assert_eq!(secret("main"), secret("main"));
    assert_ne!(secret("main"), secret("z"));
}
