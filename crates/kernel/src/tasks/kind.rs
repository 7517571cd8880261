//! What a task does: a kind of task of a service, a plain operation, or a URL outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{CallResult, ContentionKey, Keys, OpError, OpResult, Tx, Urgency, codes};

use super::row::Task;
use super::target;
use crate::any_op::AnyOp;
use crate::cx::OpCx;
use crate::kernel::Kernel;
use crate::service::{Plan, RETRY_MINUTES, TaskDef};

/// What a task does.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A kind of task of a service.
    Def(&'static TaskDef),
    /// A plain operation whose result nobody wants.
    Operation(&'static dyn AnyOp),
    /// A URL outside (KER-19).
    Target,
    /// Nothing that this program knows; a newer one may.
    Unknown,
}

impl Kind {
    /// Decides what the task does next.
    pub(super) fn plan(self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task) -> OpResult<Plan> {
        match self {
            Self::Def(def) => (def.plan)(tx, cx, &task.seen()),
            Self::Operation(op) => op.run_json(tx, cx, &task.param).map(|()| Plan::Done),
            Self::Target => target::plan(tx, cx, &task.seen()),
            Self::Unknown => {
                Err(OpError::new(codes::NOPERATION, format!("no operation `{}` in this program", task.op)))
            }
        }
    }

    /// Takes in what came of its call.
    pub(super) fn settle(self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, called: &CallResult) -> OpResult<Plan> {
        match self {
            Self::Def(def) => (def.settle)(tx, cx, &task.seen(), called),
            Self::Target => target::settle(called),
            Self::Operation(_) | Self::Unknown => {
                Err(OpError::new(codes::BDETECTED, format!("task {} makes no calls", task.op)))
            }
        }
    }

    /// Takes back what its plan wrote about a call that is not made after all.
    pub(super) fn take_back(self, tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task) -> OpResult<()> {
        match self {
            Self::Def(def) => (def.take_back)(tx, cx, &task.seen()),
            Self::Operation(_) | Self::Target | Self::Unknown => Ok(()),
        }
    }

    /// What its cycle must not overlap with.
    pub(super) fn keys(self, task: &Task) -> Keys {
        let lane = task.lane.as_ref().map(|lane| ContentionKey::of("task.lane", lane));
        match self {
            Self::Operation(op) => op.keys_json(&task.param),
            Self::Def(def) => Keys::of((def.keys)(&task.seen()).as_slice().iter().copied().chain(lane).collect()),
            Self::Target | Self::Unknown => Keys::of(lane.into_iter().collect()),
        }
    }

    /// Whether its cycle may run when the disk is full. What came of a target's call is always taken in: it only ends.
    pub(super) fn urgency(self, settles: bool) -> Urgency {
        match self {
            Self::Def(def) => def.urgency,
            Self::Operation(op) => op.urgency(),
            Self::Target if settles => Urgency::Ending,
            Self::Target | Self::Unknown => Urgency::Normal,
        }
    }

    /// Its schedule of tries.
    pub(super) fn minutes(self) -> &'static [u32] {
        match self {
            Self::Def(def) => def.retry_minutes,
            Self::Operation(_) | Self::Target | Self::Unknown => RETRY_MINUTES,
        }
    }
}

/// The schedules of all kinds of tasks.
#[derive(Clone)]
pub struct Minutes(Arc<BTreeMap<&'static str, &'static [u32]>>);

impl Minutes {
    /// Those of the kernel's services.
    #[must_use]
    pub fn all(kernel: &Kernel) -> Self {
        let defs = kernel.services().iter().flat_map(|service| service.tasks);
        Self(Arc::new(defs.map(|def| (def.op, def.retry_minutes)).collect()))
    }

    /// The schedule of a task.
    pub(super) fn of(&self, task: &Task) -> &'static [u32] {
        let own = task.target.is_none().then(|| self.0.get(task.op.as_str()).copied()).flatten();
        own.unwrap_or(RETRY_MINUTES)
    }
}

impl std::fmt::Debug for Minutes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Minutes")
    }
}

impl Kernel {
    /// The kinds of tasks that run when the disk is full.
    pub(super) fn ending_tasks(&self) -> Vec<&'static str> {
        let defs = self.services().iter().flat_map(|service| service.tasks);
        defs.filter(|def| def.urgency == Urgency::Ending).map(|def| def.op).collect()
    }

    /// What a task of this operation and target does.
    #[must_use]
    pub fn task_kind(&self, op: &str, target: Option<&str>) -> Kind {
        if target.is_some() {
            return Kind::Target;
        }
        let mut defs = self.services().iter().flat_map(|service| service.tasks);
        let def = defs.find(|def| def.op == op).map(Kind::Def);
        def.or_else(|| self.operation(op).map(Kind::Operation)).unwrap_or(Kind::Unknown)
    }
}
