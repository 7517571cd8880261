//! The change feed over HTTP (KER-25): pages, and server-sent events that live, resume, end and are bounded.

use std::io::Read;
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use base::{OpResult, Stamp, Tx};
use kernel::feed::RENEW_EPOCH;
use kernel::{Caller, Event, Op, OpCx};
use serde_json::{Value, json};
use web::AppConfig;

use crate::world::{ADMIN, Setup, World};

static TELL: Op<(&'static str, i64), ()> = Op::new("test.tell", tell);

fn tell(_: &mut dyn Tx, cx: &mut OpCx<'_>, (topic, number): &(&'static str, i64)) -> OpResult<()> {
    let (text, count) = if *topic == "a.big" { ("x".repeat(60_000), 20) } else { ("two\nlines".into(), 1) };
    let data = json!({ "n": number, "text": text }).to_string();
    let event = Event { topic: (*topic).to_owned(), subject: format!("s{number}"), version: Stamp::MIN, data };
    (0..count).for_each(|_| cx.fx.event(event.clone()));
    Ok(())
}

impl World {
    fn tell(&self, topic: &'static str, number: i64) {
        let (told, wait) = mpsc::channel();
        let request = self.kernel.request(Caller::server("test"));
        let done = Box::new(move |reply: OpResult<_>| told.send(reply.map(|_| ())).unwrap());
        self.kernel.call(&self.kernel.namespace("main").unwrap(), &TELL, request, (topic, number), done);
        wait.recv().unwrap().unwrap();
    }

    pub fn stream(&self, path: &str, key: &str, more: &str) -> Stream {
        let mut client = TcpStream::connect(self.addr).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: test\r\naccept: text/event-stream\r\nauthorization: Bearer {key}\r\n{more}\r\n"
        );
        std::io::Write::write_all(&mut client, head.as_bytes()).unwrap();
        Stream { client, text: String::new() }
    }
}

/// A connection on which events come.
pub struct Stream {
    client: TcpStream,
    text: String,
}

impl Stream {
    /// Reads on until the text holds this; gives what came before and with it.
    pub fn until(&mut self, wanted: &str) -> String {
        while !self.text.contains(wanted) {
            let mut bytes = [0; 4096];
            let count = self.client.read(&mut bytes).unwrap();
            assert!(count > 0, "ended without {wanted:?}: {}", self.text);
            self.text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        let end = self.text.find(wanted).unwrap() + wanted.len();
        self.text.drain(..end).collect()
    }

    /// The next event: its cursor and its data.
    fn event(&mut self) -> (String, Value) {
        self.until("id: ");
        let cursor = self.until("\n").trim().to_owned();
        self.until("data: ");
        let data = self.until("\n\n");
        (cursor, serde_json::from_str(data.trim()).unwrap())
    }
}

fn subjects(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["subject"].as_str().unwrap()).collect()
}

#[test]
fn ker_25_pages_follow_each_other_and_the_end_is_a_place_to_go_on_from() {
    let world = World::new();
    let empty = world.get("/v1/main/events", ADMIN).json();
    assert_eq!((subjects(&empty), &empty["more"]), (vec![], &json!(false)), "a new store has a feed");
    (0..5).for_each(|n| world.tell(if n == 2 { "c.d" } else { "a.b" }, n));
    let first = world.get("/v1/main/events?limit=2", ADMIN).json();
    assert_eq!((subjects(&first), &first["more"]), (vec!["s0", "s1"], &json!(true)));
    assert_eq!(first["items"][1]["cursor"], first["next"]);
    assert_eq!(first["items"][0]["data"]["n"], 0);
    let next = first["next"].as_str().unwrap();
    let rest = world.get(&format!("/v1/main/events?after={next}&topic=a.b,x.y"), ADMIN).json();
    assert_eq!((subjects(&rest), &rest["more"]), (vec!["s3", "s4"], &json!(false)));
    let head = world.get("/v1/main/events?after=head", ADMIN).json();
    assert_eq!((subjects(&head), &head["next"]), (vec![], &rest["next"]));
}

#[test]
fn ker_46_cursors_that_cannot_be_followed_are_refused_by_status_also_for_streams() {
    let world = World::new();
    world.tell("a.b", 0);
    let next = world.get("/v1/main/events", ADMIN).json()["next"].as_str().unwrap().to_owned();
    let (told, wait) = mpsc::channel();
    let request = world.kernel.request(Caller::server("test"));
    let main = world.kernel.namespace("main").unwrap();
    world.kernel.call(&main, &RENEW_EPOCH, request, (), Box::new(move |_| told.send(()).unwrap()));
    wait.recv().unwrap();
    let path = format!("/v1/main/events?after={next}");
    world.get(&path, ADMIN).check(409, "CEPOCH");
    assert!(world.stream(&path, ADMIN, "").until("\r\n").contains("409"));
    world.get("/v1/main/events?after=nonsense", ADMIN).check(400, "ABODY");
    world.get("/v1/main/events?limit=0", ADMIN).check(422, "ALIMIT");
    world.get("/v1/main/events?topic=1,2,3,4,5,6,7,8,9", ADMIN).check(422, "ALIMIT");
    world.get("/v1/main/events?topics=a", ADMIN).check(400, "ABODY");
}

#[test]
fn ker_32_only_roles_that_may_look_follow_the_feed() {
    let world = World::new();
    for (role, status) in [("reader", 200), ("operator", 200), ("app", 200), ("device", 403), ("gateway", 403)] {
        assert_eq!(world.get("/v1/main/events", &world.key("main", role)).status, status, "{role}");
    }
}

#[test]
fn ker_25_a_live_reader_hears_within_100_ms_and_resumes_from_the_last_id() {
    let world = World::new();
    world.tell("a.b", 0);
    let mut stream = world.stream("/v1/main/events?topic=a.b", ADMIN, "");
    let head = stream.until("\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-type: text/event-stream"), "{head}");
    assert_eq!(stream.event().1["subject"], "s0");
    let mut times: Vec<Duration> = (1..10)
        .map(|n| {
            let begun = Instant::now();
            world.tell("a.b", n);
            assert_eq!(stream.event().1["subject"], format!("s{n}"));
            begun.elapsed()
        })
        .collect();
    times.sort();
    assert!(times[4] < Duration::from_millis(100), "{times:?}");
    world.tell("c.d", 90);
    world.tell("a.b", 10);
    let (cursor, event) = stream.event();
    assert_eq!((&event["subject"], &event["data"]["text"]), (&json!("s10"), &json!("two\nlines")), "c.d is not sent");
    drop(stream);
    (11..14).for_each(|n| world.tell("a.b", n));
    let mut again = world.stream("/v1/main/events?topic=a.b", ADMIN, &format!("last-event-id: {cursor}\r\n"));
    let after: Vec<Value> = (0..3).map(|_| again.event().1["subject"].clone()).collect();
    assert_eq!(after, ["s11", "s12", "s13"]);
}

#[test]
fn ker_35_a_live_connection_ends_in_good_order_when_the_server_stops() {
    let mut world = World::new();
    let mut stream = world.stream("/v1/main/events?after=head", ADMIN, "");
    stream.until("retry: 1000");
    let drained = world.stop();
    assert_eq!(drained.cut, 0, "nobody had to be cut");
    stream.until(": the server stops");
    stream.until("0\r\n\r\n");
}

#[test]
fn ker_34_live_connections_are_bounded_and_hold_no_place_of_a_request() {
    let app = AppConfig {
        live_per_namespace_max: 3,
        live_per_key_max: 2,
        in_flight_max: 2,
        in_flight_per_namespace_max: 2,
        ..AppConfig::default()
    };
    let world = World::with(Setup { app, ..Setup::default() });
    let (one, two) = (world.key("main", "reader"), world.key("main", "reader"));
    let open = |key: &str| {
        let mut stream = world.stream("/v1/main/events?after=head", key, "");
        let status = stream.until("\r\n");
        if status.contains("200") {
            stream.until("retry: 1000");
        }
        (status, stream)
    };
    let mut held: Vec<Stream> = vec![];
    for (key, wanted) in [(&one, "200"), (&one, "200"), (&one, "503"), (&two, "200"), (&two, "503")] {
        let (status, stream) = open(key);
        assert!(status.contains(wanted), "{status}, not {wanted}");
        held.extend((wanted == "200").then_some(stream));
    }
    assert_eq!(world.get("/v1/main/events", &one).status, 200, "requests still have their places");
    drop(held.remove(0));
    let begun = Instant::now();
    while !open(&one).0.contains("200") {
        assert!(begun.elapsed() < Duration::from_secs(20), "the place is not given back");
        // A connection that was dropped shows when something is sent on it.
        world.tell("a.b", 1);
    }
}

#[test]
fn ker_32_a_live_connection_ends_when_its_key_is_revoked() {
    let world = World::new();
    let made = world.post("/v1/main/keys", ADMIN, &json!({ "role": "reader" })).json();
    let (id, key) = (made["id"].as_str().unwrap(), made["key"].as_str().unwrap());
    let mut stream = world.stream("/v1/main/events?after=head", key, "");
    stream.until("retry: 1000");
    assert_eq!(world.delete(&format!("/v1/main/keys/{id}"), ADMIN).status, 204);
    stream.until("0\r\n\r\n");
}

/// A client that takes nothing: what it holds of our memory is bounded, and it is cut.
#[test]
fn ker_34_a_slow_reader_is_cut_and_not_buffered() {
    let edge = web::EdgeLimits { write_timeout: Duration::from_millis(500), ..web::EdgeLimits::default() };
    let app = AppConfig { live_per_key_max: 1, ..AppConfig::default() };
    let world = World::with(Setup { edge, app, ..Setup::default() });
    let slow = world.stream("/v1/main/events", ADMIN, "");
    // More than the sockets hold between them.
    (0..25).for_each(|_| world.tell("a.big", 0));
    let begun = Instant::now();
    while !world.stream("/v1/main/events?after=head", ADMIN, "").until("\r\n").contains("200") {
        assert!(begun.elapsed() < Duration::from_secs(30), "the slow reader was not cut");
    }
    drop(slow);
}
