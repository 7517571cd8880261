//! A tenant of all five services: what it has, and what is seen of it from outside.

use std::fs;
use std::process::{Command, Stdio};

use kill::client::Client;
use kill::server::{KEY, Server};
use serde_json::{Value, json};

use crate::kit::{Site, get, post, program, until};

fn made(server: &Server, path: &str, body: &Value) -> Value {
    let answer = post(server, path, body);
    assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
    answer.body
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no {field} in {value}")).to_owned()
}

/// Gives a namespace something of each service.
pub fn fill(site: &Site, server: &Server, name: &str) {
    let ns = format!("/v1/{name}");
    documents(server, &ns);
    sensors(server, &ns);
    exchange(server, &ns);
    workflow(server, &ns);
    folders(site, server, name);
    let task = json!({ "op": "report", "target": "http://127.0.0.1:9/r", "start_at": "2090-01-01T00:00:00Z", "info": "é\u{1f511}" });
    let first = server.client().post(&format!("{ns}/tasks"), &task, "the-key-of-a-task").expect("an answer");
    assert_eq!(first.status, 201, "{first:?}");
}

fn documents(server: &Server, ns: &str) {
    let items =
        json!({ "Card": { "singleton": true, "index": { "name": "string", "born": "int", "height": "float" } } });
    made(server, &format!("{ns}/doc-classes"), &json!({ "class": "Contact", "items": items }));
    for number in 0..20 {
        let card = json!({ "name": format!("Ada {number} — “é”"), "born": -number, "height": f64::from(number) / 7.0 });
        let change = json!({ "c": "Contact", "id": format!("c{number}"), "items": [{ "c": "Card", "j": card }] });
        made(server, &format!("{ns}/op/doc.commit"), &json!({ "param": { "changes": [change] } }));
    }
    let attached =
        server.client().ask("PUT", &format!("{ns}/docs/Contact/c1/attachments/photo"), &json!("x".repeat(70_000)), "");
    assert!(attached.is_ok_and(|answer| answer.status < 300));
}

fn sensors(server: &Server, ns: &str) {
    let put = server.client().ask("PUT", &format!("{ns}/sensors/door1"), &json!({ "address": "Lyon, 1" }), "");
    assert!(put.is_ok_and(|answer| answer.status < 300));
    let client =
        made(server, &format!("{ns}/sensor-clients"), &json!({ "name": "Hotel", "url": "https://hotel.example/d" }));
    let link = format!("{ns}/sensor-clients/{}/sensors/door1", text(&client, "id"));
    assert!(server.client().ask("PUT", &link, &Value::Null, "").is_ok_and(|answer| answer.status < 300));
    made(
        server,
        &format!("{ns}/signals"),
        &json!([{ "sensor_id": "door1", "data": 1 }, { "sensor_id": "door1", "data": 0 }]),
    );
}

/// One message was processed, so that its text is in a file alone; another waits.
fn exchange(server: &Server, ns: &str) {
    let x = format!("{ns}/exchange");
    made(server, &format!("{x}/companies"), &json!({ "id": "acme", "name": "Acme" }));
    made(server, &format!("{x}/subsystems"), &json!({ "id": "sales", "company": "acme", "name": "s" }));
    let database = made(server, &format!("{x}/databases"), &json!({ "id": "erp", "company": "acme" }));
    let device =
        made(server, &format!("{x}/devices"), &json!({ "company": "acme", "subsystem": "sales", "name": "Anna" }));
    let active = made(server, &format!("{x}/activate"), &json!({ "code": device["activation_code"] }));
    let (phone, key) = (text(&active, "device"), text(&active, "key"));
    let message = |id: &str| {
        let head = json!({ "company": "acme", "subsystem": "sales", "from": phone, "to": "erp", "created_at": "2026-11-16T12:00:00Z" });
        json!({ "version": 1, "id": id, "head": head, "body": { "type": "order", "version": 1, "payload": { "lines": 3 } } })
    };
    let mut sender = Client::new(server.address, &key);
    let mut erp = Client::new(server.address, &text(&database, "key"));
    let ask = |client: &mut Client, path: &str, body: &Value| {
        let answer = client.post(&format!("{x}{path}"), body, "").expect("an answer");
        assert!(answer.status < 300, "{path}: {answer:?}");
        answer.body
    };
    ask(&mut sender, "/messages", &message("m-1"));
    let process = text(&ask(&mut erp, "/processes", &json!({ "db": "erp" })), "process");
    let results = json!({ "results": [{ "id": "m-1", "status": "PROCESSED" }], "replies": [] });
    ask(&mut erp, &format!("/processes/{process}/prepare"), &results);
    ask(&mut erp, &format!("/processes/{process}/commit"), &json!({}));
    ask(&mut sender, "/messages", &message("m-2"));
    // Its file lies where it belongs.
    until(server, &format!("{x}/folders?db=erp&folder=Log"), |answer| {
        answer.body["items"].as_array().is_some_and(|items| items.len() == 1)
    });
}

fn workflow(server: &Server, ns: &str) {
    for number in 0..3 {
        let start = json!({ "actor": "order#1", "method": "begin", "args": [{ "value": number }] });
        let process = json!({ "type": "order", "custom_id": format!("order-{number}"), "start": start });
        made(server, &format!("{ns}/workflow/processes"), &process);
    }
    // One is being worked on: its attempt and its worker's time go with it.
    made(server, &format!("{ns}/workflow/poll"), &json!({ "actor": "order#1", "worker": "me" }));
}

/// A device brings two files.
fn folders(site: &Site, server: &Server, name: &str) {
    let (home, root) = (site.path(&format!("home-{name}")), site.path(&format!("plans-{name}")));
    fs::create_dir_all(root.join("deep")).expect("a folder");
    fs::write(root.join("a.txt"), "a").expect("a file");
    fs::write(root.join("deep/b.bin"), vec![7; 200_000]).expect("a file");
    let command = |words: &[&str]| {
        let mut command = Command::new(program());
        command.arg("folders").args(words).env("FASTNESS_FOLDERS_HOME", &home).env("FASTNESS_NAMESPACE", name);
        command.env("FASTNESS_SERVER", format!("http://{}", server.address)).env("FASTNESS_KEY", KEY);
        command
            .env("XDG_CONFIG_HOME", site.path("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    let created = command(&["create", "Plans", root.to_str().expect("a path"), "--device", "laptop"]).status();
    assert!(created.is_ok_and(|status| status.success()));
    let mut daemon = command(&["run"]).spawn().expect("a daemon");
    let directories = made_get(server, &format!("/v1/{name}/folders/directories"));
    let id = text(&directories["items"][0], "id");
    until(server, &format!("/v1/{name}/folders/directories/{id}/files?path=deep"), |answer| {
        answer.body["items"].as_array().is_some_and(|items| items.len() == 1)
    });
    until(server, &format!("/v1/{name}/folders/directories/{id}/files"), |answer| {
        answer.body["items"].as_array().is_some_and(|items| items.len() >= 2)
    });
    daemon.kill().expect("a daemon");
    daemon.wait().expect("an end");
}

fn made_get(server: &Server, path: &str) -> Value {
    let answer = get(server, path);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.body
}

/// What is seen of a namespace from outside, but what is about this moment.
pub fn seen(server: &Server, name: &str) -> Value {
    let ns = format!("/v1/{name}");
    let syncs: Vec<Value> = (0..20).map(|number| json!({ "c": "Contact", "id": format!("c{number}") })).collect();
    let synced = made(server, &format!("{ns}/op/doc.sync"), &json!({ "syncs": syncs }));
    let get = |path: &str| made_get(server, &format!("{ns}{path}"));
    let directory = text(&get("/folders/directories")["items"][0], "id");
    let client = text(&get("/sensor-clients")["items"][0], "id");
    let mut tasks = get("/tasks?op=report");
    tasks["items"].as_array_mut().into_iter().flatten().for_each(|task| task["namespace"] = Value::Null);
    let mut processes = get("/workflow/processes");
    for process in processes["items"].as_array_mut().into_iter().flatten() {
        (process["duration_ms"], process["unchanged_ms"]) = (Value::Null, Value::Null);
    }
    let events = get("/events");
    json!({
        "documents": synced["syncs"],
        "events": events["items"],
        "tasks": tasks["items"],
        "sensor": get("/sensors/door1/history")["items"],
        "told": get(&format!("/sensor-clients/{client}/events?after=0"))["items"].as_array().map(Vec::len),
        "log": get("/exchange/folders?db=erp&folder=Log")["items"],
        "waiting": get("/exchange/folders?db=erp&folder=Messages")["items"],
        "processes": processes["items"],
        "files": get(&format!("/folders/directories/{directory}/files"))["items"],
        "deep": get(&format!("/folders/directories/{directory}/files?path=deep"))["items"],
        "blobs": get("/blobs"),
    })
}

/// The store's epoch and the feed's cursor.
pub fn epoch(server: &Server, name: &str) -> String {
    text(&made_get(server, &format!("/v1/{name}/events")), "epoch")
}

/// Compares what is seen with what was, and names what differs.
pub fn check_same(server: &Server, name: &str, before: &Value, when: &str) {
    let now = seen(server, name);
    for (part, was) in before.as_object().expect("parts") {
        assert_eq!(now[part], *was, "{part}, {when}");
    }
}
