//! Routes of the server itself: is it alive, is it ready, its numbers, its description, its pages (KER-30, KER-38).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use axum::extract::State;
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use base::{Health, Wall};
use kernel::Namespace;
use kernel::namespaces::FIRST;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::error::JSON;
use crate::metrics::metrics_handle;
use crate::overview::{engine_word, health_word};
use crate::route::Route;
use crate::ui;

const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        shown("/healthz", alive).summary("Whether the process is alive").answers::<Alive>(200),
        shown("/readyz", ready)
            .summary("Whether the server takes work")
            .about(
                "503 with the same body while the server stops, or while the store of the administrators' namespace or of `main` is \
                 not good, or while queues there stand still: tasks are overdue by more than 90 s, and this node has begun none of \
                 any kind for a minute. A namespace whose store is not good or in which something is stuck is listed as degraded: \
                 one tenant's trouble, or a long backlog that is being worked off, must not take the server away from the others. \
                 Tasks of a queue that somebody suspended, or of a namespace that is closed, are not stuck here. What is stuck was \
                 counted a few seconds ago.",
            )
            .answers::<Ready>(200),
        shown("/metrics", numbers).summary("Metrics for Prometheus").answers_text(PROMETHEUS),
        shown("/openapi.json", description)
            .summary("This description, as OpenAPI 3.1")
            .answers_text("application/json"),
        shown("/docs", docs).summary("This description, for people").answers_text("text/html"),
        shown("/", status).summary("The server's state, for people").answers_text("text/html"),
        shown("/assets/style.css", ui::style).summary("How the pages look").answers_text("text/css"),
        shown("/assets/console.js", ui::script).summary("What makes the console's pages live").answers_text("text/javascript"),
    ]
}

fn shown<H: Handler<T, Shared>, T: 'static>(path: &'static str, handler: H) -> Route {
    Route::get(path, handler).public().tag("Server")
}

/// The process is alive.
#[derive(Serialize, ToSchema)]
struct Alive {
    /// `alive`.
    status: &'static str,
}

/// Whether the server takes work.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ready {
    /// Whether it does.
    pub(crate) ready: bool,
    /// Whether the server is about to stop.
    pub(crate) draining: bool,
    /// Namespaces whose store is not good, or in which something is stuck.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub(crate) degraded: Vec<String>,
    /// The namespaces by name.
    pub(crate) namespaces: Vec<NamespaceState>,
}

/// The state of a namespace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamespaceState {
    /// Its name.
    pub(crate) name: String,
    /// Its engine.
    #[schema(example = "sqlite")]
    pub(crate) engine: &'static str,
    /// `Good`, `ReadOnly` (writes are refused) or `Down`.
    #[schema(example = "Good")]
    pub(crate) health: &'static str,
    /// Jobs waiting for its store.
    pub(crate) waiting: usize,
    /// Things whose wake-up is overdue, a few seconds ago; counting ends at 100.
    pub(crate) stuck: usize,
    /// Whether tasks are overdue and this node has begun none for a minute.
    pub(crate) stands_still: bool,
    /// Open alerts that nobody acknowledged, a few seconds ago.
    pub(crate) alerts_open: i64,
    /// Channels of alerts that do not work; `GET /v1/{ns}/alerts` tells why. The server takes work all the same.
    pub(crate) alert_channels_failing: usize,
    /// Whether something is to be told and no channel is set.
    pub(crate) alerts_reach_nobody: bool,
}

impl Ready {
    pub(crate) fn now(shared: &Shared) -> Self {
        let now = shared.kernel().env().clock.wall();
        let namespaces: Vec<_> = shared.kernel().namespaces().iter().map(|ns| NamespaceState::of(ns, now)).collect();
        let draining = shared.config().shutdown.has_begun();
        let needed = [shared.kernel().config().admin_namespace.as_str(), FIRST];
        let is_bad = |ns: &&NamespaceState| ns.health != "Good" || ns.stands_still;
        let ready = !draining && !namespaces.iter().filter(is_bad).any(|ns| needed.contains(&ns.name.as_str()));
        let is_degraded = |ns: &&NamespaceState| is_bad(ns) || ns.stuck > 0;
        let degraded = namespaces.iter().filter(is_degraded).map(|ns| ns.name.clone()).collect();
        Self { ready, draining, degraded, namespaces }
    }
}

impl NamespaceState {
    fn of(ns: &Namespace, now: Wall) -> Self {
        let alerts = ns.watched.alerts();
        Self {
            name: ns.name.clone(),
            engine: engine_word(ns.store.engine()),
            health: health_word(&ns.store.health()),
            waiting: ns.store.waiting(),
            stuck: if ns.works() { ns.watched.stuck().unwanted() } else { 0 },
            stands_still: ns.works() && ns.watched.stands_still(now),
            alerts_open: alerts.open,
            alert_channels_failing: alerts.failing,
            alerts_reach_nobody: alerts.is_nobody_told,
        }
    }
}

/// The number of a state.
fn health_number(health: &Health) -> f64 {
    match health {
        Health::Good => 2.0,
        Health::ReadOnly(_) => 1.0,
        Health::Down(_) => 0.0,
    }
}

fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let body = serde_json::to_vec(body).unwrap_or_default();
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}

async fn alive() -> Response {
    json(StatusCode::OK, &Alive { status: "alive" })
}

async fn ready(State(shared): State<Shared>) -> Response {
    let ready = Ready::now(&shared);
    json(if ready.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, &ready)
}

async fn numbers(State(shared): State<Shared>) -> Response {
    let namespaces = shared.kernel().namespaces();
    forget_removed(namespaces.iter().map(|ns| ns.name.clone()).collect());
    for ns in namespaces {
        let number = health_number(&ns.store.health());
        let waiting = u32::try_from(ns.store.waiting()).unwrap_or(u32::MAX);
        metrics::gauge!("fastness_store_health", "namespace" => ns.name.clone()).set(number);
        metrics::gauge!("fastness_store_waiting", "namespace" => ns.name.clone()).set(waiting);
        watched_numbers(&ns);
    }
    ([(CONTENT_TYPE, PROMETHEUS)], metrics_handle().render()).into_response()
}

/// A namespace that is gone has nothing that waits or alarms; its last numbers would go on saying so until the next start.
fn forget_removed(now: BTreeSet<String>) {
    static SHOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    for gone in shown.difference(&now) {
        for state in ["open", "acknowledged"] {
            metrics::gauge!("fastness_alerts", "namespace" => gone.clone(), "state" => state).set(0);
        }
        for name in
            ["fastness_stuck", "fastness_store_waiting", "fastness_alert_channels_failing", "fastness_journal_waiting"]
        {
            metrics::gauge!(name, "namespace" => gone.clone()).set(0);
        }
    }
    *shown = now;
}

/// Numbers of alerts and journal.
fn watched_numbers(ns: &Namespace) {
    let number = |number: i64| f64::from(i32::try_from(number).unwrap_or(i32::MAX));
    let alerts = ns.watched.alerts();
    for (state, count) in [("open", alerts.open), ("acknowledged", alerts.acknowledged)] {
        metrics::gauge!("fastness_alerts", "namespace" => ns.name.clone(), "state" => state).set(number(count));
    }
    let stuck = u32::try_from(ns.watched.stuck().unwanted()).unwrap_or(u32::MAX);
    metrics::gauge!("fastness_stuck", "namespace" => ns.name.clone()).set(stuck);
    let failing = u32::try_from(alerts.failing).unwrap_or(u32::MAX);
    metrics::gauge!("fastness_alert_channels_failing", "namespace" => ns.name.clone()).set(failing);
    let (waiting, lost) = ns.watched.later.counts();
    let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
    metrics::gauge!("fastness_journal_waiting", "namespace" => ns.name.clone()).set(waiting);
    metrics::counter!("fastness_journal_lost_total", "namespace" => ns.name.clone()).absolute(lost);
}

async fn description(State(shared): State<Shared>) -> Response {
    ([(CONTENT_TYPE, JSON)], shared.openapi()).into_response()
}

async fn docs(State(shared): State<Shared>) -> Response {
    ui::page(shared.docs())
}

async fn status(State(shared): State<Shared>) -> Response {
    ui::page(ui::status_page(&Ready::now(&shared), shared.config()).into())
}
