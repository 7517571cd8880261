//! The accept loop and its bounds: headers, framing, slowness, number of connections, draining.

use std::time::Duration;

use serde_json::json;
use web::EdgeLimits;

use crate::valve::Flow;
use crate::world::{ADMIN, Setup, World};

fn many_headers(count: usize) -> String {
    (0..count).map(|number| format!("x-{number}: y\r\n")).collect()
}

#[test]
fn ker_34_a_moderate_excess_of_headers_gets_an_answer_with_a_code() {
    let world = World::new();
    let refused = world.client().send(format!("GET / HTTP/1.1\r\nhost: x\r\n{}\r\n", many_headers(150))).answer();
    refused.check(431, "ATOOMANYHEADERS");
    assert_eq!(refused.message(), "151 headers, at most 100");
    let large = format!("GET / HTTP/1.1\r\nhost: x\r\nlarge: {}\r\n\r\n", "x".repeat(70_000));
    world.client().send(large).answer().check(431, "ATOOMANYHEADERS");
    let good = format!("GET /healthz HTTP/1.1\r\nhost: x\r\n{}\r\n", many_headers(99));
    assert_eq!(world.client().send(good).answer().status, 200);
}

#[test]
fn ker_34_ten_thousand_headers_are_refused() {
    let world = World::new();
    let mut client = world.client();
    client.try_send(format!("GET / HTTP/1.1\r\nhost: x\r\n{}\r\n", many_headers(10_000)).as_bytes());
    assert_eq!(client.answer().status, 431);
    let mut endless = world.client();
    endless.send("GET / HTTP/1.1\r\nhost: x\r\nendless: ");
    let piece = [b'x'; 10_000];
    let sent = (0..1_000).take_while(|_| endless.try_send(&piece)).count();
    assert!(sent < 1_000, "a header without end was taken");
    assert_eq!(world.ask("GET", "/healthz", &[], None).status, 200);
}

#[test]
fn ker_34_one_host_is_needed() {
    let world = World::new();
    world.client().send("GET /healthz HTTP/1.1\r\n\r\n").answer().check(400, "AHEADER");
    world.client().send("GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n").answer().check(400, "AHEADER");
    assert_eq!(world.client().send("GET /healthz HTTP/1.0\r\n\r\n").answer().status, 200);
}

#[test]
fn ker_34_requests_that_could_be_read_in_two_ways_are_refused() {
    let world = World::new();
    let smuggled = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    for (name, framing) in [
        ("two lengths", "content-length: 0\r\ncontent-length: 36\r\n\r\n"),
        ("two equal lengths", "content-length: 0\r\ncontent-length: 0\r\n\r\n"),
        ("a list of lengths", "content-length: 0, 0\r\n\r\n"),
        ("a length and chunks", "content-length: 36\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("chunks and a length", "transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n"),
        ("a positive length", "content-length: +0\r\n\r\n"),
        ("a negative length", "content-length: -1\r\n\r\n"),
        ("a bare line feed", "x: y\n\r\n"),
        ("only line feeds", "x: y\n\n"),
        ("a bare carriage return", "x: y\rcontent-length: 36\r\n\r\n"),
        ("a folded header", "x: y\r\n transfer-encoding: chunked\r\n\r\n"),
        ("a space before the colon", "transfer-encoding : chunked\r\n\r\n0\r\n\r\n"),
        ("another encoding", "transfer-encoding: identity\r\n\r\n"),
        ("a disguised encoding", "transfer-encoding: xchunked\r\n\r\n"),
        ("two encodings", "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("NUL in a header", "x: \0\r\n\r\n"),
    ] {
        let mut client = world.client();
        client.send(format!("POST /healthz HTTP/1.1\r\nhost: x\r\n{framing}{smuggled}"));
        assert_eq!(client.answer().status, 400, "{name}");
        assert!(client.is_closed(), "{name}: something more was answered");
    }
}

#[test]
fn ker_34_chunks_that_could_be_read_in_two_ways_are_refused() {
    let world = World::new();
    let key = format!("authorization: Bearer {ADMIN}\r\ncontent-type: application/json");
    for chunks in [
        "c\n{\"name\":\"q\"}\r\n0\r\n\r\n",
        "+c\r\n{\"name\":\"q\"}\r\n0\r\n\r\n",
        "0x0c\r\n",
        "c\r\n{\"name\":\"q\"}XX0\r\n\r\n",
    ] {
        let mut client = world.client();
        client.send(format!(
            "POST /v1/main/probe HTTP/1.1\r\nhost: x\r\n{key}\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"
        ));
        assert_eq!(client.answer().status, 400, "{chunks:?}");
        assert!(client.is_closed(), "{chunks:?}");
    }
    assert_eq!(world.count("q"), 0);
    let mut client = world.client();
    let good = "4;x=y\r\n{\"na\r\n8\r\nme\":\"q\"}\r\n0\r\n\r\n";
    client
        .send(format!("POST /v1/main/probe HTTP/1.1\r\nhost: x\r\n{key}\r\ntransfer-encoding: chunked\r\n\r\n{good}"));
    assert_eq!(client.answer().status, 200);
}

#[test]
fn requests_follow_each_other_on_one_connection() {
    let world = World::new();
    let mut client = world.client();
    let one = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    client.send(format!("{one}{one}"));
    for _ in 0..2 {
        assert_eq!(client.answer().json(), json!({ "status": "alive" }));
    }
    assert_eq!(client.send(one).answer().status, 200);
}

fn short_header_timeout() -> Setup {
    let edge = EdgeLimits { header_timeout: Duration::from_millis(700), ..EdgeLimits::default() };
    Setup { edge, ..Setup::default() }
}

#[test]
fn ker_34_a_connection_that_says_nothing_or_too_little_is_closed() {
    let world = World::with(short_header_timeout());
    for said in ["", "PRI * HTTP", "GET / HT", "GET / HTTP/1.1\r\nhost:"] {
        let mut client = world.client();
        client.send(said);
        assert!(client.is_closed(), "{said:?}");
    }
    let mut kept_alive = world.client();
    let one = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    assert_eq!(kept_alive.send(one).answer().status, 200);
    assert!(!kept_alive.looks(Duration::from_millis(1_500)), "between requests there is more time");
    assert_eq!(kept_alive.send(one).answer().status, 200);
    kept_alive.send("GET");
    assert!(kept_alive.is_closed());
}

#[test]
fn ker_34_a_client_that_drips_its_headers_is_closed() {
    let world = World::with(short_header_timeout());
    let mut client = world.client();
    client.send("GET / HTTP/1.1\r\nhost: x\r\nslow: ");
    let drops = (0..1_000).take_while(|_| !client.looks(Duration::from_millis(10)) && client.try_send(b"x")).count();
    assert!((2..1_000).contains(&drops), "{drops}");
    assert!(client.is_closed());
}

#[test]
fn ker_34_a_client_that_does_not_read_its_answers_is_cut_off() {
    let edge = EdgeLimits { write_timeout: Duration::from_millis(200), ..EdgeLimits::default() };
    let world = World::with(Setup { edge, ..Setup::default() });
    let mut client = world.client();
    // Some 30 MB of answers: more than the buffers between the two hold.
    client.try_send("GET /docs HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1_000).as_bytes());
    let cut_off = (0..10_000).any(|_| {
        assert_eq!(world.ask("GET", "/healthz", &[], None).status, 200);
        !client.try_send(b"\r\n")
    });
    assert!(cut_off);
}

#[test]
fn ker_34_connections_beyond_the_limit_wait_and_are_then_served() {
    let edge = EdgeLimits { connections_max: 2, ..EdgeLimits::default() };
    let world = World::with(Setup { edge, ..Setup::default() });
    let one = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    let (mut first, mut second) = (world.client(), world.client());
    assert_eq!((first.send(one).answer().status, second.send(one).answer().status), (200, 200));
    let mut third = world.client();
    third.send(one);
    assert!(!third.looks(Duration::from_millis(200)), "served beyond the limit");
    drop(first);
    assert_eq!(third.answer().status, 200);
}

#[test]
fn ker_34_an_idle_connection_is_closed_whatever_it_speaks() {
    let edge = EdgeLimits { idle_timeout: Duration::from_millis(500), ..EdgeLimits::default() };
    let world = World::with(Setup { edge, ..Setup::default() });
    let mut http1 = world.client();
    assert_eq!(http1.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").answer().status, 200);
    assert!(http1.is_closed());
    let mut http2 = world.client();
    http2.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    while http2.looks(Duration::from_secs(20)) {
        if http2.is_closed() {
            return;
        }
        http2.forget();
    }
    panic!("a silent HTTP/2 connection stays open");
}

#[test]
fn a_connection_that_waits_for_its_answer_is_not_idle() {
    let edge = EdgeLimits { idle_timeout: Duration::from_millis(500), ..EdgeLimits::default() };
    let world = World::with(Setup { edge, ..Setup::default() });
    let key = world.key("main", "app");
    world.valve.set(Flow::Held);
    let mut client = world.client();
    client.send(format!(
        "POST /v1/main/probe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: 12\r\n\r\n{{\"name\":\"w\"}}"
    ));
    world.valve.wait_held(1);
    assert!(!client.looks(Duration::from_millis(1_500)), "closed while waiting");
    world.valve.set(Flow::Open);
    assert_eq!(client.answer().status, 200);
}

#[test]
fn ker_35_a_stop_finishes_the_request_in_flight_and_takes_no_new_one() {
    let mut world = World::new();
    let key = world.key("main", "app");
    assert_eq!(world.get("/v1/main/probe/drained", &key).status, 200);
    world.valve.set(Flow::Held);
    let mut busy = world.client();
    let body = "{\"name\":\"drained\"}";
    busy.send(format!(
        "POST /v1/main/probe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    ));
    world.valve.wait_held(1);
    let mut idle = world.client();
    assert_eq!(idle.send("GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n").answer().status, 200);
    world.shutdown.begin();
    assert!(idle.is_closed(), "an idle connection is closed at once");
    while std::net::TcpStream::connect(world.addr).is_ok() {}
    world.valve.set(Flow::Open);
    let answer = busy.answer();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert_eq!(world.stop(), web::Drained { cut: 0 });
}

#[test]
fn ker_35_a_stop_cuts_what_does_not_end_in_time() {
    let edge = EdgeLimits { drain_timeout: Duration::from_millis(200), ..EdgeLimits::default() };
    let mut world = World::with(Setup { edge, ..Setup::default() });
    let key = world.key("main", "app");
    world.valve.set(Flow::Held);
    let mut busy = world.client();
    busy.send(format!(
        "POST /v1/main/probe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: 12\r\n\r\n{{\"name\":\"n\"}}"
    ));
    world.valve.wait_held(1);
    assert_eq!(world.stop(), web::Drained { cut: 1 });
    assert!(busy.is_closed());
}
