//! Operations of a small service that refers to blobs, and one that runs the tasks of blobs step by step.

use std::collections::BTreeSet;

use base::{Call, CallResult, Heard, OpResult, Sha, Sql, StoreResult, Tx, args};
use kernel::blobs::{COLLECT, MARK, Owner, SWEEP, refer, unrefer};
use kernel::{Op, OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};

const KIND: &str = "shelf";

/// Refers to a blob.
pub(super) static TAKE: Op<Hold, ()> =
    Op::new("shelf.take", |tx, cx, hold| refer(tx, cx, hold.sha, &Owner { kind: KIND, id: &hold.owner }));
/// Ends the reference.
pub(super) static LEAVE: Op<Hold, ()> =
    Op::new("shelf.leave", |tx, cx, hold| unrefer(tx, cx, hold.sha, &Owner { kind: KIND, id: &hold.owner }));
/// Runs one cycle of a task of blobs.
pub(super) static STEP: Op<Step, Next> = Op::new("shelf.step", step);

/// Who refers to what.
#[derive(Debug, Clone)]
pub(super) struct Hold {
    pub(super) sha: Sha,
    pub(super) owner: String,
}

/// Which task, and what came of its call.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) task: usize,
    pub(super) came: Option<CallResult>,
}

/// What a task does next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Next {
    /// Nothing more.
    Done,
    /// Another cycle.
    Again,
    /// This work first: name and parameter.
    Work(String, String),
}

/// In the order in which they are run.
pub(super) static TASKS: [TaskDef; 3] = [MARK, COLLECT, SWEEP];

fn step(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Step) -> OpResult<Next> {
    let task = &TASKS[input.task];
    let row = TaskRow::first_attempt(cx.id(), task.op, "null", cx.wall);
    let plan = match &input.came {
        Some(result) => (task.settle)(tx, cx, &row, result)?,
        None => (task.plan)(tx, cx, &row)?,
    };
    Ok(match plan {
        Plan::Call(Call::Work(call)) => Next::Work(call.name.into(), call.param),
        Plan::Checkpoint(_) => Next::Again,
        _ => Next::Done,
    })
}

/// What is committed of blobs.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// Hashes and names of rows.
    pub(super) rows: Vec<(String, String)>,
    /// References: hash and owner.
    pub(super) refs: BTreeSet<(String, String)>,
    /// Names that go.
    pub(super) garbage: usize,
    pub(super) heard: Option<Heard>,
}

impl Committed {
    /// Whether the only blobs are those that something refers to.
    pub(super) fn is_clean(&self) -> bool {
        self.garbage == 0 && self.rows.iter().all(|(sha, _)| self.refs.iter().any(|(of, _)| of == sha))
    }
}

static ROWS: Sql = Sql::new("sim.blob_rows", "SELECT sha, name FROM blob ORDER BY sha LIMIT 100");
static REFS: Sql = Sql::new("sim.blob_refs", "SELECT sha, owner_id FROM blob_ref ORDER BY sha, owner_id LIMIT 1000");
static GARBAGE: Sql = Sql::new("sim.blob_garbage", "SELECT name FROM blob_garbage ORDER BY name LIMIT 4000");

pub(super) fn committed(tx: &mut dyn Tx) -> StoreResult<Committed> {
    let pair = |row: &base::Row| (row.text(0).to_owned(), row.text(1).to_owned());
    Ok(Committed {
        rows: tx.query(&ROWS, args![], 100)?.iter().map(pair).collect(),
        refs: tx.query(&REFS, args![], 1_000)?.iter().map(pair).collect(),
        garbage: tx.query(&GARBAGE, args![], 4_000)?.len(),
        heard: Some(tx.heard()),
    })
}
