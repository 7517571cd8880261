//! A small service of tasks: each chore is to be done exactly once, whatever happens to whoever does it.
//!
//! Kinds: one that only writes, one in three cycles, one with a call to a partner, one that fails at first, one in a lane, and one
//! that ends the process each time it is begun.

use base::{Call, CallResult, HttpCall, Migration, OpError, OpResult, Row, Sql, StoreResult, Tx, args, codes};
use kernel::{NewTask, Op, OpCx, Plan, ServiceDef, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};

use crate::partner::ONCE;

/// Tries enough that no chore but a poisonous one is ever parked.
const MANY: &[u32] = &[0; 200];
/// A poisonous one is parked after its third try.
const FEW: &[u32] = &[0, 0];
/// Cycles of a chore in steps.
pub const STEPS: i64 = 3;

/// The service.
pub static CHORES: ServiceDef = ServiceDef {
    name: "chores",
    migrations: &[Migration {
        service: "chores",
        version: 1,
        text: "CREATE TABLE chore (key {text} PRIMARY KEY, kind {text} NOT NULL, done {int} NOT NULL, \
               steps {int} NOT NULL) {strict};
               CREATE TABLE chore_lane (lane {text} PRIMARY KEY, last {text} NOT NULL, wrong {int} NOT NULL) {strict};",
    }],
    statements: &[&INSERT, &DONE, &STEP, &IN_LANE, &POISON, &CHORES_ALL, &LANES, &PARKED, &WAITING],
    operations: &[&CREATE],
    tasks: &[
        TaskDef::new("chore.write", write).retrying(MANY),
        TaskDef::new("chore.steps", steps).retrying(MANY).queue(1),
        TaskDef::new("chore.call", call).settled_by(settle).retrying(MANY),
        TaskDef::new("chore.flaky", flaky).retrying(MANY).queue(2),
        TaskDef::new("chore.lane", in_lane).retrying(MANY),
        TaskDef::new("chore.poison", poison).retrying(FEW).queue(1),
    ],
    ..ServiceDef::EMPTY
};

/// What a chore is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// It only writes.
    Write,
    /// It has three cycles.
    Steps,
    /// It calls a partner.
    Call,
    /// Two of three tries fail.
    Flaky,
    /// It is in a lane.
    Lane,
    /// It ends the process.
    Poison,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::Write, Self::Steps, Self::Call, Self::Flaky, Self::Lane, Self::Poison];

    fn op(self) -> &'static str {
        match self {
            Self::Write => "chore.write",
            Self::Steps => "chore.steps",
            Self::Call => "chore.call",
            Self::Flaky => "chore.flaky",
            Self::Lane => "chore.lane",
            Self::Poison => "chore.poison",
        }
    }
}

/// Creates a chore; its key is the natural one, so that a repeat is harmless.
pub static CREATE: Op<NewChore, ()> = Op::new("chore.create", create);

/// A chore to create.
#[derive(Debug, Clone, Deserialize)]
pub struct NewChore {
    /// Its key; keys of one client grow.
    pub key: String,
    /// What it is like.
    pub kind: Kind,
    /// How much later it is to be done.
    pub after_ms: i64,
}

static INSERT: Sql = Sql::new(
    "chore.insert",
    "INSERT INTO chore (key, kind, done, steps) VALUES (?1, ?2, 0, 0) ON CONFLICT (key) DO NOTHING",
);
static DONE: Sql = Sql::new("chore.done", "UPDATE chore SET done = done + 1 WHERE key = ?1");
static STEP: Sql = Sql::new("chore.step", "UPDATE chore SET steps = steps + 1 WHERE key = ?1");
static IN_LANE: Sql = Sql::new(
    "chore.in_lane",
    "INSERT INTO chore_lane (lane, last, wrong) VALUES (?1, ?2, 0) ON CONFLICT (lane) DO UPDATE SET last = ?2, \
     wrong = chore_lane.wrong + CASE WHEN chore_lane.last >= ?2 THEN 1 ELSE 0 END",
);
/// The simulated store ends the process at the commit of whoever runs this.
pub static POISON: Sql = Sql::new("chore.poison", "UPDATE chore SET steps = steps WHERE key = ?1");
static CHORES_ALL: Sql = Sql::new("chore.all", "SELECT key, kind, done, steps FROM chore ORDER BY key LIMIT 4000");
static LANES: Sql =
    Sql::new("chore.lanes", "SELECT lane, wrong FROM chore_lane WHERE wrong > 0 ORDER BY lane LIMIT 100");
static PARKED: Sql = Sql::new(
    "chore.parked",
    "SELECT param, op, COALESCE(report, '') FROM task WHERE start_at >= ?1 AND owner IS NULL ORDER BY id LIMIT 4000",
);

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, new: &NewChore) -> OpResult<()> {
    if tx.execute(&INSERT, args![&new.key, format!("{:?}", new.kind)])? == 0 {
        return Ok(());
    }
    let task = NewTask::new(cx.id(), new.kind.op()).param(serde_json::json!(new.key).to_string());
    let task = if new.after_ms == 0 { task } else { task.after_ms(new.after_ms) };
    let lane = (new.kind == Kind::Lane).then(|| lane_of(&new.key));
    cx.fx.task(NewTask { lane, ..task });
    Ok(())
}

/// Each client has a lane: what it creates is done in the order of its keys.
fn lane_of(key: &str) -> String {
    key.split('-').next().unwrap_or_default().to_owned()
}

fn key(task: &TaskRow) -> String {
    task.param.trim_matches('"').to_owned()
}

fn write(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    tx.write(&DONE, args![key(task)])?;
    Ok(Plan::Done)
}

fn steps(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let step: i64 = task.checkpoint.as_deref().and_then(|at| at.parse().ok()).unwrap_or(0) + 1;
    tx.write(&STEP, args![key(task)])?;
    if step < STEPS {
        return Ok(Plan::Checkpoint(step.to_string()));
    }
    tx.write(&DONE, args![key(task)])?;
    Ok(Plan::Done)
}

fn call(_: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let headers = vec![(ONCE.to_owned(), key(task))];
    let url = "http://partner.example/chores".to_owned();
    let call = HttpCall { method: "POST", url, headers, body: vec![], timeout_ms: 60_000, reply_max: 1_024 };
    Ok(Plan::Call(Call::Http(call)))
}

fn settle(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow, called: &CallResult) -> OpResult<Plan> {
    match called {
        CallResult::Http(reply) if (200..300).contains(&reply.status) => {
            tx.write(&DONE, args![key(task)])?;
            Ok(Plan::Done)
        }
        other => Err(OpError::new(codes::XTARGET, format!("{other:?}"))),
    }
}

fn flaky(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    tx.write(&DONE, args![key(task)])?;
    if task.attempt % 3 != 0 {
        return Err(OpError::new(codes::XUNEXPECTED, "not this time"));
    }
    Ok(Plan::Done)
}

fn in_lane(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let key = key(task);
    tx.write(&IN_LANE, args![lane_of(&key), &key])?;
    tx.write(&DONE, args![&key])?;
    Ok(Plan::Done)
}

fn poison(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    tx.write(&POISON, args![key(task)])?;
    tx.write(&DONE, args![key(task)])?;
    Ok(Plan::Done)
}

/// A chore as it is stored.
#[derive(Debug)]
pub struct Chore {
    /// Its key.
    pub key: String,
    /// What it is like.
    pub kind: String,
    /// How often it was done.
    pub done: i64,
    /// How many cycles it had.
    pub steps: i64,
}

/// All chores.
///
/// # Errors
/// The store failed.
pub fn chores(tx: &mut dyn Tx) -> StoreResult<Vec<Chore>> {
    let chore = |row: &Row| Chore {
        key: row.text(0).to_owned(),
        kind: row.text(1).to_owned(),
        done: row.int(2),
        steps: row.int(3),
    };
    Ok(tx.query(&CHORES_ALL, args![], 4000)?.iter().map(chore).collect())
}

/// Lanes in which something was done out of order.
///
/// # Errors
/// The store failed.
pub fn disordered(tx: &mut dyn Tx) -> StoreResult<Vec<String>> {
    Ok(tx.query(&LANES, args![], 100)?.iter().map(|row| row.text(0).to_owned()).collect())
}

static WAITING: Sql = Sql::new(
    "chore.waiting",
    "SELECT param, op, start_at, attempt, retry, COALESCE(owner, ''), COALESCE(pause_ms, -1), behind FROM task \
     WHERE start_at < ?1 ORDER BY id LIMIT 20",
);

/// Tasks that have not ended, for people.
///
/// # Errors
/// The store failed.
pub fn waiting(tx: &mut dyn Tx) -> StoreResult<Vec<String>> {
    let rows = tx.query(&WAITING, args![kernel::tasks::parked_at()], 20)?;
    Ok(rows.iter().map(|row| format!("{:?}", row.0)).collect())
}

/// Keys of parked chores, with their operation and why.
///
/// # Errors
/// The store failed.
pub fn parked(tx: &mut dyn Tx) -> StoreResult<Vec<(String, String, String)>> {
    let rows = tx.query(&PARKED, args![kernel::tasks::parked_at()], 4000)?;
    let text = |row: &Row, at| row.text(at).trim_matches('"').to_owned();
    Ok(rows.iter().map(|row| (text(row, 0), text(row, 1), text(row, 2))).collect())
}
