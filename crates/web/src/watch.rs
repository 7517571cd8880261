//! One line in the log, three numbers in the metrics and, where traces are collected, one span for every request.
//!
//! Invariant: bodies, keys and raw paths are never written: a path may hold what a client put there by mistake, so
//! logs and metrics name the route's pattern.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use base::trace::{Fact, Place, Span, SpanKind, Spans, TraceParent};
use base::{Clock, Wall};

use crate::admission::ALWAYS as PROBES;
use crate::error::Failure;
use crate::metrics::Raised;
use crate::refusal::is_busy;
use crate::route::RouteInfo;

/// What is learnt of a request on its way in.
#[derive(Default)]
pub(crate) struct Trace {
    route: OnceLock<Arc<RouteInfo>>,
    caller: OnceLock<String>,
}

impl Trace {
    pub(crate) fn set_route(&self, route: &Arc<RouteInfo>) {
        let _ = self.route.set(route.clone());
    }

    pub(crate) fn set_caller(&self, name: &str) {
        let _ = self.caller.set(name.to_owned());
    }

    fn route(&self) -> &'static str {
        self.route.get().map_or("none", |route| route.path)
    }

    fn caller(&self) -> &str {
        self.caller.get().map_or("-", String::as_str)
    }
}

/// A request whose span is told when it ends.
struct Traced {
    spans: Arc<dyn Spans>,
    place: Place,
    begun: Wall,
}

impl Traced {
    /// Goes on with the trace of who asks, if the request names one.
    fn begin(request: &Request, clock: &Arc<dyn Clock>, spans: &Arc<dyn Spans>) -> Option<Self> {
        let parent = request.headers().get(TraceParent::HEADER).and_then(|value| value.to_str().ok());
        let place = spans.begin(parent.and_then(TraceParent::parse))?;
        Some(Self { spans: spans.clone(), place, begun: clock.wall() })
    }
}

/// A request that is being answered.
pub(crate) struct Watch {
    trace: Arc<Trace>,
    traced: Option<Traced>,
    method: &'static str,
    clock: Arc<dyn Clock>,
    begun_us: u64,
    _in_flight: Raised,
}

impl Watch {
    pub(crate) fn begin(request: &mut Request, clock: &Arc<dyn Clock>, spans: Option<&Arc<dyn Spans>>) -> Self {
        let trace = Arc::new(Trace::default());
        request.extensions_mut().insert(trace.clone());
        Self {
            trace,
            traced: spans.and_then(|spans| Traced::begin(request, clock, spans)),
            method: known_method(request.method()),
            clock: clock.clone(),
            begun_us: clock.monotonic_us(),
            _in_flight: Raised::of(metrics::gauge!("fastness_http_in_flight")),
        }
    }

    pub(crate) fn end(mut self, response: &Response) {
        let us = self.clock.monotonic_us().saturating_sub(self.begun_us);
        self.count(response, us);
        self.log(response, us / 1000);
        if let Some(traced) = self.traced.take().filter(|_| !PROBES.contains(&self.trace.route())) {
            traced.spans.tell(self.span(response, us, &traced));
        }
    }

    fn span(&self, response: &Response, took_us: u64, traced: &Traced) -> Span {
        let (method, route, status) = (self.method, self.trace.route(), response.status());
        let text = |text: &str| Fact::Text(text.to_owned());
        let mut facts = vec![
            ("http.request.method", text(method)),
            ("http.route", text(route)),
            ("http.response.status_code", Fact::Number(status.as_u16().into())),
            ("fastness.caller", text(self.trace.caller())),
        ];
        let failure = response.extensions().get::<Failure>();
        facts.extend(failure.map(|failure| ("error.type", text(failure.0.code.name))));
        Span {
            place: traced.place,
            kind: SpanKind::Server,
            name: format!("{method} {route}"),
            begun: traced.begun,
            took_us,
            facts,
            // A refusal is an answer; only what we owed and did not give has failed.
            failed: status.is_server_error().then(|| failure.map_or_else(String::new, |failure| failure.0.to_string())),
        }
    }

    fn count(&self, response: &Response, us: u64) {
        let (route, method) = (self.trace.route(), self.method);
        let status = response.status().as_str().to_owned();
        metrics::counter!("fastness_http_requests_total", "route" => route, "method" => method, "status" => status)
            .increment(1);
        metrics::histogram!("fastness_http_request_seconds", "route" => route, "method" => method)
            .record(std::time::Duration::from_micros(us).as_secs_f64());
    }

    fn log(&self, response: &Response, ms: u64) {
        let (method, route, caller) = (self.method, self.trace.route(), self.trace.caller());
        let status = response.status().as_u16();
        let error = response.extensions().get::<Failure>().map(|failure| failure.0.to_string());
        let detail = response.extensions().get::<Failure>().map(|failure| failure.0.detail.join("; "));
        // That a namespace is off is an administrator's will, and no news at every request of its tenants.
        let is_off = response.extensions().get::<Failure>().is_some_and(|failure| failure.0.code.letter() == 'O');
        // Of refusals for want of room the log tells once in a while (`Refusals::tell`).
        if status >= 500 && !is_busy(response) && !is_off {
            tracing::warn!(method, route, status, ms, caller, error, detail, "request failed");
        } else {
            tracing::debug!(method, route, status, ms, caller, error, "request");
        }
    }
}

/// Methods are the client's words; only known ones become labels.
fn known_method(method: &Method) -> &'static str {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    let words = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    known.iter().position(|one| one == method).map_or("other", |at| words[at])
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use axum::body::Body;
    use axum::response::IntoResponse;
    use base::{OpError, Wall, codes};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;
    use crate::error::ApiError;

    struct Stopped;

    impl Clock for Stopped {
        fn wall(&self) -> Wall {
            Wall(0)
        }
        fn monotonic_us(&self) -> u64 {
            7_000
        }
        fn ran_ms(&self) -> u64 {
            7
        }
    }

    /// Collects events as text.
    struct Lines(Arc<Mutex<Vec<String>>>);

    struct Fields(String);

    impl Visit for Fields {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            self.0.push_str(&format!(" {field}={value:?}"));
        }
    }

    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, event: &Event<'_>) {
            let mut fields = Fields(event.metadata().level().to_string());
            event.record(&mut fields);
            self.0.lock().unwrap().push(fields.0);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    /// What is logged of a request with a secret in every place.
    fn logged(response: &Response) -> String {
        let lines = Arc::new(Mutex::new(vec![]));
        tracing::subscriber::with_default(Lines(lines.clone()), || {
            let request = Request::builder().method("POST").uri("/secret?secret").header("authorization", "secret");
            let mut request = request.body(Body::from("secret")).unwrap();
            let clock: Arc<dyn Clock> = Arc::new(Stopped);
            let watch = Watch::begin(&mut request, &clock, None);
            watch.trace.set_caller("01KEY");
            watch.end(response);
        });
        let lines = lines.lock().unwrap();
        assert_eq!(lines.len(), 1, "{lines:?}");
        lines[0].clone()
    }

    #[test]
    fn ker_30_a_request_is_one_quiet_line_without_secrets() {
        let line = logged(&ApiError::refused(codes::NROUTE, "no such path").into_response());
        assert!(line.starts_with("DEBUG") && !line.contains("secret"), "{line}");
        for part in ["method=\"POST\"", "route=\"none\"", "status=404", "ms=0", "caller=\"01KEY\""] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
    }

    #[test]
    fn ker_30_a_fault_is_a_warning_with_the_engines_own_words() {
        let fault = OpError::new(codes::XSTORE, "/data/z.db: I/O error").with("at COMMIT");
        let line = logged(&ApiError(fault).into_response());
        assert!(line.starts_with("WARN") && line.contains("status=503") && !line.contains("secret"), "{line}");
        assert!(line.contains("/data/z.db: I/O error") && line.contains("at COMMIT"), "{line}");
    }

    /// Keeps what it is told; goes on with every trace.
    #[derive(Default)]
    struct Kept(Mutex<Vec<Span>>);

    impl Spans for Kept {
        fn begin(&self, parent: Option<TraceParent>) -> Option<Place> {
            let (trace, parent) = parent.map_or(([7; 16], None), |parent| (parent.trace, Some(parent.span)));
            Some(Place { trace, span: [9; 8], parent })
        }
        fn tell(&self, span: Span) {
            self.0.lock().unwrap().push(span);
        }
    }

    /// The span of a request to this route, answered so.
    fn told(route: Option<&'static str>, headers: &[(&str, &str)], response: &Response) -> Vec<Span> {
        let kept = Arc::new(Kept::default());
        let request = Request::builder().method("POST").uri("/secret?secret").header("authorization", "secret");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let mut request = request.body(Body::from("secret")).unwrap();
        let (clock, spans): (Arc<dyn Clock>, Arc<dyn Spans>) = (Arc::new(Stopped), kept.clone());
        let watch = Watch::begin(&mut request, &clock, Some(&spans));
        if let Some(path) = route {
            watch.trace.set_route(&Arc::new(RouteInfo::new(Method::GET, path)));
        }
        watch.end(response);
        std::mem::take(&mut kept.0.lock().unwrap())
    }

    #[test]
    fn ker_30_a_request_is_a_span_of_its_callers_trace_without_secrets() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let refused = ApiError::refused(codes::NROUTE, "no such path").into_response();
        let spans = told(None, &[("traceparent", parent)], &refused);
        let [span] = spans.as_slice() else { panic!("{spans:?}") };
        let parent = TraceParent::parse(parent).unwrap();
        assert_eq!((span.place.trace, span.place.parent), (parent.trace, Some(parent.span)));
        assert_eq!((span.name.as_str(), span.kind, span.failed.as_deref()), ("POST none", SpanKind::Server, None));
        assert!(span.facts.contains(&("error.type", Fact::Text("NROUTE".into()))), "{span:?}");
        assert!(span.facts.contains(&("http.response.status_code", Fact::Number(404))), "{span:?}");
        assert!(!format!("{span:?}").contains("secret"), "{span:?}");
    }

    #[test]
    fn ker_30_a_fault_is_a_failed_span_and_a_strange_parent_begins_a_trace() {
        let fault = ApiError(OpError::new(codes::XSTORE, "/data/z.db: I/O error")).into_response();
        let spans = told(None, &[("traceparent", "00-secret")], &fault);
        assert!(spans[0].failed.as_deref().is_some_and(|words| words.contains("I/O error")), "{spans:?}");
        assert_eq!((spans[0].place.trace, spans[0].place.parent), ([7; 16], None));
    }

    #[test]
    fn ker_30_what_machines_ask_every_few_seconds_is_no_span() {
        let response = "fine".into_response();
        assert!(told(Some("/readyz"), &[], &response).is_empty());
        assert_eq!(told(Some("/v1/{ns}/tasks"), &[], &response).len(), 1);
    }
}
