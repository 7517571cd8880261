//! Loads and keeps processes with their graphs.

use std::collections::BTreeMap;

use base::mutants::{self, Mutant};
use base::{Heard, OpError, OpResult, Sql, Tx, args, codes};
use kernel::Hint;

use super::{Engine, Note, end_bell};
use crate::decision::next::State as Stands;
use crate::decision::row::Decision;
use crate::engine::end::Made;
use crate::graph::{Ended, Graph, Known, rebuild};
use crate::process::row::{Process, State};
use crate::recovery::{LostGraphs, is_large};
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&FIND, &KEEP, &REMOVE];

static FIND: Sql = Sql::new("wfl_graph.find", "SELECT version, data FROM wfl_graph WHERE process = ?1");
static KEEP: Sql = Sql::new(
    "wfl_graph.keep",
    "INSERT INTO wfl_graph (process, version, recovery, changed, open, ready, done, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
     ON CONFLICT (process) DO UPDATE SET version = excluded.version, recovery = excluded.recovery, changed = excluded.changed, \
     open = excluded.open, ready = excluded.ready, done = excluded.done, data = excluded.data",
);
static REMOVE: Sql = Sql::new("wfl_graph.remove", "DELETE FROM wfl_graph WHERE process = ?1");

/// A process that a transaction works on.
pub(crate) struct Held {
    pub(crate) process: Process,
    pub(crate) graph: Graph,
    version: i64,
    /// The graph is to be kept.
    pub(crate) changed: bool,
    /// The process is to be kept.
    pub(crate) process_changed: bool,
}

/// Times of looks are kept in full seconds, so that many changes in a row leave the index alone.
fn full_second(at: Heard) -> Heard {
    Heard(at.0.div_euclid(1_000).saturating_add(1).saturating_mul(1_000))
}

impl Engine<'_, '_> {
    /// A process with its graph; `None`: there is none.
    pub(crate) fn hold(&mut self, id: &str) -> OpResult<Option<&mut Held>> {
        if !self.held.contains_key(id) {
            let Some(process) = Process::find(self.tx, id)? else { return Ok(None) };
            let held = match kept(self.tx, id)? {
                Some((version, graph)) => Held { process, graph, version, changed: false, process_changed: false },
                None => self.rebuilt(process)?,
            };
            self.held.insert(id.to_owned(), held);
        }
        Ok(self.held.get_mut(id))
    }

    /// A process whose graph was lost, with one made anew.
    fn rebuilt(&mut self, process: Process) -> OpResult<Held> {
        if is_large(self.tx, &process.id)? {
            self.cx.home.memory::<LostGraphs>().tell(&process.id);
            let text = format!("the graph of process {} was lost and is being made anew: try again soon", process.id);
            return Err(OpError::new(codes::XBUSY, text));
        }
        let known = known_of(self.tx, &process.id)?;
        let mut graph = rebuild(&known, self.cx.heard);
        graph.next = graph.next.max(process.first);
        if !process.state.is_over() {
            let text = format!("the graph was lost and made anew from {} tasks", known.len());
            self.note_of(&process.id, None, &Note { kind: "rebuilt", attempt: None, text: &text })?;
            self.touched.insert(process.id.clone());
        }
        Ok(Held { process, graph, version: 0, changed: true, process_changed: false })
    }

    /// Takes in a new process.
    pub(crate) fn begin(&mut self, process: Process, graph: Graph) {
        self.touched.insert(process.id.clone());
        let held = Held { process, graph, version: 0, changed: true, process_changed: false };
        self.held.insert(held.process.id.clone(), held);
    }

    /// Whether somebody works on a process here.
    pub(crate) fn holds(&self, process: &str) -> bool {
        self.held.contains_key(process)
    }

    /// Takes in a process with a graph that was made elsewhere from what it was in this version.
    pub(crate) fn adopt(&mut self, process: Process, graph: Graph, version: i64) {
        self.touched.insert(process.id.clone());
        let held = Held { process, graph, version, changed: true, process_changed: false };
        self.held.insert(held.process.id.clone(), held);
    }

    /// Something became possible in a process.
    pub(crate) fn touch(&mut self, process: &str) {
        self.touched.insert(process.to_owned());
        self.held.get_mut(process).into_iter().for_each(|held| held.changed = true);
    }

    pub(super) fn keep(&mut self, held: Held) -> OpResult<()> {
        let Held { mut process, graph, version, changed, process_changed } = held;
        if process_changed {
            if process.state.is_over() {
                // Something of it may have been missed on the way to its end: nobody needs to look any more.
                process.recovery = None;
            }
            process.save(self.tx)?;
            if process.state != State::Active {
                self.cx.fx.wake(Hint::Changed(end_bell(&process.id)));
            }
        }
        if !changed || (version > 0 && mutants::on(Mutant::WorkflowGraphForgotten)) {
            return Ok(());
        }
        let rules = self.kind(&process.kind)?;
        let is_open = !process.state.is_over();
        let recovery = is_open.then(|| full_second(self.cx.heard.plus_ms(rules.idle_timeout_ms)));
        let many = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (open, ready) = (many(graph.open.len()), many(graph.ready().count()));
        let done = many(graph.done.len());
        let row = args![&process.id, version + 1, recovery, self.cx.heard, open, ready, done, graph.text()];
        Ok(self.tx.write(&KEEP, row)?)
    }

    /// Forgets the graph of a process, which is made anew when somebody asks for it.
    pub(crate) fn drop_graph(&mut self, process: &str) -> OpResult<()> {
        self.held.remove(process);
        Ok(self.tx.write(&REMOVE, args![process])?)
    }
}

/// The graph of a process as it is kept, with its version; `None`: it is lost, or damaged, which is the same: it can be made anew.
pub(crate) fn kept(tx: &mut dyn Tx, process: &str) -> OpResult<Option<(i64, Graph)>> {
    let row = tx.query_one(&FIND, args![process])?;
    Ok(row.and_then(|row| Some((row.int(0), Graph::read(row.text(1)).ok()?))))
}

/// What tasks and decisions tell of a process.
pub(crate) fn known(tasks: &BTreeMap<i64, Task>, decisions: &BTreeMap<i64, Decision>) -> BTreeMap<i64, Known> {
    let mut known: BTreeMap<i64, Known> =
        tasks.iter().map(|(number, task)| (*number, Known { waits: task.waits(), ..Known::default() })).collect();
    for (number, decision) in decisions {
        let broken = decision.broken_at.is_some();
        let is_over = decision.state == Stands::Finish && !broken;
        if is_over {
            // Its result counts also where the task itself is lost.
            known.entry(*number).or_default();
        }
        let Some(task) = known.get_mut(number) else { continue };
        (task.begun, task.broken) = (true, broken);
        let made = Made::read(decision.tasks.as_deref());
        task.ended = is_over.then(|| made.as_other.map_or(Ended::Itself, Ended::As));
    }
    known
}

/// The same of a process, read.
fn known_of(tx: &mut dyn Tx, process: &str) -> OpResult<BTreeMap<i64, Known>> {
    let tasks = Task::of_process(tx, process)?.into_iter().map(|task| (task.id.number, task)).collect();
    let decisions = Decision::of_process(tx, process)?;
    let decisions = decisions.into_iter().map(|decision| (decision.id.number, decision)).collect();
    Ok(known(&tasks, &decisions))
}
