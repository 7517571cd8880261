//! Calls to the outside with a span each, which who is called can go on with.

use std::sync::Arc;

use base::trace::{Fact, Place, Span, SpanKind, Spans, TraceParent};
use base::{Call, CallResult, Clock, HttpCall, Outbound, Wall};
use url::Url;

type Done = Box<dyn FnOnce(CallResult) + Send>;

/// Performs calls by another, and tells of those over HTTP.
pub(crate) struct Traced {
    pub outbound: Arc<dyn Outbound>,
    pub spans: Arc<dyn Spans>,
    pub clock: Arc<dyn Clock>,
}

impl Outbound for Traced {
    fn perform(&self, mut call: Call, done: Done) {
        let done = self.watch(&mut call, done);
        self.outbound.perform(call, done);
    }

    fn perform_near(&self, mut call: Call, done: Done) {
        let done = self.watch(&mut call, done);
        self.outbound.perform_near(call, done);
    }
}

impl Traced {
    fn watch(&self, call: &mut Call, done: Done) -> Done {
        let Call::Http(http) = call else { return done };
        let Some(place) = self.spans.begin(None) else { return done };
        http.headers.push((TraceParent::HEADER.to_owned(), place.as_parent().text()));
        let begun = Begun { place, wall: self.clock.wall(), us: self.clock.monotonic_us(), what: What::of(http) };
        let (spans, clock) = (self.spans.clone(), self.clock.clone());
        Box::new(move |result| {
            spans.tell(begun.ended(&result, clock.monotonic_us()));
            done(result);
        })
    }
}

/// A call under way.
struct Begun {
    place: Place,
    wall: Wall,
    us: u64,
    what: What,
}

/// What is told of a call: its path may hold a secret, so only the host is named.
struct What {
    method: &'static str,
    host: String,
    port: Option<u16>,
}

impl What {
    fn of(call: &HttpCall) -> Self {
        let url = Url::parse(&call.url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or("unknown").to_owned();
        Self { method: call.method, host, port: url.and_then(|url| url.port_or_known_default()) }
    }
}

impl Begun {
    fn ended(self, result: &CallResult, now_us: u64) -> Span {
        let Self { place, wall, us, what } = self;
        let mut facts = vec![
            ("http.request.method", Fact::Text(what.method.to_owned())),
            ("server.address", Fact::Text(what.host.clone())),
        ];
        facts.extend(what.port.map(|port| ("server.port", Fact::Number(port.into()))));
        if let CallResult::Http(reply) = result {
            facts.push(("http.response.status_code", Fact::Number(reply.status.into())));
        }
        Span {
            place,
            kind: SpanKind::Client,
            name: format!("{} {}", what.method, what.host),
            begun: wall,
            took_us: now_us.saturating_sub(us),
            facts,
            failed: failed(result),
        }
    }
}

fn failed(result: &CallResult) -> Option<String> {
    match result {
        CallResult::Http(reply) => (reply.status >= 400).then(|| format!("status {}", reply.status)),
        CallResult::Mailed | CallResult::Worked(_) => None,
        CallResult::NotMade(why) => Some(format!("not made: {why}")),
        CallResult::Unknown(why) => Some(format!("unknown: {why}")),
    }
}
