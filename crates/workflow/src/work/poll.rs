//! Hands out tasks (WFL-6): the oldest that are ready, with promise values filled in.

use base::mutants::{self, Mutant};
use base::{Heard, OpError, OpResult, Sql, Tx, args, codes};
use kernel::counters::Field;
use kernel::{Op, OpCx, Query};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::fill::fill;
use crate::actors::{polled, rules};
use crate::decision::next::ActorRules;
use crate::decision::row::{self, Decision};
use crate::measures::{Count, Tally, Time};
use crate::names::{TaskId, check_actor, check_text, check_word, is_own, queue};
use crate::process::row::Process;
use crate::task::Filled;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&NEXT];

/// Tasks of one poll.
const TASKS_MAX: usize = 500;
/// Bytes of the arguments of one poll; one task is given at least.
const BYTES_MAX: usize = 8 << 20;

/// Hands out tasks.
pub static POLL: Op<Poll, Polled> =
    Op::new("workflow.poll", poll).keyed(|poll| crate::key_of(&queue(&poll.actor, poll.list())));
/// In how many milliseconds the next one of a queue may be taken.
pub static NEXT_AT: Query<String, Option<i64>> = Query::new("workflow.next_at", |tx, queue| {
    let now = tx.heard();
    Ok(tx.query_one(&NEXT, args![queue])?.map(|row| row.int(0).saturating_sub(now.0).max(0)))
});

static NEXT: Sql =
    Sql::new("wfl_queue.next", "SELECT at FROM wfl_queue WHERE queue = ?1 ORDER BY at, process, number LIMIT 1");

/// Who asks for work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Poll {
    /// The actor that it plays.
    pub actor: String,
    /// The task list that it serves.
    pub task_list: Option<String>,
    /// What it calls itself.
    pub worker: Option<String>,
    /// How many tasks it takes at most.
    pub max: usize,
}

impl Poll {
    fn list(&self) -> &str {
        self.task_list.as_deref().unwrap_or_default()
    }

    /// Its queue.
    #[must_use]
    pub fn queue(&self) -> String {
        queue(&self.actor, self.list())
    }

    /// Refuses what cannot be.
    ///
    /// # Errors
    /// `AWORKFLOW`, `ALIMIT`.
    pub fn check(&self) -> OpResult<()> {
        check_actor(&self.actor)?;
        if is_own(&self.actor) {
            return Err(OpError::new(crate::codes::AWORKFLOW, format!("{} is the server's own actor", self.actor)));
        }
        self.task_list.iter().try_for_each(|list| check_word("task list", list))?;
        self.worker.iter().try_for_each(|worker| check_text("worker", worker))?;
        if !(1..=TASKS_MAX).contains(&self.max) {
            return Err(OpError::new(codes::ALIMIT, format!("max is 1 to {TASKS_MAX}")));
        }
        Ok(())
    }
}

/// What is handed out.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowPolled)]
pub struct Polled {
    /// Tasks, oldest first.
    pub tasks: Vec<GivenTask>,
}

/// A task that is handed out.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowGivenTask)]
pub struct GivenTask {
    /// Its id.
    pub task_id: String,
    /// Its process.
    pub process_id: String,
    /// Which attempt this is.
    pub attempt: i64,
    /// To be brought back with the result.
    pub pass: String,
    /// What to do.
    pub method: String,
    /// Each `{value}`, or `{error}` of a task that may fail.
    pub args: Vec<Filled>,
    /// Until when something should be heard: by the server's clock, as long as that goes on evenly.
    #[schema(format = DateTime)]
    pub deadline: String,
    /// How long that is, from now.
    pub timeout_ms: i64,
    /// What an earlier attempt saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub checkpoint: Option<Box<RawValue>>,
    /// The key that it was asked for with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

pub(super) fn poll(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Poll) -> OpResult<Polled> {
    wanted.check()?;
    let queue = wanted.queue();
    let rules = rules::of_actor(tx, &wanted.actor)?;
    if rules.blocked {
        return Ok(Polled { tasks: vec![] });
    }
    let found = row::first(tx, &queue, cx.heard, wanted.max)?;
    let (mut tasks, mut bytes, mut up_to, mut tally) = (vec![], 0, None, Tally::default());
    for (at, id) in &found {
        up_to = Some(*at);
        if !mutants::on(Mutant::WorkflowPlaceKept) {
            row::dequeue(tx, &queue, *at, id)?;
        }
        if let Some(task) = take(tx, cx, id, &rules, wanted.worker.as_deref())? {
            bytes += task
                .args
                .iter()
                .filter_map(|filled| filled.value.as_ref())
                .map(|value| value.get().len())
                .sum::<usize>();
            tasks.push(task);
            tally.took(Time::Wait, cx.heard.0.saturating_sub(at.0));
        }
        if bytes > BYTES_MAX {
            break;
        }
    }
    polled::tell(tx, cx, (&queue, &wanted.actor, wanted.list()), up_to.unwrap_or(cx.heard))?;
    tally.one(if tasks.is_empty() { Count::PollWithout } else { Count::PollWithWork });
    tally.add(Count::TaskGiven, tasks.len());
    tally.settle(cx);
    let given = i64::try_from(tasks.len()).unwrap_or(i64::MAX);
    cx.fx.count(crate::engine::ACTORS, &wanted.actor, &[(Field::Sent, given)]);
    Ok(Polled { tasks })
}

/// Gives one out; what cannot be given is left to whoever looks after its process.
fn take(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    id: &TaskId,
    rules: &ActorRules,
    worker: Option<&str>,
) -> OpResult<Option<GivenTask>> {
    let (Some(task), Some(decision)) = (Task::find(tx, id)?, Decision::find(tx, id)?) else {
        return miss(tx, cx.heard, id);
    };
    let Some(args) = fill(tx, &task)? else { return miss(tx, cx.heard, id) };
    let rules = rules.for_task(task.timeout_ms);
    let stays = task.attempt > 0 && mutants::on(Mutant::WorkflowAttemptKept);
    let (attempt, pass) = (task.attempt + i64::from(!stays), cx.id().to_string());
    let until = rules.work_until(decision.queued, cx.heard, None);
    if !Decision::take(tx, id, (attempt, &pass), worker, (cx.heard, until, cx.wall))?
        || !(stays || Task::take(tx, id, attempt)?)
    {
        // It is taken or over: its place in the queue was left behind.
        return Ok(None);
    }
    let taken = Decision { attempt, pass: Some(pass), recovery: Some(until), ..decision };
    Ok(Some(told(cx, task, taken, args)))
}

/// A task as it was handed out before.
pub(super) fn given(tx: &mut dyn Tx, cx: &OpCx<'_>, task: Task, decision: Decision) -> OpResult<Option<GivenTask>> {
    Ok(fill(tx, &task)?.map(|args| told(cx, task, decision, args)))
}

fn told(cx: &OpCx<'_>, task: Task, decision: Decision, args: Vec<Filled>) -> GivenTask {
    let timeout_ms = decision.recovery.map_or(0, |until| until.0.saturating_sub(cx.heard.0)).max(0);
    GivenTask {
        task_id: task.id.to_string(),
        process_id: task.id.process,
        attempt: decision.attempt,
        pass: decision.pass.unwrap_or_default(),
        method: task.method,
        args,
        deadline: cx.wall.plus_ms(timeout_ms).rfc3339(),
        timeout_ms,
        checkpoint: decision.checkpoint.and_then(|text| RawValue::from_string(text).ok()),
        key: task.more.key,
    }
}

fn miss(tx: &mut dyn Tx, now: Heard, id: &TaskId) -> OpResult<Option<GivenTask>> {
    Process::look(tx, &id.process, now)?;
    Ok(None)
}
