//! How namespaces stand, on one page (CON-2).

use std::sync::Arc;

use base::{Engine, Health, StoreFigures};
use futures_util::future::join_all;
use kernel::overview::{Figure, Look, NodeSeen, OVERVIEW, Overview};
use kernel::tasks::{OldestDue, TaskCounts};
use kernel::{Namespace, Role};
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::ApiResult;
use crate::api::Api;
use crate::route::{Route, Service};
use crate::seen::{PATIENCE, in_time, seen_from};
use crate::time::rfc3339;

/// The service with its routes.
pub(crate) const SERVICE: Service = Service::new(&kernel::overview::SERVICE, routes);

fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/{ns}/overview", overview)
            .roles(&[Role::Operator, Role::Reader])
            .tag("Server")
            .summary("Show how everything stands")
            .about(
                "Tasks, alerts, what is stuck, the store and the nodes. Counts end at 10,000, those of stuck things at 100, so that \
                 it is quick whatever waits. At the administrators' namespace: of all namespaces. A namespace whose store cannot be \
                 read now is listed without its `work`.",
            )
            .answers::<OverviewView>(200),
    ]
}

/// How everything stands.
#[derive(Serialize, ToSchema)]
struct OverviewView {
    /// The server's version.
    version: String,
    /// For how long this process runs.
    uptime_s: u64,
    /// The namespaces that are seen from here, by name.
    items: Vec<NamespaceView>,
}

/// How a namespace stands.
#[derive(Serialize, ToSchema)]
struct NamespaceView {
    /// Its name.
    namespace: String,
    /// Its store.
    store: StoreView,
    /// What is in it; null while its store cannot be read.
    work: Option<WorkView>,
}

/// How a store stands. Sizes were seen up to a minute ago, and are null where the engine cannot tell.
#[derive(Serialize, ToSchema)]
struct StoreView {
    /// Its engine.
    #[schema(example = "sqlite")]
    engine: &'static str,
    /// `Good`, `ReadOnly` (writes are refused) or `Down`.
    #[schema(example = "Good")]
    health: &'static str,
    /// Jobs that wait for it.
    waiting: usize,
    /// Bytes of its data, indexes included.
    data_bytes: Option<u64>,
    /// Bytes of its log beside the data.
    log_bytes: Option<u64>,
    /// Bytes that are free on its disk.
    free_bytes: Option<u64>,
}

/// What is in a namespace.
#[derive(Serialize, ToSchema)]
struct WorkView {
    /// Its tasks.
    tasks: TasksView,
    /// Open alerts that nobody acknowledged.
    alerts_open: i64,
    /// Open alerts that somebody acknowledged.
    alerts_acknowledged: i64,
    /// Things whose wake-up is overdue; `GET /v1/{ns}/stuck` names them.
    stuck: usize,
    /// Overdue tasks whose queue somebody suspended.
    stuck_suspended: usize,
    /// Blobs that are stored.
    blobs: i64,
    /// Their bytes.
    blob_bytes: i64,
    /// Nodes that work on it.
    nodes: Vec<NodeView>,
    /// What its services say of themselves.
    figures: Vec<FigureView>,
}

/// How tasks stand.
#[derive(Serialize, ToSchema)]
struct TasksView {
    /// They could start now.
    due: i64,
    /// They start later.
    later: i64,
    /// They run, on any node.
    running: i64,
    /// They wait for a person.
    parked: i64,
    /// They wait for an older one of their lane.
    behind: i64,
    /// The one that could start for longest.
    oldest: Option<OldestView>,
    /// When the next one starts of those that start later.
    #[schema(format = DateTime)]
    next_at: Option<String>,
}

/// The task that could start for longest.
#[derive(Serialize, ToSchema)]
struct OldestView {
    /// Its id.
    id: String,
    /// Its operation.
    op: String,
    /// Since when it could start.
    #[schema(format = DateTime)]
    since: String,
}

/// A node that is alive.
#[derive(Serialize, ToSchema)]
struct NodeView {
    /// Its id, of this life.
    id: String,
    /// Its name, of all lives.
    name: String,
    /// When it last said that it is alive.
    #[schema(format = DateTime)]
    seen_at: String,
}

/// A number that a service shows.
#[derive(Serialize, ToSchema)]
struct FigureView {
    /// Which service.
    #[schema(example = "documents")]
    service: &'static str,
    /// What it counts.
    #[schema(example = "classes")]
    name: &'static str,
    /// How much that is.
    value: i64,
}

impl StoreView {
    fn of(ns: &Namespace) -> Self {
        let StoreFigures { data_bytes, log_bytes, free_bytes } = ns.store.figures();
        let (engine, health) = (engine_word(ns.store.engine()), health_word(&ns.store.health()));
        Self { engine, health, waiting: ns.store.waiting(), data_bytes, log_bytes, free_bytes }
    }
}

/// An engine's word.
pub(crate) const fn engine_word(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    }
}

/// The word of a state. Why it is so stays in the log: the engine's words may hold paths.
pub(crate) const fn health_word(health: &Health) -> &'static str {
    match health {
        Health::Good => "Good",
        Health::ReadOnly(_) => "ReadOnly",
        Health::Down(_) => "Down",
    }
}

impl From<Overview> for WorkView {
    fn from(Overview { tasks, alerts, stuck, blobs, nodes, figures }: Overview) -> Self {
        Self {
            tasks: tasks.into(),
            alerts_open: alerts.open,
            alerts_acknowledged: alerts.acknowledged,
            stuck: stuck.unwanted(),
            stuck_suspended: stuck.suspended,
            blobs: blobs.blobs,
            blob_bytes: blobs.bytes,
            nodes: nodes.into_iter().map(NodeView::from).collect(),
            figures: figures.into_iter().map(FigureView::from).collect(),
        }
    }
}

impl From<TaskCounts> for TasksView {
    fn from(TaskCounts { due, later, running, parked, behind, oldest, next_at }: TaskCounts) -> Self {
        let oldest = oldest.map(OldestView::from);
        Self { due, later, running, parked, behind, oldest, next_at: next_at.map(rfc3339) }
    }
}

impl From<OldestDue> for OldestView {
    fn from(OldestDue { id, op, since }: OldestDue) -> Self {
        Self { id: id.to_string(), op, since: rfc3339(since) }
    }
}

impl From<NodeSeen> for NodeView {
    fn from(NodeSeen { id, name, seen_at }: NodeSeen) -> Self {
        Self { id, name, seen_at: rfc3339(seen_at) }
    }
}

impl From<Figure> for FigureView {
    fn from(Figure { service, name, value }: Figure) -> Self {
        Self { service, name, value }
    }
}

async fn overview(api: Api) -> ApiResult<OverviewView> {
    let items = join_all(seen_from(&api).into_iter().map(|ns| of_namespace(&api, ns))).await;
    let version = api.shared().config().version.clone();
    let uptime_s = api.kernel().env().clock.monotonic_us() / 1_000_000;
    Ok(api.answer(OverviewView { version, uptime_s, items }))
}

/// One whose store is away must not take the others off the page.
async fn of_namespace(api: &Api, ns: Arc<Namespace>) -> NamespaceView {
    let there = api.within(&ns);
    let read = there.read(&OVERVIEW, Look::at(api.kernel()));
    let work = in_time(api, PATIENCE, read).await.ok().and_then(Result::ok);
    NamespaceView { namespace: ns.name.clone(), store: StoreView::of(&ns), work: work.map(|work| work.out.into()) }
}
