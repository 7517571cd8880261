//! Bodies: what is taken, and what is refused with flat memory (KER-34).

use std::time::Duration;

use serde_json::json;
use web::{AppConfig, BodyLimits};

use crate::client::Client;
use crate::probe::SMALL;
use crate::world::{ADMIN, Setup, World};

const HUNDRED_MB: usize = 100_000_000;

fn head(path: &str, more: &str) -> String {
    let key = format!("authorization: Bearer {ADMIN}");
    format!("POST {path} HTTP/1.1\r\nhost: x\r\n{key}\r\ncontent-type: application/json\r\n{more}\r\n\r\n")
}

pub fn rss_kib() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Memory may move by other tests, but not by the size of the body.
pub fn check_flat(before_kib: i64) {
    let grown = rss_kib() - before_kib;
    assert!(grown < 50_000, "{grown} KiB more than before");
}

fn ask(world: &World, headers: &[(&str, &str)], body: &str) -> crate::client::Answer {
    let length = body.len().to_string();
    let key = format!("Bearer {ADMIN}");
    let headers = [&[("authorization", key.as_str()), ("content-length", length.as_str())], headers].concat();
    let mut client = world.client();
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    client.send(format!("POST /v1/main/probe HTTP/1.1\r\nhost: x\r\n{lines}\r\n{body}"));
    client.answer()
}

#[test]
fn ker_34_wrong_json_is_refused_with_its_place() {
    let world = World::new();
    for (body, words) in [
        ("", "the body is empty"),
        ("{", "line 1 column 1"),
        ("[]", "invalid length 0, expected struct Add"),
        ("{\"name\":\"a\",\"nmae\":1}", "unknown field `nmae`, expected `name` or `place` at line 1 column 18"),
        ("{\"name\":\"a\",\"place\":{\"rwo\":1}}", "unknown field `rwo`, expected `row`"),
        ("{\"name\":\"a\",\"name\":\"b\"}", "duplicate field `name`"),
        ("{\"name\":\"\\ud800\"}", "line 1 column"),
        ("{\"name\":\"a\\u0000\"}", "NUL"),
        ("{\"name\":\"a\"}{}", "trailing characters"),
        ("{\"name\":1e999}", "line 1 column"),
    ] {
        let refused = ask(&world, &[("content-type", "application/json")], body);
        refused.check(400, "ABODY");
        assert!(refused.message().contains(words), "{body}: {}", refused.message());
    }
    let deep = format!("{{\"name\":{}", "[".repeat(100_000));
    ask(&world, &[("content-type", "application/json")], &deep).check(400, "ABODY");
    let not_utf8 =
        world.client().send(head("/v1/main/probe", "content-length: 12")).send(b"{\"name\":\"\xff\"}").answer();
    not_utf8.check(400, "ABODY");
}

#[test]
fn ker_34_only_json_is_taken() {
    let world = World::new();
    let body = "{\"name\":\"a\"}";
    for headers in [
        &[][..],
        &[("content-type", "text/plain")],
        &[("content-type", "application/json"), ("content-encoding", "gzip")],
    ] {
        ask(&world, headers, body).check(415, "ATYPE");
    }
    assert_eq!(ask(&world, &[("content-type", "application/json; charset=utf-8")], body).status, 200);
}

#[test]
fn ker_34_a_route_without_a_body_refuses_one() {
    let world = World::new();
    world.post("/v1/main/probe/open", ADMIN, &json!({})).check(400, "ABODY");
}

#[test]
fn ker_34_a_body_that_says_it_is_too_large_is_refused_before_it_is_sent() {
    let world = World::new();
    let before = rss_kib();
    let mut client = world.client();
    client.send(head("/v1/main/probe", &format!("content-length: {HUNDRED_MB}")));
    let refused = client.answer();
    refused.check(413, "ATOOBIG");
    assert_eq!(refused.message(), "the body is larger than 1048576 bytes");
    check_flat(before);
}

#[test]
fn ker_34_a_body_that_says_it_is_too_large_and_is_sent_all_the_same_reads_its_refusal() {
    let world = World::new();
    let before = rss_kib();
    let mut client = world.client();
    client.send(head("/v1/main/probe", &format!("content-length: {HUNDRED_MB}")));
    send_much(&mut client, |bytes| bytes.to_vec());
    client.answer().check(413, "ATOOBIG");
    check_flat(before);
}

#[test]
fn ker_34_a_chunked_body_is_cut_at_the_limit() {
    let world = World::new();
    let before = rss_kib();
    let mut client = world.client();
    client.send(head("/v1/main/probe", "transfer-encoding: chunked"));
    send_much(&mut client, |bytes| {
        let size = format!("{:x}\r\n", bytes.len());
        [size.as_bytes(), bytes, b"\r\n"].concat()
    });
    client.answer().check(413, "ATOOBIG");
    check_flat(before);
    assert_eq!(world.ask("GET", "/healthz", &[], None).status, 200);
}

#[test]
fn ker_34_a_client_that_is_still_sending_is_not_reset_at_once() {
    let world = World::new();
    let mut client = world.client();
    client.send(head("/v1/main/probe", &format!("content-length: {HUNDRED_MB}")));
    client.answer().check(413, "ATOOBIG");
    assert!((0..100).all(|_| client.try_send(&[b' '; 50_000])), "reset while sending");
    assert!(client.is_closed());
}

/// Sends 100 MB, or as much as the other side takes.
fn send_much(client: &mut Client, wrapped: impl Fn(&[u8]) -> Vec<u8>) {
    let piece = wrapped(&[b' '; 50_000]);
    let sent = (0..HUNDRED_MB / 50_000).take_while(|_| client.try_send(&piece)).count();
    assert!(sent > 10, "{sent} pieces");
}

#[test]
fn ker_34_a_route_may_have_a_limit_of_its_own() {
    let world = World::new();
    let ask = |size: usize| {
        let body = format!("{{\"name\":\"{}\"}}", "x".repeat(size - 11));
        world.ask("PUT", "/v1/main/probe/small", &[("authorization", &format!("Bearer {ADMIN}"))], Some(&body))
    };
    assert_eq!(ask(SMALL).status, 204);
    ask(SMALL + 1).check(413, "ATOOBIG");
}

fn short_timeouts(idle_ms: u64, all_ms: u64) -> Setup {
    let (idle_timeout, timeout) = (Duration::from_millis(idle_ms), Duration::from_millis(all_ms));
    let body = BodyLimits { idle_timeout, timeout, ..BodyLimits::default() };
    Setup { app: AppConfig { body, ..AppConfig::default() }, ..Setup::default() }
}

#[test]
fn ker_34_a_sender_that_pauses_is_cut_off() {
    let world = World::with(short_timeouts(100, 60_000));
    let mut client = world.client();
    client.send(head("/v1/main/probe", "content-length: 100")).send("{");
    client.answer().check(408, "ASLOW");
    assert!(client.is_closed());
}

#[test]
fn ker_34_a_sender_that_drips_is_cut_off() {
    let world = World::with(short_timeouts(10_000, 300));
    let mut client = world.client();
    client.send(head("/v1/main/probe", "content-length: 100000"));
    let drops = (0..500).take_while(|_| !client.looks(Duration::from_millis(20)) && client.try_send(b" ")).count();
    assert!((2..500).contains(&drops), "{drops}");
    client.answer().check(408, "ASLOW");
}

#[test]
fn ker_34_a_body_that_breaks_off_changes_nothing() {
    let world = World::new();
    let mut client = world.client();
    client.send(head("/v1/main/probe", "content-length: 100")).send("{\"name\":\"broken\"}");
    drop(client);
    assert_eq!(world.count("broken"), 0);
}

#[test]
fn ker_34_a_body_is_asked_for_only_when_it_is_wanted() {
    let world = World::new();
    let mut client = world.client();
    client.send(head("/v1/main/probe", "content-length: 12\r\nexpect: 100-continue"));
    assert_eq!(client.answer().status, 100);
    assert_eq!(client.send("{\"name\":\"a\"}").answer().status, 200);
    let mut client = world.client();
    client.send(head("/v1/main/probe", &format!("content-length: {HUNDRED_MB}\r\nexpect: 100-continue")));
    client.answer().check(413, "ATOOBIG");
}
