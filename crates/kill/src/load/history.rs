//! What a client asked and what it was told: one line per event, for whoever has to find out what went wrong.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::{Value, json};

/// What a client knows of one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// No copy of it ever left.
    Unsent,
    /// It was acknowledged with this body.
    Done(Value),
    /// The server said that it was not done.
    Refused,
    /// The connection was cut, or the server said that it does not know: it may have been done.
    Unknown,
}

/// One request, over all its copies.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What is known of it now.
    pub known: Known,
    /// Copies that left.
    pub sent: u32,
    /// Copies of which nothing certain was heard.
    pub lost: u32,
    /// It was asked again in calm after the fault.
    pub settled: bool,
    /// When its first copy was sent.
    pub invoked: Instant,
    /// When its first acknowledgement came.
    pub acked: Option<Instant>,
}

impl Request {
    pub(super) fn new() -> Self {
        Self { known: Known::Unsent, sent: 0, lost: 0, settled: false, invoked: Instant::now(), acked: None }
    }

    /// How often it may have been done.
    ///
    /// A refusal is not stored, so it says only of its own copy that nothing was done: where another copy was lost, that
    /// one may have been done before or after.
    #[must_use]
    pub fn effects(&self) -> std::ops::RangeInclusive<usize> {
        match &self.known {
            Known::Done(_) => 1..=1,
            Known::Unsent | Known::Refused | Known::Unknown if self.lost == 0 => 0..=0,
            Known::Unsent | Known::Refused | Known::Unknown => 0..=1,
        }
    }
}

/// How an event changed what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Invoke,
    Ok,
    Fail,
    Info,
}

pub(super) struct Event {
    pub(super) at: Instant,
    pub(super) number: u64,
    pub(super) step: Step,
    pub(super) note: String,
}

/// Events as JSON lines: time in microseconds since `begun`, client, key, phase, and what was said.
pub(super) fn lines(client: &str, begun: Instant, events: &[Event]) -> String {
    let mut text = String::new();
    for Event { at, number, step, note } in events {
        let phase = match step {
            Step::Invoke => "invoke",
            Step::Ok => "ok",
            Step::Fail => "fail",
            Step::Info => "info",
        };
        let us = u64::try_from(at.saturating_duration_since(begun).as_micros()).unwrap_or(u64::MAX);
        let line = json!({ "t": us, "c": client, "number": number, "phase": phase, "note": note });
        let _ = writeln!(text, "{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_counts_for_its_own_copy_only() {
        let request = |known, sent, lost| Request { known, sent, lost, ..Request::new() };
        assert_eq!(request(Known::Done(Value::Null), 3, 2).effects(), 1..=1);
        assert_eq!(request(Known::Refused, 1, 0).effects(), 0..=0);
        assert_eq!(request(Known::Refused, 2, 1).effects(), 0..=1);
        assert_eq!(request(Known::Unknown, 1, 1).effects(), 0..=1);
        assert_eq!(request(Known::Unsent, 0, 0).effects(), 0..=0);
    }
}
