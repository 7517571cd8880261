//! What an operator may set of tasks (KER-16).

use std::collections::BTreeMap;

use super::cron::Cron;

/// How tasks are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskConfig {
    /// Workers of each queue, per namespace and node: quick, standard, background, telling.
    pub workers: Vec<usize>,
    /// Queues of operations, by name. Those of the program are filled in by the kernel; an operator's come first.
    pub queues: BTreeMap<String, i64>,
    /// Tasks that an operator wants to stand in the administrators' namespace, by operation.
    pub scheduled: BTreeMap<String, Cron>,
    /// Outside calls of one kind that are under way on this node.
    pub calls_max: usize,
    /// Those of them that go to one target, so that some that hang leave room for the others.
    pub calls_per_target_max: usize,
    /// The node's name, the same over its starts and another on each node.
    pub node: String,
    /// How long a node's silence is borne before its tasks are given to others (KER-23).
    pub lease_ms: i64,
    /// After how long a task that nobody knows of any more is taken for lost (KER-18).
    pub lost_ms: i64,
    /// How often the store is looked through for tasks that nobody told of.
    pub scan_ms: u64,
}

impl Default for TaskConfig {
    fn default() -> Self {
        Self {
            workers: vec![4, 2, 1, 16],
            queues: BTreeMap::new(),
            scheduled: BTreeMap::new(),
            calls_max: 512,
            calls_per_target_max: 32,
            node: "one".into(),
            lease_ms: 30_000,
            lost_ms: 30 * 60_000,
            scan_ms: 60_000,
        }
    }
}

impl TaskConfig {
    /// The queue of an operation.
    #[must_use]
    pub fn queue_of(&self, op: &str) -> i64 {
        self.queues.get(op).copied().filter(|queue| self.has(*queue)).unwrap_or(0)
    }

    /// Whether there is such a queue.
    #[must_use]
    pub fn has(&self, queue: i64) -> bool {
        usize::try_from(queue).is_ok_and(|queue| queue < self.workers.len())
    }
}
