//! Takes tasks for lost (KER-18, KER-23): their node's lease ended or it started anew, or nobody knows of them any more. The
//! attempt stays, so that a late good end is accepted until the next claim.

use base::mutants::{self, Mutant};
use base::{Id, OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use super::fail::AGAIN;
use super::kind::Minutes;
use super::node;
use super::park::park;
use super::row::{Task, columns};
use super::schedule::{After, after_loss};
use super::{tally, unique};
use crate::cx::OpCx;
use crate::op::{Op, Query};
use crate::wake::Hint;

/// Tasks that one operation takes for lost.
pub const LOSE_MAX: u32 = 200;

/// Takes tasks for lost; call it again while it says that it took [`LOSE_MAX`].
pub static LOSE: Op<Lose, Lost> = Op::new("task.lose", lose).ending();
/// Claimed tasks whose time is over.
pub static OVERDUE: Query<(), Vec<Id>> = Query::new("task.overdue", overdue);
/// Tasks that a node has claimed.
pub static OWNED: Query<String, Vec<(Id, i64)>> = Query::new("task.owned", owned);

/// Which tasks.
#[derive(Debug, Clone)]
pub struct Lose {
    /// Those.
    pub which: Which,
    /// How often each operation is tried.
    pub minutes: Minutes,
}

/// Which tasks are lost.
#[derive(Debug, Clone)]
pub enum Which {
    /// Those of a node whose lease is over.
    OfNode(String),
    /// One whose time is over, whoever has it.
    Overdue(Id),
    /// One that we own by the store and know nothing of.
    Forgotten(Id, i64),
}

/// How many were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// So many.
    pub count: u32,
}

pub(super) static OF_NODE: Sql = Sql::new(
    "task.of_node",
    concat!("SELECT ", columns!(), " FROM task WHERE owner = ?1 ORDER BY owner, lost_at LIMIT ?2"),
);
pub(super) static ONE_OVERDUE: Sql =
    Sql::new("task.one_overdue", concat!("SELECT ", columns!(), " FROM task WHERE id = ?1 AND lost_at <= ?2"));
pub(super) static ALL_OVERDUE: Sql = Sql::new(
    "task.all_overdue",
    "SELECT id FROM task WHERE owner IS NOT NULL AND lost_at <= ?1 ORDER BY owner, lost_at LIMIT ?2",
);
pub(super) static OWNED_BY: Sql =
    Sql::new("task.owned_by", "SELECT id, attempt FROM task WHERE owner = ?1 ORDER BY owner, lost_at LIMIT ?2");

fn overdue(tx: &mut dyn Tx, (): &()) -> OpResult<Vec<Id>> {
    let rows = tx.query(&ALL_OVERDUE, args![tx.heard(), LOSE_MAX], LOSE_MAX as usize)?;
    Ok(rows.iter().map(|row| row.id(0)).collect())
}

/// More than this a node never has: its workers and its calls.
const OWNED_MAX: u32 = 4_000;

fn owned(tx: &mut dyn Tx, owner: &String) -> OpResult<Vec<(Id, i64)>> {
    let rows = tx.query(&OWNED_BY, args![owner, OWNED_MAX], OWNED_MAX as usize)?;
    Ok(rows.iter().map(|row| (row.id(0), row.int(1))).collect())
}

fn lose(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Lose) -> OpResult<Lost> {
    let lost = match &input.which {
        Which::OfNode(node) if !node::is_over(tx, node, cx.heard)? => vec![],
        Which::OfNode(node) => tx.query(&OF_NODE, args![node, LOSE_MAX], LOSE_MAX as usize)?,
        Which::Overdue(id) => tx.query(&ONE_OVERDUE, args![*id, cx.heard], 1)?,
        Which::Forgotten(id, attempt) => tx.query(&super::fail::HELD, args![*id, *attempt], 1)?,
    };
    let count = u32::try_from(lost.len()).unwrap_or(u32::MAX);
    lost.iter().try_for_each(|row| lose_one(tx, cx, &Task::read(row), input))?;
    if let Which::OfNode(node) = &input.which
        && count < LOSE_MAX
    {
        node::forget(tx, node, cx.heard)?;
    }
    Ok(Lost { count })
}

fn lose_one(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, input: &Lose) -> OpResult<()> {
    let why = match &input.which {
        Which::OfNode(node) => format!("node {node} ended while it ran"),
        Which::Overdue(_) => "nobody heard of it for too long".into(),
        Which::Forgotten(..) => "its node lost track of it".into(),
    };
    if mutants::on(Mutant::LossNotCounted) {
        let args = args![task.id, task.attempt, cx.wall.plus_ms(1), 1];
        return Ok(tx.write(&super::release::GIVE_BACK, args)?);
    }
    match after_loss(task, input.minutes.of(task), cx.wall) {
        After::Parked => park(tx, cx, task, "LOST", &why),
        After::Again(at) => {
            unique::make_way(tx, task)?;
            tx.write(&AGAIN, args![task.id, task.attempt, at, "LOST", &why, at.0 - cx.wall.0])?;
            tally::count(cx, task, tally::FAILED);
            cx.fx.wake(Hint::Tasks { queue: task.queue, start_at: at });
            Ok(())
        }
    }
}
