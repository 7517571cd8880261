//! Short ways to call and to wait for what comes of it.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use base::{Call, CallResult, HttpCall, HttpReply, Outbound as _};
use host::{HostOutbound, OutboundSettings};

/// More than any call here may take.
pub const LONG: Duration = Duration::from_secs(30);

/// Calls that may go to loopback.
pub fn outbound() -> HostOutbound {
    with(|_| {})
}

pub fn with(change: impl FnOnce(&mut OutboundSettings)) -> HostOutbound {
    let mut settings = OutboundSettings { allow_private: true, ..OutboundSettings::default() };
    change(&mut settings);
    HostOutbound::new(settings).unwrap()
}

/// Begins a call; the receiver gets its result, and ends after it.
pub fn begin(outbound: &HostOutbound, call: Call) -> Receiver<CallResult> {
    let (tell, told) = channel();
    outbound.perform(call, Box::new(move |result| tell.send(result).unwrap()));
    told
}

/// The result, which must be told once.
pub fn result(told: &Receiver<CallResult>) -> CallResult {
    let result = told.recv_timeout(LONG).expect("a result in time");
    assert!(told.recv_timeout(LONG).is_err(), "told twice");
    result
}

pub fn perform(outbound: &HostOutbound, call: Call) -> CallResult {
    result(&begin(outbound, call))
}

pub fn post(url: impl Into<String>) -> HttpCall {
    HttpCall {
        method: "POST",
        url: url.into(),
        headers: vec![("content-type".into(), "application/json".into())],
        body: b"{\"a\":1}".to_vec(),
        timeout_ms: 20_000,
        reply_max: 1_000,
    }
}

pub fn http(outbound: &HostOutbound, call: HttpCall) -> CallResult {
    perform(outbound, Call::Http(call))
}

pub fn answered(result: CallResult) -> HttpReply {
    match result {
        CallResult::Http(reply) => reply,
        other => panic!("not answered: {other:?}"),
    }
}

/// Why it was certainly not made.
pub fn not_made(result: CallResult) -> String {
    match result {
        CallResult::NotMade(reason) => reason,
        other => panic!("not `not made`: {other:?}"),
    }
}

/// Why nobody knows.
pub fn unknown(result: CallResult) -> String {
    match result {
        CallResult::Unknown(reason) => reason,
        other => panic!("not `unknown`: {other:?}"),
    }
}
