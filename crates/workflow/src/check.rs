//! What must hold after every commit: [`INVARIANTS`] whatever was lost before, [`SOUND`] as long as nothing was.

use base::{Sql, StoreResult, Tx, args};
use kernel::{Invariant, Violation};

use crate::graph::Graph;

/// What holds also where rows got lost.
pub(crate) static INVARIANTS: [Invariant; 6] = [
    Invariant { name: "the counts of a graph are those of its text", check: counts },
    Invariant {
        name: "somebody looks after a task in work",
        check: |tx| found(tx, &IN_WORK, "a task in work is looked after by nobody"),
    },
    Invariant {
        name: "a finished process has no open task",
        check: |tx| found(tx, &FINISHED, "a finished process has open tasks"),
    },
    Invariant {
        name: "somebody looks after an open process",
        check: |tx| found(tx, &WATCHED, "an open process is looked after by nobody"),
    },
    Invariant {
        name: "nobody looks after a process that is over",
        check: |tx| found(tx, &OVER, "a process is over and looked after"),
    },
    Invariant {
        name: "no decision is ahead of its task",
        check: |tx| found(tx, &FENCE, "a decision has an attempt that its task never had"),
    },
];

/// What holds where no row ever got lost: a simulator that deletes rows leaves these out.
pub static SOUND: [Invariant; 6] = [
    Invariant {
        name: "what is in a queue is registered there",
        check: |tx| found(tx, &QUEUED, "a place in a queue is nobody's"),
    },
    Invariant {
        name: "what is registered is in its queue",
        check: |tx| found(tx, &REGISTERED, "a registered task is in no queue"),
    },
    Invariant { name: "an open process has its graph", check: |tx| found(tx, &GRAPHS, "a process has no graph") },
    Invariant {
        name: "a broken process has a broken task",
        check: |tx| found(tx, &BROKEN, "a broken process has no broken task"),
    },
    Invariant {
        name: "a process with a broken task is broken",
        check: |tx| found(tx, &UNAWARE, "a broken task has a process that goes on"),
    },
    Invariant {
        name: "every finished task has its decision",
        check: |tx| found(tx, &DONE, "decisions are not as many as finished tasks"),
    },
];

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&COUNTS, &IN_WORK, &FINISHED, &WATCHED, &OVER, &FENCE, &QUEUED, &REGISTERED, &GRAPHS, &BROKEN, &UNAWARE, &DONE];

static COUNTS: Sql =
    Sql::new("wfl_graph.check", "SELECT process, open, ready, done, data FROM wfl_graph ORDER BY process LIMIT 1000");
static IN_WORK: Sql = Sql::new(
    "wfl_decision.check_work",
    "SELECT d.process, d.number FROM wfl_decision d JOIN wfl_process p ON p.id = d.process WHERE d.state = 'WORK' AND d.recovery IS NULL \
     AND p.state IN ('ACTIVE', 'BROKEN') ORDER BY d.process, d.number LIMIT 10",
);
static FINISHED: Sql = Sql::new(
    "wfl_process.check_finished",
    "SELECT p.id, g.open FROM wfl_process p JOIN wfl_graph g ON g.process = p.id WHERE p.state = 'FINISHED' AND g.open > 0 \
     ORDER BY p.id LIMIT 10",
);
static WATCHED: Sql = Sql::new(
    "wfl_process.check_watched",
    "SELECT p.id, 0 FROM wfl_process p LEFT JOIN wfl_graph g ON g.process = p.id WHERE p.state IN ('ACTIVE', 'BROKEN') \
     AND (p.recovery IS NULL OR g.process IS NOT NULL AND g.recovery IS NULL) ORDER BY p.id LIMIT 10",
);
static OVER: Sql = Sql::new(
    "wfl_process.check_over",
    "SELECT p.id, 0 FROM wfl_process p LEFT JOIN wfl_graph g ON g.process = p.id WHERE p.state IN ('FINISHED', 'ABORTED') \
     AND (p.recovery IS NOT NULL OR g.recovery IS NOT NULL) ORDER BY p.id LIMIT 10",
);
static FENCE: Sql = Sql::new(
    "wfl_decision.check_fence",
    "SELECT d.process, d.number FROM wfl_decision d JOIN wfl_task t ON t.process = d.process AND t.number = d.number \
     WHERE d.attempt > t.attempt ORDER BY d.process, d.number LIMIT 10",
);
static QUEUED: Sql = Sql::new(
    "wfl_queue.check",
    "SELECT q.process, q.number FROM wfl_queue q WHERE NOT EXISTS (SELECT 1 FROM wfl_decision d WHERE d.process = q.process \
     AND d.number = q.number AND d.state = 'REGISTERED' AND d.queue = q.queue AND d.queued = q.at) ORDER BY q.process, q.number LIMIT 10",
);
static REGISTERED: Sql = Sql::new(
    "wfl_decision.check_queued",
    "SELECT d.process, d.number FROM wfl_decision d JOIN wfl_process p ON p.id = d.process WHERE d.state = 'REGISTERED' \
     AND p.state IN ('ACTIVE', 'BROKEN') AND d.queue NOT IN ('@signal', '@timer', '@process') AND NOT EXISTS (SELECT 1 FROM wfl_queue q \
     WHERE q.queue = d.queue AND q.at = d.queued AND q.process = d.process AND q.number = d.number) ORDER BY d.process, d.number LIMIT 10",
);
static GRAPHS: Sql = Sql::new(
    "wfl_process.check_graph",
    "SELECT p.id, 0 FROM wfl_process p WHERE p.state IN ('ACTIVE', 'BROKEN') AND NOT EXISTS (SELECT 1 FROM wfl_graph g \
     WHERE g.process = p.id) ORDER BY p.id LIMIT 10",
);
static BROKEN: Sql = Sql::new(
    "wfl_process.check_broken",
    "SELECT p.id, 0 FROM wfl_process p WHERE p.state = 'BROKEN' AND NOT EXISTS (SELECT 1 FROM wfl_decision d WHERE d.process = p.id \
     AND d.broken_at IS NOT NULL) ORDER BY p.id LIMIT 10",
);
static UNAWARE: Sql = Sql::new(
    "wfl_decision.check_broken",
    "SELECT d.process, d.number FROM wfl_decision d JOIN wfl_process p ON p.id = d.process WHERE d.broken_at IS NOT NULL \
     AND p.state NOT IN ('BROKEN', 'ABORTED') ORDER BY d.process, d.number LIMIT 10",
);
static DONE: Sql = Sql::new(
    "wfl_graph.check_done",
    "SELECT g.process, g.done FROM wfl_graph g WHERE g.done <> (SELECT COUNT(*) FROM wfl_decision d WHERE d.process = g.process \
     AND d.state = 'FINISH' AND d.broken_at IS NULL) ORDER BY g.process LIMIT 10",
);

fn found(tx: &mut dyn Tx, sql: &'static Sql, what: &str) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(sql, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("{what}: {} {}", row.text(0), row.int(1)))).collect())
}

fn counts(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&COUNTS, args![], 1_000)?;
    let is_wrong = |row: &&base::Row| {
        let many = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        Graph::read(row.text(4)).map_or(true, |graph| {
            let counted = (many(graph.open.len()), many(graph.ready().count()), many(graph.done.len()));
            counted != (row.int(1), row.int(2), row.int(3))
        })
    };
    Ok(rows
        .iter()
        .filter(is_wrong)
        .map(|row| Violation(format!("the counts of graph {} are wrong", row.text(0))))
        .collect())
}
