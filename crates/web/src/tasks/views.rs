//! Tasks and queues as they come in and go out.

use kernel::tasks::{QueueState, State, Task};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::seen::Unseen;

/// A task to create.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "op": "report.nightly", "param": { "region": "north" }, "cron": "D0425",
    "target": "https://erp.example/hooks/nightly" }))]
pub(super) struct NewTask {
    /// The operation; with a `target` any name that tells it what to do.
    #[schema(max_length = 255)]
    pub(super) op: String,
    /// Its parameter.
    #[serde(default)]
    #[schema(value_type = Object, required = false)]
    pub(super) param: serde_json::Value,
    /// Text that people find it by.
    #[serde(default)]
    #[schema(required = false, max_length = 255)]
    pub(super) info: String,
    /// When to start; at once, or at the next due moment of `cron`.
    #[serde(default)]
    #[schema(required = false, format = DateTime)]
    pub(super) start_at: Option<String>,
    /// Its queue; the one of the operation.
    #[serde(default)]
    #[schema(required = false)]
    pub(super) queue: Option<i64>,
    /// Tasks of one lane run one at a time, oldest first.
    #[serde(default)]
    #[schema(required = false, max_length = 255)]
    pub(super) lane: Option<String>,
    /// When to run again and again, in UTC: `H25`, `D0425`, `W30425` (1 is Monday), `M100425`, `Y11100425`, or a standard cron text of
    /// five fields.
    #[serde(default)]
    #[schema(required = false)]
    pub(super) cron: Option<String>,
    /// A URL that is called in place of a built-in operation.
    #[serde(default)]
    #[schema(required = false, max_length = 2048)]
    pub(super) target: Option<String>,
}

/// A task that was created.
#[derive(Serialize, ToSchema)]
pub(super) struct MadeTask {
    /// Its id.
    pub(super) id: String,
}

/// Where a task is moved.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StartAt {
    /// When it may start.
    #[schema(format = DateTime)]
    pub(super) start_at: String,
}

/// What a target did.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Done {
    /// The attempt that it was told.
    pub(super) attempt: i64,
}

/// A page of tasks.
#[derive(Serialize, ToSchema)]
pub(super) struct TaskPage {
    /// The items, in the order that was asked for.
    pub(super) items: Vec<TaskView>,
    /// Give this as `after` to read on; null at the end.
    pub(super) next: Option<String>,
    /// Namespaces of this page that cannot be looked at right now, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub(super) unseen: Vec<Unseen>,
}

/// A task as it is shown.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct TaskView {
    /// Its namespace.
    pub(super) namespace: String,
    /// Its id.
    pub(super) id: String,
    /// Its operation.
    op: String,
    /// Its parameter.
    #[schema(value_type = Object)]
    param: serde_json::Value,
    /// Text that people find it by.
    info: String,
    /// Its queue.
    queue: i64,
    /// Its lane.
    lane: Option<String>,
    /// `waiting`, `behind` an older one of its lane, `running` or `parked` for a person.
    #[schema(value_type = String, example = "waiting")]
    state: State,
    /// When it may start; null while it is parked.
    #[schema(format = DateTime)]
    start_at: Option<String>,
    /// When its run began, while it runs.
    #[schema(format = DateTime)]
    start_time: Option<String>,
    /// The node that runs it.
    node: Option<String>,
    /// How often it was claimed.
    attempt: i64,
    /// Failed or lost runs.
    retry: i64,
    /// When it runs again and again.
    cron: Option<String>,
    /// The URL that is called.
    target: Option<String>,
    /// Where its last cycle left off.
    #[schema(value_type = Option<Object>)]
    checkpoint: Option<serde_json::Value>,
    /// Code of its last failure.
    exc: Option<String>,
    /// What is known of its last failure.
    report: Option<String>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_at: String,
}

impl TaskView {
    pub(super) fn of(namespace: &str, task: &Task) -> Self {
        let json = |text: &String| serde_json::from_str(text).unwrap_or_default();
        Self {
            namespace: namespace.to_owned(),
            id: task.id.to_string(),
            op: task.op.clone(),
            param: json(&task.param),
            info: task.info.clone(),
            queue: task.queue,
            lane: task.lane.clone(),
            state: task.state(),
            start_at: (!task.is_parked()).then(|| task.start_at.rfc3339()),
            start_time: task.start_time.map(base::Wall::rfc3339),
            node: task.owner.clone(),
            attempt: task.attempt,
            retry: task.retry,
            cron: task.cron.as_ref().map(ToString::to_string),
            target: task.target.clone(),
            checkpoint: task.checkpoint.as_ref().map(json),
            exc: task.exc.clone(),
            report: task.report.clone(),
            created_at: task.created_at.rfc3339(),
        }
    }
}

/// A queue as it is shown. Counts end at 10,000.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct QueueView {
    /// Its namespace.
    pub(super) namespace: String,
    /// Its number.
    pub(super) queue: i64,
    /// Workers on each node.
    pub(super) workers: usize,
    /// Whether it starts nothing.
    pub(super) suspended: bool,
    /// Tasks that could start now.
    pub(super) due: i64,
    /// Tasks that start later.
    pub(super) later: i64,
    /// Tasks that wait for a person.
    pub(super) parked: i64,
    /// Tasks that run on any node.
    pub(super) running: i64,
    /// Tasks that occupy workers of this node.
    pub(super) busy_here: usize,
    /// When the first of those that wait may start.
    #[schema(format = DateTime)]
    pub(super) next_at: Option<String>,
}

impl QueueView {
    pub(super) fn of(namespace: &str, queue: i64, (workers, busy_here): (usize, usize), state: &QueueState) -> Self {
        let QueueState { suspended, due, later, parked, running, next_at } = *state;
        let next_at = next_at.map(base::Wall::rfc3339);
        let namespace = namespace.to_owned();
        Self { namespace, queue, workers, suspended, due, later, parked, running, busy_here, next_at }
    }
}

/// All queues.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Queues {
    /// By namespace and number.
    pub(super) items: Vec<QueueView>,
    /// Tasks that run on this node right now, those that call outside included.
    pub(super) running_here: Vec<RunningView>,
    /// Outside calls under way on this node.
    pub(super) calls_here: usize,
    /// Namespaces that cannot be looked at right now, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub(super) unseen: Vec<Unseen>,
}

/// A task that runs on this node.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct RunningView {
    /// Its namespace.
    pub(super) namespace: String,
    /// Its id.
    pub(super) id: String,
    /// Its attempt.
    pub(super) attempt: i64,
}

/// What came of suspending.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Suspension {
    /// Whether nothing starts any more.
    pub(super) suspended: bool,
    /// Tasks that still occupy workers of this node; 0 once all have ended.
    pub(super) busy_here: usize,
}
