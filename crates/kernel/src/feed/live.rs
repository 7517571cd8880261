//! A reader that stays: the feed as server-sent events, from a cursor on.
//!
//! A state machine ([`Session`]): it reads a page, sends it, and reads on when it is woken or, because wake-ups may be lost, with
//! every heartbeat. The id of each event is its cursor, so a reader that was cut resumes after the last one it has; a heartbeat
//! carries the cursor too, so that a reader of rare topics does not fall behind what is kept.
//!
//! Invariants: one read at a time, so at most one page is on its way; the cursor of an event is sent with it, never before.

use base::Ran;
use base::mutants::{self, Mutant};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::page::FeedPage;
use crate::session::events::{AGAIN, beat_timer, failed, stopping};
use crate::session::{Out, Session, SessionDef, SessionEvent, Watch};

/// After a read during which more came: several events cost one read.
const SOON_MS: u64 = 20;
/// Events of one read, so that what one slow reader holds in memory is bounded.
const EVENTS_MAX: u32 = 50;

/// The feed, live. The first message is a [`Follow`].
pub const LIVE: SessionDef = SessionDef { name: "feed.live", open: |_, _| Box::new(Live::default()) };

/// What to follow, from where on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follow {
    /// Only events of these topics; all, if none is named.
    pub topics: Vec<String>,
    /// From this cursor on; `head` for from now on, empty for all that are kept.
    pub after: String,
}

#[derive(Default)]
struct Live {
    follow: Follow,
    begun: bool,
    /// The read or call that is under way.
    open: Option<u64>,
    calls: u64,
    woken: bool,
}

impl Session for Live {
    fn on(&mut self, event: SessionEvent, _: Ran) -> Vec<Out> {
        match event {
            SessionEvent::Message(bytes) if !self.begun => self.begin(&bytes),
            SessionEvent::Message(_) => vec![],
            SessionEvent::Wake | SessionEvent::Timer(AGAIN) => self.read(),
            SessionEvent::Timer(_) => self.beat(),
            SessionEvent::Ended { call, result } if self.open == Some(call) => {
                self.open = None;
                match result {
                    Ok(result) => self.ended(result),
                    Err(error) => failed(&error),
                }
            }
            SessionEvent::Ended { .. } | SessionEvent::Gone => vec![],
            SessionEvent::Bytes { .. } | SessionEvent::News(_) | SessionEvent::Sent => vec![],
            SessionEvent::Stopping => stopping(),
        }
    }
}

impl Live {
    fn begin(&mut self, bytes: &[u8]) -> Vec<Out> {
        let Ok(follow) = serde_json::from_slice(bytes) else { return vec![Out::Close] };
        (self.follow, self.begun) = (follow, true);
        let mut out = vec![Out::Reply(b"retry: 1000\n\n".to_vec()), Out::Watch(Watch::Events), beat_timer()];
        out.extend(self.read());
        out
    }

    /// Reads on, unless a read is under way: then after it.
    fn read(&mut self) -> Vec<Out> {
        self.woken = self.open.is_some();
        if self.woken || !self.begun {
            return vec![];
        }
        let Follow { topics, after } = &self.follow;
        let input = json!({ "topics": topics, "after": after, "limit": EVENTS_MAX });
        let call = self.next_call();
        vec![Out::Read { call, query: "feed.page", input }]
    }

    fn next_call(&mut self) -> u64 {
        self.calls += 1;
        self.open = Some(self.calls);
        self.calls
    }

    /// A page, or the epoch that was missing for one.
    fn ended(&mut self, result: Value) -> Vec<Out> {
        match result {
            Value::Null => vec![Out::Call { call: self.next_call(), op: "feed.epoch", input: Value::Null }],
            Value::String(_) => self.read(),
            page => match serde_json::from_value(page) {
                Ok(page) => self.send(&page),
                Err(_) => vec![Out::Close],
            },
        }
    }

    fn send(&mut self, page: &FeedPage) -> Vec<Out> {
        let text: String = page.events.iter().map(|event| event_text(page, event)).collect();
        self.follow.after = page.next().to_string();
        let mut out = if text.is_empty() { vec![] } else { vec![Out::Reply(text.into_bytes())] };
        if page.more {
            out.extend(self.read());
        } else if self.woken {
            out.push(Out::Timer { number: AGAIN, after_ms: SOON_MS });
        }
        out
    }

    fn beat(&mut self) -> Vec<Out> {
        let after = &self.follow.after;
        let place = if after.contains('.') { format!("id: {after}\n") } else { String::new() };
        let mut out = vec![Out::Reply(format!(": beat\n{place}\n").into_bytes()), beat_timer()];
        out.extend(self.read());
        out
    }
}

fn event_text(page: &FeedPage, event: &super::FeedEvent) -> String {
    let early = mutants::on(Mutant::CursorBeforeDelivery);
    let cursor = if early { page.next() } else { page.cursor(event.number) };
    let super::FeedEvent { topic, subject, version, data, .. } = event;
    let data = json!({ "topic": topic, "subject": subject, "version": version, "data": data });
    format!("id: {cursor}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::events::{BEAT, LATER_MS};
    use base::OpError;
    use base::codes;

    fn begun() -> Live {
        let mut live = Live::default();
        let follow = json!({ "topics": ["a.b"], "after": "1-aa.4" }).to_string();
        let out = live.on(SessionEvent::Message(follow.into_bytes()), Ran(0));
        assert!(out.contains(&Out::Watch(Watch::Events)) && is_read(out.last(), "1-aa.4"), "{out:?}");
        live
    }

    fn is_read(out: Option<&Out>, after: &str) -> bool {
        matches!(out, Some(Out::Read { input, .. }) if input["after"] == after && input["topics"] == json!(["a.b"]))
    }

    fn page(numbers: &[i64], through: i64, more: bool) -> Value {
        let event = |n: &i64| json!({ "number": n, "topic": "a.b", "subject": "s", "version": 7, "data": { "n": n } });
        let events: Vec<Value> = numbers.iter().map(event).collect();
        json!({ "epoch": "1-aa", "events": events, "through": through, "more": more })
    }

    fn ended(live: &mut Live, result: Result<Value, OpError>) -> Vec<Out> {
        let call = live.calls;
        live.on(SessionEvent::Ended { call, result }, Ran(0))
    }

    fn text(out: &Out) -> String {
        let Out::Reply(bytes) = out else { panic!("{out:?}") };
        String::from_utf8(bytes.clone()).unwrap()
    }

    #[test]
    fn ker_25_each_event_carries_its_own_cursor_and_the_next_read_follows_the_page() {
        let mut live = begun();
        let out = ended(&mut live, Ok(page(&[5, 7], 9, true)));
        let data = |n: i64| format!(r#"{{"data":{{"n":{n}}},"subject":"s","topic":"a.b","version":7}}"#);
        assert_eq!(text(&out[0]), format!("id: 1-aa.5\ndata: {}\n\nid: 1-aa.7\ndata: {}\n\n", data(5), data(7)));
        assert!(is_read(out.get(1), "1-aa.9"), "{out:?}");
        assert_eq!(ended(&mut live, Ok(page(&[], 9, false))), [], "nothing more: it waits");
        let out = live.on(SessionEvent::Timer(BEAT), Ran(0));
        assert_eq!(text(&out[0]), ": beat\nid: 1-aa.9\n\n", "a reader of rare topics keeps up");
        assert!(is_read(out.last(), "1-aa.9"), "a heartbeat also looks");
    }

    #[test]
    fn ker_25_one_read_at_a_time_and_a_wake_up_meanwhile_is_not_lost() {
        let mut live = begun();
        assert_eq!(live.on(SessionEvent::Wake, Ran(0)), []);
        assert_eq!(live.on(SessionEvent::Wake, Ran(0)), []);
        let out = ended(&mut live, Ok(page(&[], 4, false)));
        assert_eq!(out, [Out::Timer { number: AGAIN, after_ms: SOON_MS }]);
        assert!(is_read(live.on(SessionEvent::Timer(AGAIN), Ran(0)).first(), "1-aa.4"));
    }

    #[test]
    fn ker_25_a_fault_is_waited_out_and_a_refusal_is_told() {
        let mut live = begun();
        let out = ended(&mut live, Err(OpError::new(codes::XSTORE, "gone")));
        assert_eq!(out, [Out::Timer { number: AGAIN, after_ms: LATER_MS }]);
        live.on(SessionEvent::Timer(AGAIN), Ran(0));
        let out = ended(&mut live, Err(OpError::new(codes::CEPOCH, "another epoch")));
        assert!(text(&out[0]).starts_with("event: error\ndata: {\"code\":\"CEPOCH\""));
        assert_eq!(out[1], Out::Close);
    }

    #[test]
    fn ker_46_a_store_without_an_epoch_gets_one_first() {
        let mut live = begun();
        let out = ended(&mut live, Ok(Value::Null));
        assert!(matches!(out[0], Out::Call { op: "feed.epoch", .. }));
        assert!(is_read(ended(&mut live, Ok("1-aa".into())).first(), "1-aa.4"));
    }
}
