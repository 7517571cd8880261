//! Rows get lost while everybody works (WFL-25): of queues, decisions and graphs, and of tasks where a type may begin anew; a single one, or
//! a whole table.

use base::{Sql, StoreResult, Tx, args};
use kernel::Op;

use super::judge;
use super::known::Known;
use super::line::Line;
use crate::sim::{Asker, News, Sim};

/// Rows of a table, and how one of them is lost. A signal that was taken is nowhere else: it cannot be told again.
static TABLES: [(Sql, Sql); 4] = [
    (
        Sql::new("sim.wfl_queues", "SELECT process, number FROM wfl_queue ORDER BY process, number LIMIT 50000"),
        Sql::new(
            "sim.wfl_lose_queue",
            "DELETE FROM wfl_queue WHERE (process = ?1 OR ?1 = '') AND (number = ?2 OR ?1 = '')",
        ),
    ),
    (
        Sql::new("sim.wfl_decisions", "SELECT process, number FROM wfl_decision ORDER BY process, number LIMIT 50000"),
        Sql::new(
            "sim.wfl_lose_decision",
            "DELETE FROM wfl_decision WHERE (process = ?1 OR ?1 = '') AND (number = ?2 OR ?1 = '') \
             AND NOT (queue = '@signal' AND state = 'FINISH')",
        ),
    ),
    (
        Sql::new("sim.wfl_graphs", "SELECT process, 0 FROM wfl_graph ORDER BY process LIMIT 50000"),
        Sql::new("sim.wfl_lose_graph", "DELETE FROM wfl_graph WHERE (process = ?1 OR ?1 = '') AND ?2 = 0"),
    ),
    (
        Sql::new(
            "sim.wfl_tasks",
            "SELECT t.process, t.number FROM wfl_task t JOIN wfl_process p ON p.id = t.process WHERE p.type = 'again' \
             ORDER BY t.process, t.number LIMIT 50000",
        ),
        Sql::new(
            "sim.wfl_lose_task",
            "DELETE FROM wfl_task WHERE (process = ?1 OR ?1 = '') AND (number = ?2 OR ?1 = '') AND process IN (SELECT p.id \
             FROM wfl_process p WHERE p.type = 'again')",
        ),
    ),
];

/// Loses a row of a table; with no process: all of them.
static LOSE: Op<(usize, String, i64), u64> = Op::new("sim.workflow_lose", |tx, _, (table, process, number)| {
    Ok(tx.execute(&TABLES[*table].1, args![process, *number])?)
});

/// Whoever loses rows.
pub(super) struct Damage {
    line: Line,
}

impl Damage {
    pub(super) fn new(line: Line) -> Self {
        Self { line }
    }

    pub(super) fn act(&mut self, asker: Asker, known: &mut Known, sim: &mut Sim) {
        if !self.line.is_now(asker) || !known.loses || known.calm {
            return;
        }
        let lost = known.is_ready.then(|| choose(known, sim)).flatten();
        match lost {
            Some(lost) => self.line.ask(&LOSE, lost, None, sim),
            None => self.line.rest(3_000_000, sim),
        }
    }

    pub(super) fn hear(&mut self, asker: Asker, news: News, known: &mut Known, sim: &mut Sim) {
        if self.line.heard(asker, news, known).is_some() {
            let pause_us = sim.rng.within(1_000_000, 12_000_000);
            self.line.rest(pause_us, sim);
        }
    }
}

/// What gets lost next; who has it is known before.
fn choose(known: &mut Known, sim: &mut Sim) -> Option<(usize, String, i64)> {
    let table = usize::try_from(sim.rng.below(4)).unwrap_or(0);
    if sim.rng.once_in(12) {
        let all = sim.look(judge::ids)?.ok()?;
        known.damaged.extend(all);
        known.all_damaged = true;
        return Some((table, String::new(), 0));
    }
    let rows = sim.look(|tx| rows(tx, table))?.ok()?;
    let (process, number) = (!rows.is_empty()).then(|| sim.rng.pick(&rows).clone())?;
    known.damaged.insert(process.clone());
    Some((table, process, number))
}

fn rows(tx: &mut dyn Tx, table: usize) -> StoreResult<Vec<(String, i64)>> {
    let rows = tx.query(&TABLES[table].0, args![], 50_000)?;
    Ok(rows.iter().map(|row| (row.text(0).to_owned(), row.int(1))).collect())
}
