//! Polls with a key (WFL-6): the same once more is given the same tasks, as far as they are still of that attempt.
//!
//! Without it what was handed out in an answer that nobody got would wait until its time is over.

use base::{Heard, OpError, OpResult, Sql, Tx, args, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::poll::{self, GivenTask, Poll, Polled};
use crate::decision::next::State;
use crate::decision::row::Decision;
use crate::names::TaskId;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&FIND, &KEEP, &FORGET];

/// Hands out tasks, the same to whoever asks again.
pub static POLL_ONCE: Op<PollOnce, Polled> =
    Op::new("workflow.poll_once", poll_once).keyed(|wanted| crate::key_of(&wanted.poll.queue()));

/// How long an answer may be asked for again.
const KEPT_MS: i64 = 3_600_000;
/// Rows that go at once.
const ROWS: u64 = 500;

static FIND: Sql = Sql::new("wfl_given.find", "SELECT queue, tasks FROM wfl_given WHERE caller = ?1 AND poll_key = ?2");
static KEEP: Sql = Sql::new(
    "wfl_given.keep",
    "INSERT INTO wfl_given (caller, poll_key, queue, tasks, at) VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (caller, poll_key) DO UPDATE SET queue = excluded.queue, tasks = excluded.tasks, at = excluded.at",
);
static FORGET: Sql = Sql::new(
    "wfl_given.forget",
    "DELETE FROM wfl_given WHERE (caller, poll_key) IN \
     (SELECT g.caller, g.poll_key FROM wfl_given g WHERE g.at < ?1 ORDER BY g.at LIMIT 500)",
);

/// Who asks for work, with a key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PollOnce {
    /// What is asked for.
    pub poll: Poll,
    /// The same again is given the same.
    pub key: String,
}

fn poll_once(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &PollOnce) -> OpResult<Polled> {
    wanted.poll.check()?;
    let queue = wanted.poll.queue();
    let caller = cx.caller.name.clone();
    if let Some(row) = tx.query_one(&FIND, args![&caller, &wanted.key])? {
        if row.text(0) != queue {
            let text = format!("Idempotency-Key `{}` was used for another poll", wanted.key);
            return Err(OpError::new(codes::AKEYREUSED, text));
        }
        let again = still_given(tx, cx, row.text(1))?;
        if !again.is_empty() {
            return Ok(Polled { tasks: again });
        }
    }
    let polled = poll::poll(tx, cx, &wanted.poll)?;
    if !polled.tasks.is_empty() {
        let given: Vec<(&str, i64)> = polled.tasks.iter().map(|task| (task.task_id.as_str(), task.attempt)).collect();
        let given = serde_json::to_string(&given).unwrap_or_default();
        tx.write(&KEEP, args![&caller, &wanted.key, &queue, given, cx.heard])?;
    }
    Ok(polled)
}

/// Those of an earlier answer that nobody else was given and that are not over.
fn still_given(tx: &mut dyn Tx, cx: &OpCx<'_>, given: &str) -> OpResult<Vec<GivenTask>> {
    let given: Vec<(String, i64)> = serde_json::from_str(given).unwrap_or_default();
    let mut again = vec![];
    for (id, attempt) in given {
        let Ok(id) = id.parse::<TaskId>() else { continue };
        let (Some(task), Some(decision)) = (Task::find(tx, &id)?, Decision::find(tx, &id)?) else { continue };
        if decision.state == State::Work && decision.attempt == attempt {
            again.extend(poll::given(tx, cx, task, decision)?);
        }
    }
    Ok(again)
}

/// Lets go of answers that nobody asks for any more; whether there may be more.
pub(crate) fn forget(tx: &mut dyn Tx, now: Heard) -> OpResult<bool> {
    Ok(tx.execute(&FORGET, args![now.plus_ms(-KEPT_MS)])? >= ROWS)
}
