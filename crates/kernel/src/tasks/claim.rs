//! Claims tasks (KER-18): one commit, which raises the attempt before the work runs (KER-44). What it finds is locked until then, and
//! what others have locked it passes over. A node whose lease is over claims nothing, and a suspended queue gives nothing.

use base::mutants::{self, Mutant};
use base::{Id, OpResult, Row, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use super::row::{Task, columns};
use super::tally;
use crate::cx::OpCx;
use crate::op::Op;

/// Claims some tasks of a queue that are due, oldest first.
pub static CLAIM: Op<Claim, Claimed> = Op::new("task.claim", claim).claiming().ending();

/// Which tasks, and for whom.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of this queue.
    pub queue: i64,
    /// At most so many.
    pub count: u32,
    /// The node that will run them.
    pub owner: String,
    /// After how long they are taken for lost.
    pub lost_ms: i64,
    /// Only of these kinds, while the store takes nothing else.
    #[serde(skip)]
    pub only: Option<Vec<&'static str>>,
    /// These before all others, also before their time; while the store takes nothing else they are passed over, and begin at their time.
    #[serde(skip)]
    pub named: Vec<Named>,
}

/// A task that somebody asks for by name. It is begun before its time if it waits for its first run: one that failed keeps its pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// Its kind: whoever knows an id may not begin others.
    pub op: &'static str,
    /// The task.
    pub id: Id,
}

/// Claimed tasks, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claimed {
    /// The tasks.
    pub tasks: Vec<Task>,
}

/// The texts that find due tasks, by how many at most. With the number as a parameter PostgreSQL would plan every claim anew,
/// which costs more than the claim itself where many tasks wait.
macro_rules! find {
    ($($limit:literal)+) => {
        [$(($limit, Sql::new(
            concat!("task.find_due_", $limit),
            concat!(
                "SELECT ",
                columns!(),
                " FROM task WHERE owner IS NULL AND behind = 0 AND queue = ?1 AND start_at <= ?2 \
                 AND NOT EXISTS (SELECT 1 FROM task_queue WHERE queue IN (-1, ?1)) \
                 AND EXISTS (SELECT 1 FROM node WHERE node.id = ?3 AND until > ?4) \
                 ORDER BY start_at, id LIMIT ",
                $limit,
                " /*pg FOR UPDATE SKIP LOCKED */"
            ),
        ))),+]
    };
}

pub(super) static FIND: [(usize, Sql); 7] = find!(1 2 4 8 16 32 64);

/// The oldest due task of one kind: for the few kinds that run while the disk is full.
pub(super) static FIND_OF_KIND: Sql = Sql::new(
    "task.find_due_of_kind",
    concat!(
        "SELECT ",
        columns!(),
        " FROM task WHERE op = ?5 AND owner IS NULL AND behind = 0 AND queue = ?1 AND start_at <= ?2 \
         AND NOT EXISTS (SELECT 1 FROM task_queue WHERE queue IN (-1, ?1)) \
         AND EXISTS (SELECT 1 FROM node WHERE node.id = ?3 AND until > ?4) \
         ORDER BY start_at, id LIMIT 1 /*pg FOR UPDATE SKIP LOCKED */"
    ),
);

/// One that is asked for by name. What else it must be is said so that only the primary key can find it: a plan that was made
/// while the table was empty might take one of the other indexes, and read all of it later.
pub(super) static FIND_NAMED: Sql = Sql::new(
    "task.find_named",
    concat!(
        "SELECT ",
        columns!(),
        " FROM task WHERE id = ?4 AND op || '' = ?5 AND attempt = 0 AND COALESCE(owner, '') = '' AND behind + 0 = 0 \
         AND queue + 0 = ?1 \
         AND NOT EXISTS (SELECT 1 FROM task_queue WHERE queue IN (-1, ?1)) \
         AND EXISTS (SELECT 1 FROM node WHERE node.id = ?2 AND until > ?3) /*pg FOR UPDATE SKIP LOCKED */"
    ),
);

/// The text for the most tasks that are not more than `count`, and how many that are.
fn fitting(count: usize) -> &'static (usize, Sql) {
    FIND.iter().rev().find(|(limit, _)| *limit <= count).unwrap_or(&FIND[0])
}

/// As many as one claim may ask for: not more than `count`.
pub(super) fn fit(count: usize) -> usize {
    fitting(count).0
}

pub(super) static TAKE: Sql = Sql::new(
    "task.claim",
    "UPDATE task SET start_time = ?2, owner = ?3, lost_at = ?4, attempt = attempt + 1, exc = NULL WHERE id = ?1",
);

/// Finds and locks, then writes. One `UPDATE … WHERE id IN (SELECT …)` would say the same, but leaves PostgreSQL to choose how
/// to join: with a plan made while the table was small it reads the whole table, two seconds where a million tasks wait.
/// Here each statement has one index that fits, whatever the planner believes. The writes travel with the COMMIT.
pub(super) fn claim(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Claim) -> OpResult<Claimed> {
    let found = find(tx, cx, input)?;
    let lost_at = cx.heard.plus_ms(input.lost_ms);
    let mut tasks = Vec::with_capacity(found.len());
    for row in &found {
        let task = Task::read(row);
        tx.write(&TAKE, args![task.id, cx.wall, &input.owner, lost_at])?;
        if mutants::on(Mutant::RowGoneAtClaim) {
            tx.write(&super::end::END_UNFENCED, args![task.id])?;
        }
        tally::count(cx, &task, tally::BEGUN);
        tasks.push(taken(task, cx.wall, &input.owner));
    }
    Ok(Claimed { tasks })
}

fn find(tx: &mut dyn Tx, cx: &OpCx<'_>, input: &Claim) -> OpResult<Vec<Row>> {
    let Some(kinds) = &input.only else {
        return find_all(tx, cx, input);
    };
    let mut found = vec![];
    for kind in kinds {
        if found.len() < input.count as usize {
            found.extend(tx.query_one(&FIND_OF_KIND, args![input.queue, cx.wall, &input.owner, cx.heard, *kind])?);
        }
    }
    Ok(found)
}

/// Those that are asked for by name, then those that are due. As many of these are looked for as if nobody had been asked for, because the
/// dispatcher takes a claim that is not full for the end of its queue, and the sizes of the texts do not fill every gap.
fn find_all(tx: &mut dyn Tx, cx: &OpCx<'_>, input: &Claim) -> OpResult<Vec<Row>> {
    let (mut found, count) = (find_named(tx, cx, input)?, input.count as usize);
    if found.len() < count {
        let (limit, sql) = fitting(count);
        let due = tx.query(sql, args![input.queue, cx.wall, &input.owner, cx.heard], *limit)?;
        let ids: Vec<Id> = found.iter().map(|row| Task::read(row).id).collect();
        found.extend(due.into_iter().filter(|row| !ids.contains(&Task::read(row).id)));
        found.truncate(count);
    }
    Ok(found)
}

fn find_named(tx: &mut dyn Tx, cx: &OpCx<'_>, input: &Claim) -> OpResult<Vec<Row>> {
    if input.named.is_empty() {
        return Ok(vec![]);
    }
    let mut named = input.named.clone();
    named.sort_unstable_by_key(|named| named.id);
    named.dedup();
    let sets: Vec<_> =
        named.iter().map(|named| args![input.queue, &input.owner, cx.heard, named.id, named.op].to_vec()).collect();
    Ok(tx.query_each(&FIND_NAMED, &sets)?.into_iter().flatten().collect())
}

/// The row as it was written.
fn taken(task: Task, start_time: Wall, owner: &str) -> Task {
    let (start_time, owner) = (Some(start_time), Some(owner.to_owned()));
    Task { start_time, owner, attempt: task.attempt + 1, exc: None, ..task }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_16_a_claim_asks_for_no_more_than_there_are_free_workers() {
        let sizes: Vec<usize> = [1, 2, 3, 4, 7, 8, 63, 64, 1_000].map(fit).into();
        assert_eq!(sizes, [1, 2, 2, 4, 4, 8, 32, 64, 64]);
    }
}
