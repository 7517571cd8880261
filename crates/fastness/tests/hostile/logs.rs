//! What others chose, in the log: one event stays one line, and nothing in it is obeyed by a terminal.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::kit::Site;

/// Ends a line, turns red, and looks like an event of ours.
const FORGED: &str = "x\n2026-11-18T12:00:00Z  INFO FORGED\u{1b}[31m\r\u{9b}2J";

#[test]
fn ker_34_what_others_chose_stays_within_its_line_of_the_log() {
    let site = Site::start_with(&[("FASTNESS_LOG__LEVEL", "debug"), ("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true")]);
    let target = receiver();
    let task = |op: &str, info: &str| json!({ "op": op, "target": target, "info": info, "param": FORGED });
    assert_eq!(site.ask("POST", "/v1/main/tasks", &task("report", FORGED)).status, 400);
    let _ = site.ask("POST", "/v1/main/tasks", &task(FORGED, ""));
    site.made("POST", "/v1/main/tasks", &task("report", ""));
    let _ = site.ask("POST", "/v1/main/sessions", &json!({ "account": FORGED, "password": FORGED }));
    let _ = site.ask("GET", "/v1/main/journal?q=%0AFORGED%1B", &Value::Null);
    let begun = Instant::now();
    while !site.server.log().contains("task failed") {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", site.server.log());
        std::thread::yield_now();
    }
    let log = site.server.log();
    let odd = |char: &char| char.is_control() && *char != '\n' && *char != '\t';
    assert_eq!(log.chars().find(odd), None, "{log:?}");
    let forged: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("FORGED") && !line.contains("fastness") && !line.contains("kernel"))
        .collect();
    assert!(forged.is_empty(), "{forged:?}");
}

/// A target whose refusal tries it, too.
fn receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 8192]);
            let _ = write!(
                stream,
                "HTTP/1.1 422 No\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{FORGED}",
                FORGED.len()
            );
        }
    });
    format!("http://{address}/r")
}
