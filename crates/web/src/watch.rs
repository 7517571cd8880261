//! One line in the log and three numbers in the metrics for every request.
//!
//! Invariant: bodies, keys and raw paths are never written: a path may hold what a client put there by mistake, so
//! logs and metrics name the route's pattern.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use base::Clock;

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

/// A request that is being answered.
pub(crate) struct Watch {
    trace: Arc<Trace>,
    method: &'static str,
    clock: Arc<dyn Clock>,
    begun_us: u64,
    _in_flight: Raised,
}

impl Watch {
    pub(crate) fn begin(request: &mut Request, clock: &Arc<dyn Clock>) -> Self {
        let trace = Arc::new(Trace::default());
        request.extensions_mut().insert(trace.clone());
        Self {
            trace,
            method: known_method(request.method()),
            clock: clock.clone(),
            begun_us: clock.monotonic_us(),
            _in_flight: Raised::of(metrics::gauge!("fastness_http_in_flight")),
        }
    }

    pub(crate) fn end(self, response: &Response) {
        let us = self.clock.monotonic_us().saturating_sub(self.begun_us);
        self.count(response, us);
        self.log(response, us / 1000);
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
            let watch = Watch::begin(&mut request, &clock);
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
}
