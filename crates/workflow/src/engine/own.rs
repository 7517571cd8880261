//! What the server does itself (WFL-9): tasks that end with a signal, at a time, or with a process of their own.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, args};

use super::{Engine, Outcome};
use crate::decision::next::State as Stands;
use crate::decision::row::Decision;
use crate::names::{PROCESS, SIGNAL, TIMER, TaskId, is_own};
use crate::process::row::{Process, State};
use crate::process::start::{ChildStart, new_process};
use crate::recovery::CALENDAR_GRACE_MS;
use crate::task::ErrorForm;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&KEEP_SIGNAL, &FIRST_SIGNAL, &DROP_SIGNAL, &DROP_SIGNALS];

static KEEP_SIGNAL: Sql =
    Sql::new("wfl_signal.keep", "INSERT INTO wfl_signal (process, name, id, value) VALUES (?1, ?2, ?3, ?4)");
static FIRST_SIGNAL: Sql = Sql::new(
    "wfl_signal.first",
    "SELECT id, value FROM wfl_signal WHERE process = ?1 AND name = ?2 ORDER BY id LIMIT 1",
);
static DROP_SIGNAL: Sql =
    Sql::new("wfl_signal.drop", "DELETE FROM wfl_signal WHERE process = ?1 AND name = ?2 AND id = ?3");
static DROP_SIGNALS: Sql = Sql::new("wfl_signal.drop_all", "DELETE FROM wfl_signal WHERE process = ?1");

impl Engine<'_, '_> {
    /// A task of the server's own is ready, and its time has come.
    pub(super) fn begin_own(&mut self, task: &Task) -> OpResult<()> {
        match task.actor.as_str() {
            TIMER => self.begin_timer(task),
            SIGNAL => self.begin_signal(task),
            PROCESS => self.begin_child(task),
            other => {
                self.end_own(task, Err(ErrorForm::new("UnknownActor", format!("the server has no actor {other}"))))
            }
        }
    }

    /// The time of a task has come.
    pub(crate) fn begin_now(&mut self, id: &TaskId) -> OpResult<()> {
        let Some(task) = self.task(id)? else { return self.miss(id) };
        let is_open = self.hold(&id.process)?.is_some_and(|held| {
            let item = held.graph.open.get(&id.number);
            !held.process.state.is_over() && item.is_some_and(|item| item.ready.is_some() && !item.broken)
        });
        match is_open {
            true if is_own(&task.actor) => self.begin_own(&task),
            true if Decision::find(self.tx, id)?.is_none() => {
                self.touch(&id.process);
                self.queue_up(&task, None)
            }
            _ => Ok(()),
        }
    }

    /// Ends it with a value or an error; a task that ended before stays as it is.
    pub(crate) fn end_own(&mut self, task: &Task, result: Result<&str, ErrorForm>) -> OpResult<()> {
        let decision = Decision::find(self.tx, &task.id)?;
        if decision.as_ref().is_some_and(|decision| decision.state == Stands::Finish) {
            return Ok(());
        }
        let Some(held) = self.hold(&task.id.process)? else { return Ok(()) };
        if held.process.state.is_over() {
            return Ok(());
        }
        let outcome = match result {
            Ok(value) => Outcome::Value(value, None),
            Err(error) => Outcome::Error(error),
        };
        self.end(task, decision.as_ref(), task.attempt, outcome)
    }

    /// A timer waits so long as its argument says, if it says anything; from when it is ready.
    fn begin_timer(&mut self, task: &Task) -> OpResult<()> {
        let pause_ms = task.pause_ms();
        let since = Decision::find(self.tx, &task.id)?.map(|decision| decision.ready_at);
        match (pause_ms, since) {
            (Some(ms), None) if ms > 0 => {
                self.wait(task, Some(ms.saturating_add(CALENDAR_GRACE_MS)))?;
                self.begin_at(&task.id, self.cx.wall.plus_ms(ms))
            }
            _ => self.end_own(task, Ok("null")),
        }
    }

    /// Its decision is REGISTERED and in no queue: something else than a worker ends it. If that should happen within some time, somebody
    /// looks then.
    fn wait(&mut self, task: &Task, within_ms: Option<i64>) -> OpResult<()> {
        let rules = crate::decision::next::ActorRules::default().for_task(task.timeout_ms);
        let until = rules.queued_until(self.cx.heard).into_iter();
        let until = until.chain(within_ms.map(|ms| self.cx.heard.plus_ms(ms))).min();
        Decision::insert(self.tx, &task.id, (&task.actor, 0), (self.cx.heard, until), self.cx.wall)
    }

    fn begin_signal(&mut self, task: &Task) -> OpResult<()> {
        let (process, name) = (&task.id.process, &task.method);
        match self.tx.query_one(&FIRST_SIGNAL, args![process, name])? {
            Some(row) => {
                if !mutants::on(Mutant::WorkflowSignalKept) {
                    self.tx.write(&DROP_SIGNAL, args![process, name, row.text(0)])?;
                }
                self.end_own(task, Ok(row.text(1)))
            }
            None => self.wait(task, None),
        }
    }

    /// A signal came: whoever waits for it ends with it, else it is kept for who will.
    pub(crate) fn signal(&mut self, process: &str, name: &str, value: &str) -> OpResult<()> {
        for number in self.ready_numbers(process)? {
            let task = self.task(&TaskId::new(process, number))?;
            if let Some(task) = task.filter(|task| task.actor == SIGNAL && task.method == name) {
                return self.end_own(&task, Ok(value));
            }
        }
        let id = self.cx.id();
        Ok(self.tx.write(&KEEP_SIGNAL, args![process, name, id, value])?)
    }

    fn ready_numbers(&mut self, process: &str) -> OpResult<Vec<i64>> {
        Ok(self.hold(process)?.map_or(vec![], |held| held.graph.ready().map(|(number, _)| number).collect()))
    }

    /// Forgets the signals of a process.
    pub(crate) fn drop_signals(&mut self, process: &str) -> OpResult<()> {
        Ok(self.tx.write(&DROP_SIGNALS, args![process])?)
    }

    /// Starts the process that a task stands for; one that was started before goes on.
    fn begin_child(&mut self, task: &Task) -> OpResult<()> {
        let mut key = format!("@{}", task.id);
        if mutants::on(Mutant::WorkflowChildTwice) {
            key += &self.cx.id().to_string();
        }
        if let Some((id, ..)) = Process::by_key(self.tx, &task.method, &key)? {
            let child = Process::get(self.tx, &id)?;
            return if child.state.is_over() { self.end_parent(&task.id, &child) } else { self.wait(task, None) };
        }
        match ChildStart::of(task) {
            Ok(start) => {
                self.wait(task, None)?;
                new_process(self, start.wanted(), Some((&task.id, &key)))
            }
            Err(error) => self.end_own(task, Err(ErrorForm::new("BadStart", error.message))),
        }
    }

    /// A process ended that a task of another one stands for.
    pub(crate) fn end_parent(&mut self, parent: &TaskId, child: &Process) -> OpResult<()> {
        let Some(task) = self.task(parent)? else { return self.miss(parent) };
        let aborted = || ErrorForm::new("Aborted", format!("process {} was aborted", child.id));
        match (child.state, &child.error) {
            (State::Aborted, _) => self.end_own(&task, Err(aborted())),
            (_, Some(error)) => self.end_own(&task, Err(error.clone())),
            (..) => self.end_own(&task, Ok(child.value.as_deref().unwrap_or("null"))),
        }
    }
}
