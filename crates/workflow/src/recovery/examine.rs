//! Examines a process: its graph is compared with tasks and decisions (`mend`), and each of its ready tasks is judged (`judge`). Nothing
//! is changed, so it runs in the transaction that repairs, or, for a process of many tasks, in a read before it.

use std::collections::{BTreeMap, BTreeSet};

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, Wall, args};

use super::judge::{Finding, Seen, Stands, Wait, judge};
use super::mend::{Change, Fact, Mended, mend};
use crate::actors::polled::{self, Polls};
use crate::decision::next::State;
use crate::decision::row::{self, Decision};
use crate::engine::{Made, kept, known};
use crate::graph::{Ended, Graph, rebuild};
use crate::names::{PROCESS, SIGNAL, TIMER, TaskId, is_own, queue};
use crate::process::row::Process;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&TASKS];

static TASKS: Sql = Sql::new("wfl_task.count", "SELECT COUNT(*) FROM wfl_task WHERE process = ?1");

/// Tasks of a process that is examined in the transaction that repairs it; one of more is read before.
pub(super) const SMALL: i64 = 1_000;
/// Tasks that are repaired at once; the next look finds the others.
pub(super) const AT_ONCE: usize = 200;
/// How late the calendar of the kernel may be before we look ourselves.
pub(crate) const CALENDAR_GRACE_MS: i64 = 60_000;

/// What should have begun by this moment of the calendar is late.
pub(super) fn calendar_due(wall: Wall) -> Wall {
    wall.plus_ms(-CALENDAR_GRACE_MS)
}

/// What was found of a process.
#[derive(Debug, Clone)]
pub(crate) struct Examined {
    pub(super) process: Process,
    /// The version of the graph that was found; `None`: it is lost.
    pub(super) version: Option<i64>,
    /// The graph as it should be.
    pub(super) graph: Graph,
    /// What the graph says is to be done.
    pub(super) changes: BTreeMap<i64, Change>,
    /// What is found of each ready task that the graph says nothing more of.
    pub(super) findings: BTreeMap<i64, Finding>,
}

impl Examined {
    /// Something is to be repaired.
    pub(crate) fn is_ill(&self) -> bool {
        self.version.is_none() || !self.changes.is_empty() || self.is_done() || self.ill().next().is_some()
    }

    /// All tasks are done, and the process does not know.
    pub(super) fn is_done(&self) -> bool {
        self.graph.open.is_empty()
    }

    pub(super) fn ill(&self) -> impl Iterator<Item = (i64, Finding)> {
        self.findings.iter().filter(|(_, finding)| finding.is_ill()).map(|(number, finding)| (*number, *finding))
    }

    /// A task that is named and not there.
    pub(super) fn missing(&self) -> Option<i64> {
        self.changes.iter().find(|(_, change)| **change == Change::Missing).map(|(number, _)| *number)
    }

    /// What would be repaired, for people.
    pub(crate) fn told(&self) -> Vec<(Option<i64>, &'static str)> {
        let lost = self.version.is_none().then_some((None, "the graph was lost and is made anew"));
        let done = (self.is_done() && self.version.is_some())
            .then_some((None, "all tasks are done and the process is not finished"));
        let changes = self.changes.iter().map(|(number, change)| (Some(*number), change.words().1));
        let ill = self.ill().map(|(number, finding)| (Some(number), finding.text()));
        lost.into_iter().chain(done).chain(changes).chain(ill).collect()
    }
}

/// Whether a process has so many tasks that it is read before it is repaired.
pub(crate) fn is_large(tx: &mut dyn Tx, process: &str) -> OpResult<bool> {
    Ok(tx.query_one(&TASKS, args![process])?.is_some_and(|row| row.int(0) > SMALL))
}

/// Examines a process that is not over; `None`: it is, or there is none.
pub(crate) fn examine(tx: &mut dyn Tx, polls: &Polls, id: &str, wall: Wall) -> OpResult<Option<Examined>> {
    let now = tx.heard();
    let Some(process) = Process::find(tx, id)?.filter(|process| !process.state.is_over()) else { return Ok(None) };
    let tasks: BTreeMap<i64, Task> = Task::of_process(tx, id)?.into_iter().map(|task| (task.id.number, task)).collect();
    let decisions: BTreeMap<i64, Decision> =
        Decision::of_process(tx, id)?.into_iter().map(|decision| (decision.id.number, decision)).collect();
    let (version, graph) = match kept(tx, id)? {
        Some((version, graph)) => (Some(version), graph),
        None => (None, rebuild(&known(&tasks, &decisions), now)),
    };
    let facts = facts(&tasks, &decisions);
    let Mended { graph, changes } = mend(&graph, &facts, process.first, now, AT_ONCE);
    let mut sight = Sight { tx, polls, wall, now, queues: BTreeMap::new() };
    let mut findings = BTreeMap::new();
    for (number, ready) in graph.ready().filter(|(number, _)| !changes.contains_key(number)) {
        let finding = sight.judge(&TaskId::new(id, number), ready, tasks.get(&number), decisions.get(&number))?;
        findings.insert(number, finding);
    }
    Ok(Some(Examined { process, version, graph, changes, findings }))
}

fn facts(tasks: &BTreeMap<i64, Task>, decisions: &BTreeMap<i64, Decision>) -> BTreeMap<i64, Fact> {
    let numbers: BTreeSet<i64> = tasks.keys().chain(decisions.keys()).copied().collect();
    numbers.into_iter().map(|number| (number, fact(tasks.get(&number), decisions.get(&number)))).collect()
}

fn fact(task: Option<&Task>, decision: Option<&Decision>) -> Fact {
    let made = Made::read(decision.and_then(|decision| decision.tasks.as_deref()));
    let is_over = decision.is_some_and(|decision| decision.state == State::Finish);
    let broken = decision.is_some_and(|decision| decision.broken_at.is_some());
    Fact {
        has_task: task.is_some(),
        waits: task.map(Task::waits).unwrap_or_default(),
        promises: task.map(|task| task.args.promises()).unwrap_or_default(),
        begun: decision.is_some(),
        in_work: decision.is_some_and(|decision| decision.state == State::Work),
        ended: (is_over && !broken).then(|| made.as_other.map_or(Ended::Itself, Ended::As)),
        broken,
        made: made.made,
    }
}

/// Looks at single tasks.
pub(super) struct Sight<'a> {
    pub(super) tx: &'a mut dyn Tx,
    pub(super) polls: &'a Polls,
    pub(super) wall: Wall,
    pub(super) now: Heard,
    /// Up to when queues were handed out, each read once.
    pub(super) queues: BTreeMap<String, Option<Heard>>,
}

impl Sight<'_> {
    /// What is found of a ready task.
    pub(super) fn judge(
        &mut self,
        id: &TaskId,
        ready: Heard,
        task: Option<&Task>,
        decision: Option<&Decision>,
    ) -> OpResult<Finding> {
        let is_registered = decision.is_some_and(|decision| decision.state == State::Registered);
        let own_queue = task.map(|task| queue(&task.actor, &task.list)).unwrap_or_default();
        let name = decision.map_or(own_queue.as_str(), |decision| decision.queue.as_str());
        let is_own = task.is_some_and(|task| is_own(&task.actor));
        let is_queued = match decision.filter(|_| is_registered && !is_own) {
            Some(decision) => row::is_queued(self.tx, &decision.queue, decision.queued, id)?,
            None => false,
        };
        let up_to = if is_own { None } else { self.up_to(name)? };
        let waits = task.map(|task| self.waits(task, decision)).transpose()?.flatten();
        let stands = |found: &Decision| Stands {
            state: found.state,
            queued: found.queued,
            restarted: found.restarted,
            until: found.recovery,
        };
        let seen =
            Seen { ready, has_task: task.is_some(), is_own, decision: decision.map(stands), is_queued, up_to, waits };
        Ok(judge(&seen, self.now))
    }

    fn up_to(&mut self, queue: &str) -> OpResult<Option<Heard>> {
        if let Some(known) = self.queues.get(queue) {
            return Ok(*known);
        }
        let found = polled::up_to(self.tx, self.polls, queue)?;
        self.queues.insert(queue.to_owned(), found);
        Ok(found)
    }

    /// What a task waits for that is no worker.
    fn waits(&mut self, task: &Task, decision: Option<&Decision>) -> OpResult<Option<Wait>> {
        let is_begun = decision.is_some();
        if mutants::on(Mutant::WorkflowTimerLost) && ((task.start_at.is_some() && !is_begun) || task.actor == TIMER) {
            return Ok(Some(Wait::Time));
        }
        let not_before = task.start_at.filter(|_| !is_begun);
        if not_before.is_some_and(|at| at.plus_ms(CALENDAR_GRACE_MS) > self.wall) {
            return Ok(Some(Wait::Time));
        }
        Ok(match (task.actor.as_str(), decision) {
            (SIGNAL, Some(_)) => Some(Wait::Signal),
            (TIMER, Some(decision)) => {
                let pause_ms = task.pause_ms().unwrap_or(0);
                (decision.ready_at.plus_ms(pause_ms).plus_ms(CALENDAR_GRACE_MS) > self.wall).then_some(Wait::Time)
            }
            (PROCESS, Some(_)) => self.is_child_open(task)?.then_some(Wait::Process),
            _ => None,
        })
    }

    /// Whether the process that a task stands for goes on.
    fn is_child_open(&mut self, task: &Task) -> OpResult<bool> {
        let Some((id, ..)) = Process::by_key(self.tx, &task.method, &format!("@{}", task.id))? else {
            return Ok(false);
        };
        Ok(Process::find(self.tx, &id)?.is_some_and(|child| !child.state.is_over()))
    }
}
