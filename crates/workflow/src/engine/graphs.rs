//! Loads and keeps processes with their graphs.

use std::collections::BTreeMap;

use base::{Heard, OpResult, Sql, Tx, args};

use super::{Engine, Note};
use crate::decision::next::State as Stands;
use crate::decision::row::Decision;
use crate::engine::end::Made;
use crate::graph::{Ended, Graph, Known, rebuild};
use crate::process::row::Process;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&FIND, &KEEP, &REMOVE];

static FIND: Sql = Sql::new("wfl_graph.find", "SELECT version, data FROM wfl_graph WHERE process = ?1");
static KEEP: Sql = Sql::new(
    "wfl_graph.keep",
    "INSERT INTO wfl_graph (process, version, recovery, changed, open, ready, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (process) DO UPDATE SET version = excluded.version, recovery = excluded.recovery, changed = excluded.changed, \
     open = excluded.open, ready = excluded.ready, data = excluded.data",
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
            let held = match self.tx.query_one(&FIND, args![id])? {
                Some(row) => {
                    let graph = Graph::read(row.text(1))?;
                    Held { process, graph, version: row.int(0), changed: false, process_changed: false }
                }
                None => self.rebuilt(process)?,
            };
            self.held.insert(id.to_owned(), held);
        }
        Ok(self.held.get_mut(id))
    }

    /// A process whose graph was lost, with one made anew.
    fn rebuilt(&mut self, process: Process) -> OpResult<Held> {
        let known = known(self.tx, &process.id)?;
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

    /// Something became possible in a process.
    pub(crate) fn touch(&mut self, process: &str) {
        self.touched.insert(process.to_owned());
        self.held.get_mut(process).into_iter().for_each(|held| held.changed = true);
    }

    pub(super) fn keep(&mut self, held: Held) -> OpResult<()> {
        let Held { process, graph, version, changed, process_changed } = held;
        if process_changed {
            process.save(self.tx)?;
        }
        if !changed {
            return Ok(());
        }
        let rules = self.kind(&process.kind)?;
        let is_open = !process.state.is_over();
        let recovery = is_open.then(|| full_second(self.cx.heard.plus_ms(rules.idle_timeout_ms)));
        let many = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (open, ready) = (many(graph.open.len()), many(graph.ready().count()));
        let row = args![&process.id, version + 1, recovery, self.cx.heard, open, ready, graph.text()];
        Ok(self.tx.write(&KEEP, row)?)
    }

    /// Forgets the graph of a process, which is made anew when somebody asks for it.
    pub(crate) fn drop_graph(&mut self, process: &str) -> OpResult<()> {
        self.held.remove(process);
        Ok(self.tx.write(&REMOVE, args![process])?)
    }
}

/// What tasks and decisions tell of a process.
pub(crate) fn known(tx: &mut dyn Tx, process: &str) -> OpResult<BTreeMap<i64, Known>> {
    let tasks = Task::of_process(tx, process)?;
    let mut known: BTreeMap<i64, Known> =
        tasks.iter().map(|task| (task.id.number, Known { waits: task.waits(), ..Known::default() })).collect();
    for decision in Decision::of_process(tx, process)? {
        let Some(task) = known.get_mut(&decision.id.number) else { continue };
        task.begun = true;
        task.broken = decision.broken_at.is_some();
        let made = Made::read(decision.tasks.as_deref());
        let is_over = decision.state == Stands::Finish && !task.broken;
        task.ended = is_over.then(|| made.as_other.map_or(Ended::Itself, Ended::As));
    }
    Ok(known)
}
