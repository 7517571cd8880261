//! Compares what the server has with what is true: after every commit, and once more when all is calm.

use std::collections::{BTreeMap, BTreeSet};

use base::{Row, Sql, StoreResult, Tx, args};
use kernel::Invariant;

use super::known::Known;
use super::plan::FATAL;

const ROWS: usize = 50_000;

static PROCESSES: Sql = Sql::new(
    "sim.workflow_processes",
    "SELECT id, custom_id, state, value, first, parent, error_class FROM wfl_process ORDER BY id LIMIT 50000",
);
static IDS: Sql = Sql::new("sim.workflow_ids", "SELECT id FROM wfl_process ORDER BY id LIMIT 50000");
static BROKEN: Sql = Sql::new(
    "sim.workflow_broken",
    "SELECT d.process, d.number FROM wfl_decision d JOIN wfl_process p ON p.id = d.process WHERE d.broken_at IS NOT NULL \
     AND p.state = 'BROKEN' ORDER BY d.process, d.number LIMIT 50000",
);
static DECIDED: Sql = Sql::new(
    "sim.workflow_decided",
    "SELECT process, number FROM wfl_decision WHERE process = ?1 ORDER BY number LIMIT 50000",
);
static TIMED: Sql = Sql::new(
    "sim.workflow_timed",
    "SELECT DISTINCT process FROM wfl_task WHERE start_at IS NOT NULL OR actor = '@timer' ORDER BY process LIMIT 50000",
);
static FINISHED: Sql = Sql::new(
    "sim.workflow_finished",
    "SELECT process, number, attempt FROM wfl_decision WHERE state = 'FINISH' ORDER BY process, number LIMIT 50000",
);
static REPAIRS: Sql = Sql::new(
    "sim.workflow_repairs",
    "SELECT process, kind, text FROM wfl_history WHERE source = 'automatic' \
     AND kind IN ('requeued', 'rebuilt', 'restarted', 'applied', 'inconsistent') ORDER BY process, id LIMIT 50000",
);
static JOBS: Sql =
    Sql::new("sim.workflow_jobs", "SELECT number, state, examined FROM wfl_job ORDER BY number LIMIT 50000");

static OPEN: Sql = Sql::new(
    "sim.workflow_open",
    "SELECT id FROM wfl_process WHERE state IN ('ACTIVE', 'BROKEN') ORDER BY id DESC LIMIT 1",
);
static GRAPH: Sql = Sql::new(
    "sim.workflow_graph",
    "SELECT version, recovery, open, ready, done, data FROM wfl_graph WHERE process = ?1",
);
static TASKS: Sql = Sql::new(
    "sim.workflow_tasks",
    "SELECT t.number, t.actor, t.attempt, t.start_at, d.state, d.queue, d.queued, d.recovery, d.ready_at FROM wfl_task t \
     LEFT JOIN wfl_decision d ON d.process = t.process AND d.number = t.number WHERE t.process = ?1 \
     AND (d.state IS NULL OR d.state <> 'FINISH') ORDER BY t.number LIMIT 200",
);

fn task_of(row: &Row) -> String {
    format!("{}.{}", row.text(0), row.int(1))
}

/// All processes.
pub(super) fn ids(tx: &mut dyn Tx) -> StoreResult<Vec<String>> {
    Ok(tx.query(&IDS, args![], ROWS)?.iter().map(|row| row.text(0).to_owned()).collect())
}

/// Tasks that broke their processes.
pub(super) fn broken(tx: &mut dyn Tx) -> StoreResult<Vec<String>> {
    Ok(tx.query(&BROKEN, args![], ROWS)?.iter().map(task_of).collect())
}

/// Tasks of a process that are ready or were.
pub(super) fn decided(tx: &mut dyn Tx, process: &str) -> StoreResult<Vec<String>> {
    Ok(tx.query(&DECIDED, args![process], ROWS)?.iter().map(task_of).collect())
}

/// Processes in which something waits for its time.
pub(super) fn timed(tx: &mut dyn Tx) -> StoreResult<BTreeSet<String>> {
    Ok(tx.query(&TIMED, args![], ROWS)?.iter().map(|row| row.text(0).to_owned()).collect())
}

/// A process as its row has it.
struct Process {
    id: String,
    custom_id: String,
    state: String,
    value: Option<String>,
    first: i64,
    parent: Option<String>,
    error_class: Option<String>,
}

impl Process {
    fn read(row: &Row) -> Self {
        let word = |column: usize| row.opt_text(column).map(str::to_owned);
        Self {
            id: row.text(0).to_owned(),
            custom_id: word(1).unwrap_or_default(),
            state: row.text(2).to_owned(),
            value: word(3),
            first: row.int(4),
            parent: word(5),
            error_class: word(6),
        }
    }

    /// It ended with its value, or is on its way.
    fn check(&self, known: &Known) -> Result<(), String> {
        let wanted = self.custom_id.rsplit("= ").next().unwrap_or_default();
        let told = || format!("process {} `{}`", self.id, self.custom_id);
        match self.state.as_str() {
            "FINISHED" if self.value.as_deref() != Some(wanted) => {
                Err(format!("{} ended with {:?}", told(), self.value))
            }
            "BROKEN" if self.error_class.as_deref() != Some(FATAL) => {
                Err(format!("{} is broken by {:?}", told(), self.error_class))
            }
            "ABORTED" if !self.may_be_aborted(known) => Err(format!("{} is aborted, and nobody asked for it", told())),
            _ => Ok(()),
        }
    }

    fn may_be_aborted(&self, known: &Known) -> bool {
        known.cases.iter().any(|case| case.abort_asked && case.process.as_ref() == Some(&self.id))
    }
}

/// What the server has of processes.
pub(super) struct Seen(Vec<Process>);

/// Looks at all of it.
pub(super) fn seen(tx: &mut dyn Tx) -> StoreResult<Seen> {
    Ok(Seen(tx.query(&PROCESSES, args![], ROWS)?.iter().map(Process::read).collect()))
}

impl Seen {
    /// What holds at any moment.
    pub(super) fn check(&self, known: &Known) -> Result<(), String> {
        self.0.iter().try_for_each(|process| process.check(known))?;
        let mut cases = BTreeMap::new();
        let mut parents = BTreeSet::new();
        for process in &self.0 {
            let twice = match &process.parent {
                Some(parent) => (!parents.insert(parent)).then_some(parent),
                None => cases.insert(&process.custom_id, &process.id).map(|_| &process.custom_id),
            };
            if let Some(twice) = twice {
                return Err(format!("`{twice}` is started twice"));
            }
        }
        for (number, case) in known.cases.iter().enumerate() {
            if case.process.is_some() && cases.get(&case.custom_id(number)).copied() != case.process.as_ref() {
                return Err(format!("case {number} was acknowledged as {:?} and is not there", case.process));
            }
        }
        Ok(())
    }

    /// Processes that are not over.
    pub(super) fn open(&self) -> Vec<String> {
        let open = self.0.iter().filter(|process| process.state == "ACTIVE" || process.state == "BROKEN");
        open.map(|process| format!("{} `{}` {}", process.id, process.custom_id, process.state)).collect()
    }

    /// A value that was accepted stays, unless its process begins anew.
    fn check_accepted(&self, known: &Known, finished: &BTreeMap<String, i64>) -> Result<(), String> {
        let first: BTreeMap<&str, i64> = self.0.iter().map(|process| (process.id.as_str(), process.first)).collect();
        for (task, attempt) in known.accepted() {
            let (process, number) = task.split_once('.').unwrap_or_default();
            let is_of_before = number.parse::<i64>().unwrap_or(0) < first.get(process).copied().unwrap_or(0);
            if known.is_sound(process) && !is_of_before && finished.get(task) != Some(&attempt) {
                let found = finished.get(task);
                return Err(format!("attempt {attempt} of task {task} was accepted, and its result is of {found:?}"));
            }
        }
        Ok(())
    }
}

/// What is looked at now and then: values that were accepted are kept, and nobody repaired what was well.
pub(super) fn check_often(tx: &mut dyn Tx, seen: &Seen, known: &Known) -> StoreResult<Result<(), String>> {
    let finished = tx.query(&FINISHED, args![], ROWS)?;
    let finished = finished.iter().map(|row| (task_of(row), row.int(2))).collect();
    if let Err(wrong) = seen.check_accepted(known, &finished) {
        return Ok(Err(wrong));
    }
    for row in tx.query(&REPAIRS, args![], ROWS)? {
        let (process, kind) = (row.text(0), row.text(1));
        let is_late = kind == "requeued" && known.timed.contains(process);
        if known.is_sound(process) && !is_late {
            return Ok(Err(format!("process {process} was well, and: {kind}, {}", row.text(2))));
        }
    }
    Ok(Ok(()))
}

/// What holds where no row was lost.
pub(super) fn check_sound(tx: &mut dyn Tx, known: &Known, invariant: &Invariant) -> StoreResult<Result<(), String>> {
    let is_hurt = |text: &str| text.split([' ', '.']).any(|word| known.damaged.contains(word));
    let found = (invariant.check)(tx)?.into_iter().find(|violation| !is_hurt(&violation.0));
    Ok(found.map_or(Ok(()), |violation| Err(format!("broken: {}: {}", invariant.name, violation.0))))
}

/// What is known of the first process that is open, for people.
pub(super) fn detail(tx: &mut dyn Tx) -> StoreResult<Vec<String>> {
    let open = tx.query_one(&OPEN, args![])?.map(|row| row.text(0).to_owned()).unwrap_or_default();
    let rows =
        [&GRAPH, &TASKS].into_iter().map(|sql| tx.query(sql, args![&open], 200)).collect::<StoreResult<Vec<_>>>()?;
    Ok(rows.iter().flatten().map(|row| format!("{row:?}")).collect())
}

/// Jobs that are not over.
///
/// # Errors
/// One passes processes again.
pub(super) fn open_jobs(tx: &mut dyn Tx, seen: &Seen) -> StoreResult<Result<Vec<String>, String>> {
    let rows = tx.query(&JOBS, args![], ROWS)?;
    let many = i64::try_from(seen.0.len()).unwrap_or(i64::MAX);
    if let Some(row) = rows.iter().find(|row| row.int(2) > many) {
        return Ok(Err(format!("job {} passed {} of {many} processes", row.int(0), row.int(2))));
    }
    let open = rows.iter().filter(|row| row.text(1) != "DONE");
    Ok(Ok(open.map(|row| format!("job {} is {}", row.int(0), row.text(1))).collect()))
}
