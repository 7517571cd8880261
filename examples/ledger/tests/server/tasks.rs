//! Tasks of a running server: done once, killed or not; targets called; alerts mailed to a real mail server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use kill::server::Server;
use serde_json::{Value, json};

use crate::launch;
use crate::namespaces::until;

const PATIENCE: Duration = Duration::from_secs(60);

fn put_off(server: &Server, body: &Value) -> String {
    let made = server.client().post("/v1/main/tasks", body, "").expect("an answer");
    assert_eq!(made.status, 201, "{made:?}");
    made.body["id"].as_str().expect("an id").to_owned()
}

fn until_balance(server: &Server, account: &str, wished: i64) {
    let path = format!("/v1/main/ledger/accounts/{account}");
    until(&mut server.client(), &path, PATIENCE, |answer| answer.body["balance"] == wished);
}

fn entry(amount: i64) -> Value {
    json!({"op": "ledger.add_entry", "param": {"account": "tasks", "amount": amount}})
}

#[test]
fn ker_15_ker_17_an_operation_that_was_put_off_is_done_and_nothing_is_stuck() {
    let data = tempfile::tempdir().expect("a folder");
    let server = launch(data.path()).start().expect("a server");
    put_off(&server, &entry(5));
    until_balance(&server, "tasks", 5);
    let waiting = server.client().get("/v1/main/tasks?op=ledger.add_entry").expect("an answer");
    assert_eq!(waiting.body["items"], json!([]));
    assert_eq!(server.client().get("/v1/z/stuck").expect("an answer").body["items"], json!([]));
}

#[test]
fn ker_17_ker_23_tasks_are_done_exactly_once_though_the_server_is_killed() {
    let data = tempfile::tempdir().expect("a folder");
    let mut server = launch(data.path()).start().expect("a server");
    for _ in 0..4 {
        (0..50).for_each(|_| drop(put_off(&server, &entry(1))));
        server.kill().expect("it runs");
        server = launch(data.path()).start().expect("a server");
    }
    until_balance(&server, "tasks", 200);
    until(&mut server.client(), "/v1/main/tasks?op=ledger.add_entry", PATIENCE, |answer| {
        answer.body["items"] == json!([])
    });
    let account = server.client().get("/v1/main/ledger/accounts/tasks").expect("an answer");
    assert_eq!(account.body["balance"], 200, "none was done twice");
}

/// A receiver that answers each request, and tells what it got.
fn receiver(answer: &'static str) -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (address, (tell, told)) = (listener.local_addr().expect("an address"), channel());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut got = vec![0; 64 * 1024];
            let length = stream.read(&mut got).expect("a request");
            stream.write_all(answer.as_bytes()).expect("it listens");
            if tell.send(String::from_utf8_lossy(&got[..length]).into_owned()).is_err() {
                return;
            }
        }
    });
    (address, told)
}

#[test]
fn ker_19_a_target_is_called_and_ends_its_task() {
    let data = tempfile::tempdir().expect("a folder");
    let server = launch(data.path()).env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true").start().expect("a server");
    let (address, told) = receiver("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    let id = put_off(&server, &json!({"op": "night", "param": [1], "target": format!("http://{address}/hook")}));
    let got = told.recv_timeout(PATIENCE).expect("a call");
    assert!(got.starts_with("POST /hook HTTP/1.1\r\n") && got.contains(&id), "{got}");
    assert!(got.to_ascii_lowercase().contains("webhook-signature: v1,"), "{got}");
    until(&mut server.client(), &format!("/v1/main/tasks/{id}"), PATIENCE, |answer| answer.status == 404);
}

#[test]
fn ker_19_a_private_target_is_refused_unless_it_is_allowed() {
    let data = tempfile::tempdir().expect("a folder");
    let server = launch(data.path()).start().expect("a server");
    let (address, told) = receiver("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    let id = put_off(&server, &json!({"op": "night", "target": format!("http://{address}/hook")}));
    let task = until(&mut server.client(), &format!("/v1/main/tasks/{id}"), PATIENCE, |answer| {
        answer.body["exc"] == "XTARGET"
    });
    assert_eq!((&task.body["state"], &task.body["retry"]), (&json!("waiting"), &json!(1)));
    assert!(told.try_recv().is_err(), "nothing was sent");
}

#[test]
fn ker_27_smtp_an_alert_is_mailed_by_the_running_server() {
    let variable =
        |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run `cargo xtask ci`"));
    let mailbox = PathBuf::from(variable("FASTNESS_TEST_SMTP_MAILBOX"));
    let data = tempfile::tempdir().expect("a folder");
    let to = format!("ops-{}@example.org", std::process::id());
    let server = launch(data.path())
        .env("FASTNESS_MAIL__URL", &format!("smtp://{}?tls=none", variable("FASTNESS_TEST_SMTP")))
        .env("FASTNESS_MAIL__FROM", "server@example.org")
        .env("FASTNESS_ALERTS__MAIL_TO", &to)
        .env("FASTNESS_ALERTS__GATHER", "0s")
        // A folder that cannot be made: the backup fails, and somebody must know.
        .env("FASTNESS_BACKUP__DIR", "/proc/no/such/folder")
        .start()
        .expect("a server");
    let made = server.client().post("/v1/z/tasks", &json!({"op": "backup.write"}), "").expect("an answer");
    assert_eq!(made.status, 201, "{made:?}");
    let end = Instant::now() + PATIENCE;
    let mail = loop {
        let mails = std::fs::read_dir(mailbox.join("new")).into_iter().flatten();
        let texts = mails.filter_map(|mail| std::fs::read_to_string(mail.ok()?.path()).ok());
        if let Some(mail) = texts.into_iter().find(|text| text.contains(&to)) {
            break mail;
        }
        assert!(Instant::now() < end, "no mail: {}", server.log());
        thread::yield_now();
    };
    assert!(mail.contains("backup"), "{mail}");
    let sent = until(&mut server.client(), "/v1/z/alert-messages", PATIENCE, |answer| {
        answer.body["items"][0]["tries"][0]["outcome"] == "done" || answer.body["items"][0]["done_at"].is_string()
    });
    assert_eq!(sent.status, 200);
}
