//! What receivers may answer.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kill::server::{KEY, send_signal};
use serde_json::Value;

use super::kit::{Kit, sensors, until};
use super::receiver::Receiver;

#[test]
fn sen_7_sen_10_a_redirect_is_not_followed() {
    let mut kit = Kit::start();
    let receiver = Receiver::start(|stream| {
        let elsewhere = stream.local_addr()?;
        write!(
            stream,
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{elsewhere}/other\r\ncontent-length: 0\r\n\r\n"
        )
    });
    let doors = sensors("a", 1);
    let (id, _) = kit.client("redirects", &receiver.url(), &doors);
    kit.signal(&doors, 1);
    receiver.next();
    let tries = kit.tries(&id, 1);
    assert_eq!(tries[0].status, Some(307));
    assert!(tries[0].error.contains("redirects are not followed"), "{tries:?}");
    assert!(receiver.got.try_recv().is_err(), "nothing else was asked for");
}

#[test]
fn sen_7_a_client_that_is_gone_is_told_nothing_any_more() {
    let mut kit = Kit::start();
    let receiver = Receiver::start(|stream| stream.write_all(b"HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n"));
    let doors = sensors("a", 2);
    let (id, _) = kit.client("gone", &receiver.url(), &doors);
    kit.signal(&doors[..1], 1);
    receiver.next();
    kit.ended(&id, "disabled");
    let client = kit.good("GET", &format!("sensor-clients/{id}"), &Value::Null);
    assert_eq!(client["state"], "disabled", "{client}");
    let alerts = kit.good("GET", "alerts", &Value::Null).to_string();
    assert!(alerts.contains(&format!("sensor-client/{id}")), "{alerts}");
    kit.signal(&doors, 0);
    assert!(receiver.got.try_recv().is_err(), "not called again");
}

#[test]
fn sen_7_a_client_that_asks_for_patience_is_told_again_then() {
    let mut kit = Kit::start();
    let receiver = Receiver::start(|stream| {
        stream.write_all(b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n")
    });
    let doors = sensors("a", 1);
    let (id, _) = kit.client("busy", &receiver.url(), &doors);
    kit.signal(&doors, 1);
    let first = receiver.next();
    let begun = Instant::now();
    let second = receiver.next();
    // The schedule would be 5 s; the clocks of both sides may differ by a little.
    assert!(begun.elapsed() >= Duration::from_millis(800), "{:?}", begun.elapsed());
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"), "the same event");
    assert_eq!(first.body, second.body);
    assert_eq!(kit.tries(&id, 2)[0].status, Some(429));
}

/// What the endless receiver could send.
static SENT: AtomicU64 = AtomicU64::new(0);

fn endless(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000));
    loop {
        stream.write_all(chunk.as_bytes())?;
        SENT.fetch_add(chunk.len() as u64, Ordering::Relaxed);
    }
}

#[test]
fn sen_7_an_endless_answer_is_cut_and_takes_no_memory() {
    let mut kit = Kit::start();
    let (receiver, doors) = (Receiver::start(endless), sensors("a", 1));
    let (id, _) = kit.client("endless", &receiver.url(), &doors);
    let before = resident_kb(kit.server.pid());
    kit.signal(&doors, 1);
    receiver.next();
    kit.ended(&id, "sent");
    assert!(resident_kb(kit.server.pid()) < before + 50_000, "memory stays as it was");
    assert!(SENT.load(Ordering::Relaxed) < 64 << 20, "what sockets hold and no more");
}

fn resident_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim_end_matches("kB").trim().parse().unwrap()
}

#[test]
fn sen_7_sen_8_a_call_that_nobody_answers_is_made_again_as_the_same_event() {
    let mut kit = Kit::start();
    let receiver = Receiver::start(|stream| stream.shutdown(Shutdown::Both));
    let doors = sensors("a", 1);
    let (id, _) = kit.client("mute", &receiver.url(), &doors);
    kit.signal(&doors, 1);
    let first = receiver.next();
    assert!(kit.tries(&id, 1)[0].error.contains("unknown"), "{:?}", kit.tries(&id, 1));
    let second = until(|| receiver.got.try_recv().ok());
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
}

/// Cut off, it would be told a second time at the next start.
#[test]
fn ker_35_a_stop_waits_for_the_answer_of_a_call_that_is_under_way() {
    static MAY_ANSWER: AtomicBool = AtomicBool::new(false);
    let mut kit = Kit::start();
    let receiver = Receiver::start(|stream| {
        until(|| MAY_ANSWER.load(Ordering::Acquire).then_some(()));
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
    });
    let doors = sensors("a", 1);
    let (id, _) = kit.client("slow", &receiver.url(), &doors);
    kit.signal(&doors, 1);
    receiver.next();
    send_signal(&[kit.server.pid()], "TERM").unwrap();
    until(|| kit.server.log().contains("drained").then_some(()));
    MAY_ANSWER.store(true, Ordering::Release);
    until(|| (!kit.server.is_running().unwrap()).then_some(()));
    kit.ended(&id, "sent");
}

/// A request that does not come to its end, a call that nobody answers: one time holds for both together, not one for each.
#[test]
fn ker_35_a_stop_ends_within_its_time_whatever_hangs() {
    let mut kit = Kit::start_with(&[
        ("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true"),
        ("FASTNESS_SERVER__DRAIN", "4s"),
        ("FASTNESS_SERVER__BODY_TIMEOUT", "1h"),
    ]);
    let receiver = Receiver::hanging();
    let doors = sensors("a", 1);
    kit.client("mute", &receiver.url(), &doors);
    kit.signal(&doors, 1);
    receiver.next();
    let mut hanging = TcpStream::connect(kit.server.address).unwrap();
    let head = format!("POST /v1/main/signals HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {KEY}\r\n");
    write!(hanging, "{head}content-type: application/json\r\ncontent-length: 9\r\n\r\n[").unwrap();
    let begun = Instant::now();
    send_signal(&[kit.server.pid()], "TERM").unwrap();
    until(|| (!kit.server.is_running().unwrap()).then_some(()));
    // A part of that for a slow machine; each with a time of its own would take more than six.
    assert!(begun.elapsed() < Duration::from_millis(5_500), "{:?}: {}", begun.elapsed(), kit.server.log());
    assert!(kit.server.log().contains("stopped"), "in good order: {}", kit.server.log());
}
