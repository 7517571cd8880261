//! Sessions are state machines that a test, the server and the simulator drive alike.

use base::Ran;
use kernel::{Caller, Out, Session, SessionDef, SessionEvent};
use serde_json::json;

/// Asks for a thing on every message, says so when it is made, gives up when nobody speaks.
struct Maker {
    calls: u64,
}

const SILENCE_MS: u64 = 1_000;

impl Session for Maker {
    fn on(&mut self, event: SessionEvent, _: Ran) -> Vec<Out> {
        match event {
            SessionEvent::Message(name) => {
                self.calls += 1;
                let input = json!({ "name": String::from_utf8_lossy(&name) });
                let call = Out::Call { call: self.calls, op: "thing.make", input };
                vec![call, Out::Timer { number: 0, after_ms: SILENCE_MS }]
            }
            SessionEvent::Ended { call, result } => {
                vec![Out::Reply(format!("{call}: {}", result.is_ok()).into_bytes())]
            }
            SessionEvent::Timer(_) | SessionEvent::Stopping => vec![Out::Close],
            SessionEvent::Wake | SessionEvent::Gone => vec![],
            SessionEvent::Bytes { .. } | SessionEvent::News(_) | SessionEvent::Sent => vec![],
        }
    }
}

static MAKER: SessionDef = SessionDef { name: "test.maker", open: |_, _| Box::new(Maker { calls: 0 }) };

#[test]
fn a_session_is_driven_by_events_alone() {
    let mut session = (MAKER.open)(&Caller::server("test"), Ran(0));
    let out = session.on(SessionEvent::Message(b"door".to_vec()), Ran(5));
    assert!(matches!(&out[0], Out::Call { call: 1, op: "thing.make", input } if input["name"] == "door"));
    let out = session.on(SessionEvent::Ended { call: 1, result: Ok(json!(null)) }, Ran(6));
    assert_eq!(out, [Out::Reply(b"1: true".to_vec())]);
    assert_eq!(session.on(SessionEvent::Timer(0), Ran(1_006)), [Out::Close]);
}
