//! A partner outside: takes calls, does what they ask once per id, and goes wrong in every way that partners do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Call, CallResult, HttpCall, HttpReply, Outbound};

use crate::faults::Faults;
use crate::rng::Rng;

/// The header that names what is to be done once.
pub const ONCE: &str = "webhook-id";

type Done = Box<dyn FnOnce(CallResult) + Send>;
type Made = Arc<Mutex<Vec<(Call, Done)>>>;

/// Calls that the server made since the last look.
#[derive(Clone, Default)]
pub struct SimOutbound(Made);

impl Outbound for SimOutbound {
    fn perform(&self, call: Call, done: Done) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((call, done));
    }
}

impl SimOutbound {
    /// The calls made since the last look.
    pub fn take(&self) -> Vec<(Call, Done)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What becomes of one call: when it reaches the partner, if it does, and what the server hears, when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// Milliseconds until it reaches the partner; more than one for a doubled call.
    pub reaches_after_ms: Vec<u64>,
    /// What the server hears.
    pub heard: CallResult,
    /// Milliseconds until it hears.
    pub heard_after_ms: u64,
}

impl Fate {
    /// Draws what becomes of a call.
    pub fn draw(call: &HttpCall, faults: &Faults, rng: &mut Rng) -> Self {
        let (there, back) = (rng.within(1, 200), rng.within(1, 200));
        let timeout = call.timeout_ms;
        let answer =
            |status: u16, body: &[u8]| CallResult::Http(HttpReply { status, headers: vec![], body: body.to_vec() });
        let fate = |reaches: Vec<u64>, heard, heard_after_ms| Self { reaches_after_ms: reaches, heard, heard_after_ms };
        let unknown = || CallResult::Unknown("no answer in time".into());
        if !rng.once_in(faults.partner) {
            return fate(vec![there], answer(204, b""), there + back);
        }
        match rng.below(8) {
            0 => fate(vec![], CallResult::NotMade("connection refused".into()), there),
            1 => fate(vec![], unknown(), timeout),
            2 => fate(vec![there], unknown(), timeout),
            3 => fate(vec![there, there + 5_000], answer(204, b""), there + back),
            4 => fate(vec![], answer(429, b"slow down"), there + back),
            5 => fate(vec![there], answer(500, b"<html>oops"), there + back),
            6 => fate(vec![], answer(503, b"\xff\xfe garbage"), there + back),
            // It hangs, the server gives up, and it is done long after.
            _ => fate(vec![timeout + rng.within(1, 120_000)], unknown(), timeout),
        }
    }

    /// Nobody is there.
    fn refused(rng: &mut Rng) -> Self {
        let heard = CallResult::NotMade("connection refused".into());
        Self { reaches_after_ms: vec![], heard, heard_after_ms: rng.within(1, 200) }
    }
}

/// Longest time that the channels of alerts are out of order.
const OUTAGE_MS_MAX: u64 = 300_000;

/// The partner's own memory, which no crash of ours touches.
#[derive(Debug, Default)]
pub struct Partner {
    /// Arrivals by id: the partner does each once and knows repeats.
    pub arrived: BTreeMap<String, u64>,
    /// Until when nobody takes messages about alerts.
    out_until_us: u64,
}

impl Partner {
    /// Draws what becomes of a message about alerts: all channels fail together, for longer than a round through them takes.
    pub fn notice(&mut self, call: &HttpCall, faults: &Faults, rng: &mut Rng, now_us: u64) -> Fate {
        if rng.once_in(faults.outage) {
            self.out_until_us = now_us + 1_000 * rng.within(1_000, OUTAGE_MS_MAX);
        }
        // The calm phase ends every trouble.
        if faults.outage > 0 && now_us < self.out_until_us { Fate::refused(rng) } else { Fate::draw(call, faults, rng) }
    }

    /// A call arrives.
    pub fn take(&mut self, call: &HttpCall) {
        let id = call.headers.iter().find(|(name, _)| name == ONCE).map(|(_, id)| id.clone()).unwrap_or_default();
        *self.arrived.entry(id).or_default() += 1;
    }
}

/// A call as the partner sees it, and whether it is a mail.
pub(crate) fn as_http(call: Call) -> (HttpCall, bool) {
    let once = |id: String, timeout_ms: u64| HttpCall {
        method: "POST",
        url: "http://partner.example/".into(),
        headers: vec![(ONCE.to_owned(), id)],
        body: vec![],
        timeout_ms,
        reply_max: 1_024,
    };
    match call {
        Call::Http(call) => (call, false),
        Call::Mail(call) => (once(call.id, call.timeout_ms), true),
        Call::Work(call) => (once(call.param, call.timeout_ms), false),
    }
}

/// What is heard of a mail; a mail server has no status.
pub(crate) fn of_mail(result: CallResult) -> CallResult {
    match result {
        CallResult::Http(reply) if reply.status < 300 => CallResult::Mailed,
        CallResult::Http(reply) if reply.status < 500 => CallResult::NotMade("450 later".into()),
        CallResult::Http(_) => CallResult::Unknown("cut off".into()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> HttpCall {
        let headers = vec![(ONCE.to_owned(), "7".to_owned())];
        HttpCall {
            method: "POST",
            url: "http://partner/".into(),
            headers,
            body: vec![],
            timeout_ms: 1_000,
            reply_max: 1,
        }
    }

    #[test]
    fn without_faults_a_call_arrives_once_and_is_answered() {
        let fate = Fate::draw(&call(), &Faults::none(), &mut Rng::new(1));
        assert_eq!(fate.reaches_after_ms.len(), 1);
        assert!(matches!(fate.heard, CallResult::Http(HttpReply { status: 204, .. })));
    }

    #[test]
    fn an_outage_lasts_until_the_calm() {
        let (mut partner, mut rng) = (Partner::default(), Rng::new(1));
        let faults = Faults { outage: 1, ..Faults::none() };
        let mut reaches =
            |faults: &Faults, now_us| !partner.notice(&call(), faults, &mut rng, now_us).reaches_after_ms.is_empty();
        assert!(!reaches(&faults, 0) && !reaches(&faults, 900_000));
        assert!(reaches(&Faults::none(), 900_001));
    }

    #[test]
    fn every_kind_of_trouble_comes_up() {
        let faults = Faults { partner: 1, ..Faults::none() };
        let mut rng = Rng::new(1);
        let fates: Vec<Fate> = (0..500).map(|_| Fate::draw(&call(), &faults, &mut rng)).collect();
        let some = |is: &dyn Fn(&Fate) -> bool| assert!(fates.iter().any(is));
        some(&|fate| fate.reaches_after_ms.is_empty() && matches!(fate.heard, CallResult::NotMade(_)));
        some(&|fate| fate.reaches_after_ms.is_empty() && matches!(fate.heard, CallResult::Unknown(_)));
        some(&|fate| fate.reaches_after_ms.len() == 1 && matches!(fate.heard, CallResult::Unknown(_)));
        some(&|fate| fate.reaches_after_ms.len() == 2);
        some(&|fate| matches!(&fate.heard, CallResult::Http(reply) if reply.status == 429));
        some(&|fate| fate.reaches_after_ms.first().is_some_and(|after| *after > 1_000));
    }
}
