//! Traces for OpenTelemetry (KER-30): spans of requests and of calls to the outside, sent to a collector in batches as OTLP over HTTP.
//!
//! Invariants: work never waits for its trace, and memory has a bound: what finds no room is lost, and counted. Nothing is durable
//! here; a span is no promise.

mod calls;
mod otlp;

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use base::trace::{Place, Span, Spans, TraceParent};
use base::{Call, CallResult, Entropy, HttpCall, Outbound, Timers};

use crate::config::{Config, Traces};
use crate::outbound;

use calls::Traced;

/// Spans that wait at most; a collector that is away for long costs so much memory and no more.
const WAITING_MAX: usize = 8_192;
/// Spans of one message.
const BATCH: usize = 512;
/// How long the first of a batch waits for others.
const GATHER_MS: u64 = 2_000;
/// When a collector that did not take them is asked again.
const AGAIN_MS: u64 = 10_000;
const TIMEOUT_MS: u64 = 10_000;
const REPLY_MAX: usize = 4 << 10;
/// How long the end waits for the last batch at most.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// Where batches go, and what is said of us in each.
pub(crate) struct Destination {
    /// `…/v1/traces`.
    pub url: String,
    /// The header `Authorization`, if the collector wants one.
    pub authorization: Option<String>,
    /// This node's name among several.
    pub node: String,
    /// One trace in so many is told of, where who asks has not decided it.
    pub one_in: u64,
}

/// What takes a batch from here to there.
pub(crate) struct Means {
    pub entropy: Arc<dyn Entropy>,
    pub timers: Arc<dyn Timers>,
    pub outbound: Arc<dyn Outbound>,
}

/// Gathers spans and sends them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Collector(Arc<Inner>);

struct Inner {
    destination: Destination,
    means: Means,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Span>,
    /// A batch is on its way, or a timer will send one.
    is_due: bool,
    is_failing: bool,
    is_closing: bool,
    /// Told when nothing waits any more.
    ended: Option<Sender<()>>,
}

/// The collector that is configured, if one is.
pub(crate) fn start(config: &Config, node: &str, env: &kernel::Env) -> Result<Option<Collector>> {
    let Traces { url, authorization, one_in } = &config.traces;
    if url.is_empty() {
        return Ok(None);
    }
    let destination = Destination {
        url: format!("{url}/v1/traces"),
        authorization: authorization.as_ref().map(|secret| secret.expose().to_owned()),
        node: node.to_owned(),
        one_in: *one_in,
    };
    let (entropy, timers) = (env.entropy.clone(), env.timers.clone());
    let means = Means { entropy, timers, outbound: outbound::to_own_servers(config)? };
    Ok(Some(Collector::new(destination, means)))
}

/// The same calls, told of where traces are collected.
pub(crate) fn watched(outbound: Arc<dyn Outbound>, traces: Option<&Collector>, env: &kernel::Env) -> Arc<dyn Outbound> {
    match traces {
        Some(traces) => Arc::new(Traced { outbound, spans: Arc::new(traces.clone()), clock: env.clock.clone() }),
        None => outbound,
    }
}

impl Collector {
    pub(crate) fn new(destination: Destination, means: Means) -> Self {
        Self(Arc::new(Inner { destination, means, state: Mutex::default() }))
    }

    /// Sends what waits, for a moment; what is not taken by then is lost.
    pub(crate) fn close(&self, wait: Duration) {
        if self.last_batch().recv_timeout(wait.min(CLOSE_WAIT)).is_err() {
            tracing::info!(waiting = self.lock().waiting.len(), "the collector of traces did not take the last spans");
        }
    }

    fn last_batch(&self) -> Receiver<()> {
        let (tell, told) = channel();
        let mut state = self.lock();
        (state.is_closing, state.ended) = (true, Some(tell));
        drop(state);
        self.send();
        told
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_after(&self, ms: u64) {
        let collector = self.clone();
        self.0.means.timers.after(ms, Box::new(move || collector.send()));
    }

    /// Sends a batch, and the next one when it was taken.
    fn send(&self) {
        let mut state = self.lock();
        let count = state.waiting.len().min(BATCH);
        let batch: Vec<Span> = state.waiting.drain(..count).collect();
        state.is_due = !batch.is_empty();
        if batch.is_empty() {
            let _ = state.ended.take().map(|ended| ended.send(()));
            return;
        }
        drop(state);
        let (call, collector) = (self.call(&batch), self.clone());
        self.0.means.outbound.perform(Call::Http(call), Box::new(move |result| collector.sent(batch, &result)));
    }

    fn call(&self, batch: &[Span]) -> HttpCall {
        let Destination { url, authorization, node, .. } = &self.0.destination;
        let json = ("content-type".to_owned(), "application/json".to_owned());
        let who = authorization.iter().map(|value| ("authorization".to_owned(), value.clone()));
        HttpCall {
            method: "POST",
            url: url.clone(),
            headers: [json].into_iter().chain(who).collect(),
            body: otlp::message(node, batch),
            timeout_ms: TIMEOUT_MS,
            reply_max: REPLY_MAX,
        }
    }

    fn sent(&self, batch: Vec<Span>, result: &CallResult) {
        match answer(result) {
            Answer::Taken => {
                if std::mem::take(&mut self.lock().is_failing) {
                    tracing::info!("the collector of traces takes spans again");
                }
                self.send();
            }
            Answer::Refused(why) => {
                self.warn(&why);
                lose(batch.len());
                self.send();
            }
            Answer::Later(why) => {
                self.warn(&why);
                self.put_back(batch);
            }
        }
    }

    /// Once for each time that it begins to fail.
    fn warn(&self, why: &str) {
        if !std::mem::replace(&mut self.lock().is_failing, true) {
            tracing::warn!(url = self.0.destination.url, why, "the collector of traces takes no spans");
        }
    }

    /// Before what came since, as far as there is room; at the end nobody waits for another try.
    fn put_back(&self, mut batch: Vec<Span>) {
        let mut state = self.lock();
        if state.is_closing {
            state.ended = None;
            lose(batch.len());
            return;
        }
        let room = WAITING_MAX - state.waiting.len();
        let lost = batch.len().saturating_sub(room);
        lose(lost);
        batch.drain(..lost);
        batch.into_iter().rev().for_each(|span| state.waiting.push_front(span));
        drop(state);
        self.send_after(AGAIN_MS);
    }
}

impl Spans for Collector {
    fn begin(&self, parent: Option<TraceParent>) -> Option<Place> {
        let entropy = &self.0.means.entropy;
        let is_wanted = match &parent {
            Some(parent) => parent.is_sampled,
            None => entropy.below(self.0.destination.one_in) == 0,
        };
        is_wanted.then(|| {
            let (mut trace, mut span) = ([0; 16], [0; 8]);
            entropy.fill(&mut span);
            match &parent {
                Some(parent) => trace = parent.trace,
                None => entropy.fill(&mut trace),
            }
            Place { trace, span, parent: parent.map(|parent| parent.span) }
        })
    }

    fn tell(&self, span: Span) {
        let mut state = self.lock();
        if state.waiting.len() == WAITING_MAX {
            state.waiting.pop_front();
            lose(1);
        }
        state.waiting.push_back(span);
        let is_first = !std::mem::replace(&mut state.is_due, true);
        drop(state);
        if is_first {
            self.send_after(GATHER_MS);
        }
    }
}

fn lose(count: usize) {
    if count > 0 {
        metrics::counter!("fastness_spans_lost_total").increment(count as u64);
    }
}

/// What a collector's answer means for a batch.
enum Answer {
    Taken,
    /// It will not take this one, ever; or it may have, and twice would be wrong.
    Refused(String),
    /// To be tried again, as OTLP says of these.
    Later(String),
}

fn answer(result: &CallResult) -> Answer {
    match result {
        CallResult::Http(reply) if (200..300).contains(&reply.status) => Answer::Taken,
        CallResult::Http(reply) if [429, 502, 503, 504].contains(&reply.status) => {
            Answer::Later(format!("it answered {}", reply.status))
        }
        CallResult::Http(reply) => Answer::Refused(format!("it answered {}", reply.status)),
        CallResult::NotMade(why) => Answer::Later(why.clone()),
        CallResult::Unknown(why) => Answer::Refused(why.clone()),
        CallResult::Mailed | CallResult::Worked(_) => Answer::Refused("it is no HTTP server".to_owned()),
    }
}

#[cfg(test)]
mod tests;
