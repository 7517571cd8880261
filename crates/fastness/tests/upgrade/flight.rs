//! Something of every service that is under way when the server is killed, and what becomes of it.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use kill::client::{Answer, Client};
use kill::server::{KEY, Server};
use serde_json::{Value, json};

/// Longest wait for what must come by itself: the third try of a call.
const PATIENCE: Duration = Duration::from_secs(60);
const X: &str = "/v1/main/exchange";

/// What is under way.
pub struct Flight {
    /// Keys of the phone and of the database, and the process that the database has.
    exchange: (String, String, String),
    /// The task that a worker has, as it was given.
    work: Value,
    process: String,
    task: String,
    client: String,
    directory: String,
    /// Who is called: until it listens, calls hang.
    partner: TcpListener,
}

/// Calls of the API with one key.
struct Desk(RefCell<Client>);

impl Desk {
    fn of(server: &Server, key: &str) -> Self {
        Self(RefCell::new(Client::new(server.address, key)))
    }

    fn ask(&self, method: &str, path: &str, body: &Value, once: &str) -> Answer {
        self.0.borrow_mut().ask(method, path, body, once).unwrap()
    }

    fn good(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(method, path, body, "");
        assert!((200..300).contains(&answer.status), "{method} {path} {body}: {answer:?}");
        answer.body
    }

    fn get(&self, path: &str) -> Value {
        self.good("GET", path, &Value::Null)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.good("POST", path, body)
    }

    /// Asks until an answer is as wished.
    fn until(&self, path: &str, wished: impl Fn(&Answer) -> bool) {
        let end = Instant::now() + PATIENCE;
        loop {
            let answer = self.ask("GET", path, &Value::Null, "");
            if wished(&answer) {
                return;
            }
            assert!(Instant::now() < end, "{path} is still {answer:?}");
            thread::yield_now();
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn message(id: &str, from: &str, to: &str) -> Value {
    let head = json!({ "company": "acme", "subsystem": "sales", "from": from, "to": to, "created_at": "2026-11-16T12:00:00Z" });
    json!({ "version": 1, "id": id, "head": head, "body": { "type": "order", "version": 1, "payload": { "text": id } } })
}

/// The same change under the same key.
fn commit(desk: &Desk) -> Answer {
    let items = json!([{ "c": "Card", "j": { "name": "Ada" } }]);
    let body = json!({ "param": { "changes": [{ "c": "Contact", "id": "ada", "items": items }] } });
    desk.ask("POST", "/v1/main/op/doc.commit", &body, "the-commit")
}

impl Flight {
    pub fn begin(server: &Server) -> Self {
        let desk = Desk::of(server, KEY);
        let partner = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/here", partner.local_addr().unwrap());
        let card = json!({ "Card": { "singleton": true, "index": { "name": "string" } } });
        desk.post("/v1/main/doc-classes", &json!({ "class": "Contact", "items": card }));
        assert_eq!(commit(&desk).status, 200);
        let later = json!({ "op": "report", "target": url, "start_at": "2090-01-01T00:00:00Z" });
        let task = text(&desk.post("/v1/main/tasks", &later)["id"]);
        let directory = text(&desk.post("/v1/main/folders/directories", &json!({ "name": "Plans" }))["id"]);
        let (process, work) = begin_process(&desk);
        let exchange = begin_exchange(server, &desk);
        let client = begin_telling(&desk, &url);
        Self { exchange, work, process, task, client, directory, partner }
    }

    /// All of it comes to its end, once.
    pub fn go_on(self, server: &Server) {
        let desk = Desk::of(server, KEY);
        let Self { exchange, work, process, task, client, directory, partner } = self;
        let heard = listen(partner);
        desk.post(&format!("/v1/main/tasks/{task}/run"), &Value::Null);
        end_exchange(server, &desk, &exchange);

        let again = commit(&desk);
        assert!(again.status == 200 && again.is_replayed(), "{again:?}");
        let wanted = json!([{ "field": "name", "cond": "EQ", "v1": "Ada" }]);
        let found = json!({ "param": { "c": "Contact", "item": "Card", "where": wanted } });
        let found = desk.ask("POST", "/v1/main/op/doc.search", &found, "");
        assert!(found.body.to_string().contains("ada"), "{found:?}");

        let result =
            json!({ "task_id": work["task_id"], "attempt": work["attempt"], "pass": work["pass"], "value": 7 });
        let released = desk.post("/v1/main/workflow/release", &json!({ "results": [result] }));
        assert_eq!(released["results"][0]["accepted"], true, "{released}");
        let done = desk.get(&format!("/v1/main/workflow/processes/{process}"));
        assert_eq!((&done["state"], &done["value"]), (&json!("FINISHED"), &json!(7)), "{done}");

        let listed = desk.get("/v1/main/folders/directories");
        assert!(listed.to_string().contains(&directory), "{listed}");
        desk.post("/v1/main/folders/directories", &json!({ "name": "Others" }));

        desk.until(&format!("/v1/main/sensor-clients/{client}/events"), |answer| {
            let items = answer.body["items"].as_array().map_or(0, Vec::len);
            items == 1 && answer.body["items"][0]["state"] == "sent"
        });
        desk.until(&format!("/v1/main/tasks/{task}"), |answer| answer.status == 404 || answer.body["state"] == "done");
        let told: Vec<String> = heard.try_iter().collect();
        assert!(told.len() >= 2, "the client and the task: {told:?}");
        assert_eq!(desk.get("/v1/main/stuck")["items"], json!([]));
    }
}

/// A process, and its task as a worker got it.
fn begin_process(desk: &Desk) -> (String, Value) {
    // However long the machine takes for what is between.
    desk.good("PATCH", "/v1/main/workflow/actors/order%231", &json!({ "work_timeout_ms": 600_000 }));
    let start = json!({ "actor": "order#1", "method": "begin", "args": [{ "value": 1 }] });
    let started = desk.post("/v1/main/workflow/processes", &json!({ "type": "order", "start": start }));
    let given = desk.post("/v1/main/workflow/poll", &json!({ "actor": "order#1", "worker": "me", "wait_ms": 20_000 }));
    let work = given["tasks"][0].clone();
    assert!(work["task_id"].is_string(), "{given}");
    (text(&started["process_id"]), work)
}

/// One message is done, one is in a process that is prepared with a reply, one waits.
fn begin_exchange(server: &Server, desk: &Desk) -> (String, String, String) {
    let made = |path: &str, body: Value| desk.post(&format!("{X}/{path}"), &body);
    made("companies", json!({ "id": "acme", "name": "Acme" }));
    made("subsystems", json!({ "id": "sales", "company": "acme", "name": "s" }));
    let database = text(&made("databases", json!({ "id": "erp", "company": "acme" }))["key"]);
    let device = made("devices", json!({ "company": "acme", "subsystem": "sales", "name": "Anna" }));
    let active = made("activate", json!({ "code": device["activation_code"] }));
    let (phone, key) = (text(&active["device"]), text(&active["key"]));
    let (sender, erp) = (Desk::of(server, &key), Desk::of(server, &database));
    let send = |id: &str| drop(sender.post(&format!("{X}/messages"), &message(id, &phone, "erp")));
    let start = || text(&erp.post(&format!("{X}/processes"), &json!({ "db": "erp", "max_files": 1 }))["process"]);
    let prepare = |process: &str, id: &str, replies: Value| {
        let results = json!([{ "id": id, "status": "PROCESSED" }]);
        let prepared =
            erp.post(&format!("{X}/processes/{process}/prepare"), &json!({ "results": results, "replies": replies }));
        assert_eq!(prepared["status"], "OK", "{prepared}");
    };
    send("m-1");
    let first = start();
    prepare(&first, "m-1", json!([]));
    assert_eq!(erp.post(&format!("{X}/processes/{first}/commit"), &json!({}))["status"], "OK");
    send("m-2");
    let process = start();
    prepare(&process, "m-2", json!([message("r-2", "erp", &phone)]));
    send("m-3");
    (key, database, process)
}

fn end_exchange(server: &Server, desk: &Desk, (phone, database, process): &(String, String, String)) {
    let (phone, erp) = (Desk::of(server, phone), Desk::of(server, database));
    let committed = erp.post(&format!("{X}/processes/{process}/commit"), &json!({}));
    assert_eq!(committed["status"], "OK", "{committed}");
    let fetched = phone.get(&format!("{X}/messages?wait_s=30"));
    assert!(fetched.to_string().contains("\"r-2\""), "{fetched}");
    phone.post(&format!("{X}/messages/r-2/ack"), &Value::Null);
    // Two messages and the reply: files of what was committed are moved first.
    desk.until(&format!("{X}/folders?db=erp&folder=Log&limit=10"), |answer| {
        answer.body["items"].as_array().map(Vec::len) == Some(3)
    });
    let next = erp.post(&format!("{X}/processes"), &json!({ "db": "erp" }));
    assert_eq!(
        (next["messages"].as_array().map(Vec::len), &next["messages"][0]["id"]),
        (Some(1), &json!("m-3")),
        "{next}"
    );
    let log = desk.get(&format!("{X}/folders?db=erp&folder=Log&limit=10"));
    let name = text(&log["items"][0]["name"]);
    assert_eq!(desk.get(&format!("{X}/files/{name}"))["id"], "m-1");
}

/// A client of a sensor that has something to be told.
fn begin_telling(desk: &Desk, url: &str) -> String {
    desk.good("PUT", "/v1/main/sensors/door1", &json!({ "address": "Lyon, 1" }));
    let client = text(&desk.post("/v1/main/sensor-clients", &json!({ "name": "Hotel", "url": url }))["id"]);
    desk.good("PUT", &format!("/v1/main/sensor-clients/{client}/sensors/door1"), &Value::Null);
    let taken = desk.post("/v1/main/signals", &json!([{ "sensor_id": "door1", "data": 1 }]));
    assert_eq!(taken["accepted"], 1, "{taken}");
    client
}

/// Answers every call well, also those that came while nobody listened; tells what each was.
fn listen(partner: TcpListener) -> Receiver<String> {
    let (tell, told) = channel();
    thread::spawn(move || {
        for stream in partner.incoming().flatten() {
            // One whose caller was killed cannot be answered.
            let Some(head) = answered(stream) else { continue };
            if tell.send(head).is_err() {
                return;
            }
        }
    });
    told
}

fn answered(stream: TcpStream) -> Option<String> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut reader = BufReader::new(stream);
    let (mut head, mut line, mut length) = (String::new(), String::new(), 0);
    while reader.read_line(&mut line).ok()? > 2 {
        if let Some((_, value)) = line.to_ascii_lowercase().split_once("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
        line.clear();
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    reader.get_mut().write_all(answer.as_bytes()).ok()?;
    Some(head)
}
