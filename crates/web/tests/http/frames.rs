//! HTTP/2 by hand: frames that no library would send (KER-34).

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::bodies::{check_flat, rss_kib};
use crate::world::{ADMIN, World};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const RESET: u8 = 3;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A connection whose other end trusts nothing that is said on it.
struct Raw {
    stream: TcpStream,
}

/// Type, stream and payload.
type Frame = (u8, u32, Vec<u8>);

impl Raw {
    fn connect(world: &World, settings: &[u8]) -> Self {
        let stream = TcpStream::connect(world.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        let mut raw = Self { stream };
        raw.stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        assert!(raw.send(SETTINGS, 0, 0, settings));
        raw
    }

    /// False when the other side takes no more.
    fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        self.stream.write_all(&frame(kind, flags, stream, payload)).is_ok()
    }

    /// The next frame; `None` at the end of the connection.
    fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        self.stream.read_exact(&mut payload).ok()?;
        Some((head[3], u32::from_be_bytes([head[5], head[6], head[7], head[8]]), payload))
    }

    /// The first frame of one of these kinds; `None` if the connection ends without.
    fn first_of(&mut self, kinds: &[u8]) -> Option<Frame> {
        std::iter::from_fn(|| self.next()).find(|(kind, _, _)| kinds.contains(kind))
    }

    /// Nothing but farewells until the connection ends.
    fn check_ended(&mut self, what: &str) {
        while let Some((kind, _, _)) = self.next() {
            assert_ne!(kind, HEADERS, "{what}: answered");
        }
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// A header as HPACK writes it without any table.
fn header(name: &str, value: &str) -> Vec<u8> {
    let length = |text: &str| u8::try_from(text.len()).ok().filter(|length| *length < 127).unwrap();
    [&[0, length(name)], name.as_bytes(), &[length(value)], value.as_bytes()].concat()
}

fn asking(method: &str, path: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let usual = [(":method", method), (":scheme", "http"), (":authority", "x"), (":path", path)];
    usual.iter().chain(more).flat_map(|(name, value)| header(name, value)).collect()
}

fn check_others(world: &World) {
    assert_eq!(world.ask("GET", "/healthz", &[], None).status, 200);
}

#[test]
fn ker_34_headers_that_go_on_without_end_end_the_connection() {
    let world = World::new();
    for piece in [header("x", "y").repeat(3_000), vec![]] {
        let before = rss_kib();
        let mut raw = Raw::connect(&world, &[]);
        assert!(raw.send(HEADERS, END_STREAM, 1, &asking("GET", "/healthz", &[])));
        let sent = (0..100_000).take_while(|_| raw.send(CONTINUATION, 0, 1, &piece)).count();
        assert!(sent < 100_000, "{sent} pieces of {} bytes", piece.len());
        check_flat(before);
        check_others(&world);
    }
}

#[test]
fn ker_34_streams_beyond_those_agreed_on_are_refused_and_then_the_connection() {
    let world = World::new();
    let mut raw = Raw::connect(&world, &[]);
    let open = asking("POST", "/v1/main/probe", &[("content-type", "application/json")]);
    // Read while sending: it is the number of streams that ends it, and no full buffer.
    let mut reader = raw.stream.try_clone().unwrap();
    let reading = std::thread::spawn(move || {
        let mut bytes = vec![];
        let _ = reader.read_to_end(&mut bytes);
        bytes
    });
    let streams = (0..50_000).map(|number| 2 * number + 1);
    let sent = streams.take_while(|stream| raw.send(HEADERS, END_HEADERS, *stream, &open)).count();
    assert!(sent < 50_000, "{sent} streams at once");
    assert!(!reading.join().unwrap().is_empty());
    check_others(&world);
}

#[test]
fn ker_34_frames_that_lie_about_their_length_are_not_read() {
    let world = World::new();
    let mut raw = Raw::connect(&world, &[]);
    // 16 MiB are announced; 16 KiB are agreed on.
    raw.stream.write_all(&[0xff, 0xff, 0xff, DATA, 0, 0, 0, 0, 1]).unwrap();
    assert_eq!(raw.first_of(&[GO_AWAY]).unwrap().2[4..8], [0, 0, 0, 6], "FRAME_SIZE_ERROR");
    raw.check_ended("a frame of 16 MiB");
    for (kind, stream, payload) in [(PING, 0, &[0; 7][..]), (WINDOW_UPDATE, 0, &[0; 3]), (SETTINGS, 0, &[0; 5])] {
        let mut raw = Raw::connect(&world, &[]);
        raw.send(kind, 0, stream, payload);
        assert!(raw.first_of(&[GO_AWAY]).is_some(), "kind {kind}");
        raw.check_ended("a frame of a wrong length");
    }
    check_others(&world);
}

#[test]
fn ker_34_a_body_that_differs_from_its_length_changes_nothing_over_http_2() {
    let world = World::new();
    let key = format!("Bearer {ADMIN}");
    let body = b"{\"name\":\"lied\"}";
    for length in ["14", "16"] {
        let mut raw = Raw::connect(&world, &[]);
        let more = [("authorization", key.as_str()), ("content-type", "application/json"), ("content-length", length)];
        raw.send(HEADERS, END_HEADERS, 1, &asking("POST", "/v1/main/probe", &more));
        raw.send(DATA, END_STREAM, 1, body);
        let (kind, _, payload) = raw.first_of(&[RESET, GO_AWAY, HEADERS]).unwrap();
        // 400 is the eighth of 61 texts that HPACK has a number for: 0x8c.
        assert!(kind != HEADERS || payload[0] == 0x8c, "{length}: {kind} {payload:?}");
    }
    assert_eq!(world.count("lied"), 0);
}

#[test]
fn ker_34_what_http_2_does_not_allow_is_not_answered() {
    let world = World::new();
    let usual = asking("GET", "/healthz", &[]);
    let twice = [&usual[..], &header(":path", "/docs")].concat();
    for (what, block) in [
        ("chunks", asking("GET", "/healthz", &[("transfer-encoding", "chunked")])),
        ("connection", asking("GET", "/healthz", &[("connection", "keep-alive")])),
        ("upper case", asking("GET", "/healthz", &[("Large", "x")])),
        ("a line feed", asking("GET", "/healthz", &[("x", "a\nb: c")])),
        ("NUL", asking("GET", "/healthz", &[("x", "a\0")])),
        ("two paths", twice),
        ("no path", [header(":method", "GET"), header(":scheme", "http"), header(":authority", "x")].concat()),
        ("an index beyond the table", vec![0xff, 0xff, 0xff, 0xff, 0x0f]),
        ("a length beyond the block", vec![0, 0x7f, 0xff, 0xff, 0xff, 0x0f]),
    ] {
        let mut raw = Raw::connect(&world, &[]);
        raw.send(HEADERS, END_HEADERS | END_STREAM, 1, &block);
        let (kind, _, payload) = raw.first_of(&[RESET, GO_AWAY, HEADERS]).unwrap();
        // An answer is one of 400 (0x8c, or written out), never 200 (0x88).
        assert!(kind != HEADERS || payload[0] != 0x88, "{what} was served");
    }
    check_others(&world);
}

#[test]
fn ker_34_windows_that_never_open_or_overflow_harm_nobody() {
    let world = World::new();
    let before = rss_kib();
    // SETTINGS_INITIAL_WINDOW_SIZE (4) is 0: answers have heads and no bodies.
    let mut shut = Raw::connect(&world, &[0, 4, 0, 0, 0, 0]);
    for number in 0..100 {
        assert!(shut.send(HEADERS, END_HEADERS | END_STREAM, 2 * number + 1, &asking("GET", "/docs", &[])));
    }
    for _ in 0..100 {
        assert_eq!(shut.first_of(&[HEADERS, DATA]).unwrap().0, HEADERS);
    }
    check_flat(before);
    check_others(&world);
    for increment in [[0x7f, 0xff, 0xff, 0xff], [0; 4]] {
        let mut raw = Raw::connect(&world, &[]);
        raw.send(WINDOW_UPDATE, 0, 0, &increment);
        assert!(raw.first_of(&[GO_AWAY]).is_some(), "{increment:?}");
        raw.check_ended("a window that cannot be");
    }
}

#[test]
fn ker_34_pings_and_settings_without_end_take_no_memory() {
    let world = World::new();
    let before = rss_kib();
    for (kind, payload) in [(PING, &[7; 8][..]), (SETTINGS, &[0, 4, 0, 0, 0, 9])] {
        let mut raw = Raw::connect(&world, &[]);
        let flood = frame(kind, 0, 0, payload).repeat(1_000);
        // Nothing is read: its answers have no place to go, so that no more is taken from it.
        let sent = (0..10_000).take_while(|_| raw.stream.write_all(&flood).is_ok()).count();
        assert!(sent < 10_000, "ten million frames of kind {kind} were taken");
        check_others(&world);
    }
    check_flat(before);
}
