//! Metrics (KER-30): one recorder for the process, and the names of what the edge counts.

use std::sync::OnceLock;

use metrics::{Gauge, Unit};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Bounds of the buckets of every histogram, in seconds.
const BUCKETS_S: [f64; 13] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The same of the workflow, whose tasks may take a day.
const LONG_BUCKETS_S: [f64; 14] =
    [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0, 7_200.0, 28_800.0, 86_400.0];
const LONG: &str = "fastness_workflow_";

/// The recorder of this process; the first call installs it.
pub fn metrics_handle() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(install).clone()
}

fn install() -> PrometheusHandle {
    let with_buckets = || {
        let builder = PrometheusBuilder::new().set_buckets(&BUCKETS_S)?;
        builder.set_buckets_for_metric(Matcher::Prefix(LONG.to_owned()), &LONG_BUCKETS_S)
    };
    let builder = || with_buckets().unwrap_or_else(|_| PrometheusBuilder::new());
    let handle = builder().install_recorder().unwrap_or_else(|error| {
        tracing::warn!(%error, "another recorder of metrics is installed, /metrics stays empty");
        builder().build_recorder().handle()
    });
    describe();
    handle
}

fn describe() {
    metrics::describe_counter!("fastness_http_requests_total", "Requests by route, method and status");
    metrics::describe_counter!("fastness_http_refused_total", "Requests refused because too many were in flight");
    metrics::describe_gauge!("fastness_http_refusals_held", "Refusals held back to slow down who asks again at once");
    metrics::describe_histogram!("fastness_http_request_seconds", Unit::Seconds, "Time from head to answer");
    metrics::describe_gauge!("fastness_http_in_flight", "Requests being answered");
    metrics::describe_gauge!("fastness_http_connections", "Open connections");
    metrics::describe_gauge!("fastness_store_health", "2 takes reads and writes, 1 reads only, 0 nothing");
    metrics::describe_gauge!("fastness_store_waiting", "Jobs waiting for the store");
    metrics::describe_gauge!("fastness_stuck", "Things whose wake-up is overdue; counting ends at 100");
    metrics::describe_gauge!("fastness_alerts", "Alerts that are not closed, by state");
    metrics::describe_gauge!("fastness_alert_channels_failing", "Channels of alerts that do not work");
    metrics::describe_gauge!("fastness_journal_waiting", "Journal lines that wait for the store");
    metrics::describe_counter!("fastness_journal_lost_total", "Journal lines that found no room while they waited");
    metrics::describe_counter!("fastness_operations_total", "Operations by name and result");
}

/// A gauge that is one higher while this lives.
pub(crate) struct Raised(Gauge);

impl Raised {
    pub(crate) fn of(gauge: Gauge) -> Self {
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}
