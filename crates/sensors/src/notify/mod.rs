//! Tells clients (SEN-7 to SEN-10): a task for each sensor, client and kind of which something is still to be told.
//!
//! States of a notice (its row): *waiting* (nobody holds it; due at `next_at`), *sending* (a task holds it, and the next time is
//! written already). Plan: waiting and due → sending, with a call. Settle: sending → told (the row goes), waiting for the next
//! try, given up, or, if something newer came meanwhile, on to that. A task that died while sending finds its own name in the
//! row: whether the client heard is unknown, so the try counts and the written time holds. A holder that no node runs any
//! more is waited for as long as a call may take, and no holder for longer than [`HELD_MS`].
//!
//! Client, link and URL are read anew at every try. Nothing is sent twice at once, and never the older after the newer, also not of
//! the other kind (`order`).

mod ended;
mod many;
mod order;
mod rewish;
mod schedule;
mod settle;
mod webhook;

pub(crate) use ended::{DROP_NOTICE, END_ATTEMPT, END_EVENT, FAILING, RECOVERED, SET_STATE, UNHEARD, alert_key};
pub(crate) use order::{GROUPS_BEFORE, GROUPS_WITH, TASK_WAITS, has_notice, wake_next};
pub(crate) use rewish::{OVERDUE, REWISH, stuck};
pub use schedule::{TRIES_MAX, delay_ms};
pub(crate) use settle::{CLIENTS, Came, cut, disable, means, status};
pub use webhook::TIMEOUT_MS;
pub(crate) use webhook::call;

use base::mutants::{self, Mutant};
use base::{Heard, OpError, OpResult, Sql, Tx, args, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};

use crate::telling::{GET_NOTICE, Kind, Notice, Sending, Telling};

/// Tells a client what is to be told of a sensor.
pub(crate) const NOTIFY: TaskDef = TaskDef::new("sensor.notify", plan)
    .settled_by(settle::settle)
    .taken_back_by(settle::take_back)
    .retrying(RETRY_MINUTES)
    .queue(3)
    .ending();

/// So often a server that dies again and again before it gets anywhere, or fails over a notice, comes back to it: more often than
/// others, because what a client is to be told must not wait for a person to look at a task.
const RETRY_MINUTES: &[u32] = &[1; 30];

/// A holder that does not settle within this time is gone, whatever the store says of it.
pub(crate) const HELD_MS: i64 = 90_000;
/// A call begins at most ten seconds after it was planned and takes at most [`TIMEOUT_MS`]: the same for a holder that no node runs
/// any more. Not sooner, for a process that stood still may wake up and make its call after all.
const CALL_MS: i64 = TIMEOUT_MS as i64 + 12_000;
/// How often the others look whether it still runs.
const LOOK_MS: i64 = 5_000;

/// What is told to whom: the name of a notice, and the parameter of its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Which sensor; `*` and a number for many at once.
    pub sensor: String,
    /// Which client.
    pub client: String,
    /// Which kind.
    pub kind: Kind,
}

impl Told {
    pub(crate) fn new(telling: &Telling, client: &str, seq: i64) -> Self {
        let sensor = if telling.kind == Kind::Group { format!("*{seq}") } else { telling.sensor.to_string() };
        Self { sensor, client: client.to_owned(), kind: telling.kind }
    }

    pub(crate) fn key(&self) -> String {
        format!("{}/{}/{}", self.sensor, self.client, self.kind.word())
    }

    /// The same of the other kind, which does not supersede it; nothing beside what tells of many.
    fn other(&self) -> Option<Self> {
        let kind = match self.kind {
            Kind::State => Kind::Contact,
            Kind::Contact => Kind::State,
            Kind::Group => return None,
        };
        Some(Self { kind, ..self.clone() })
    }

    pub(crate) fn param(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn notice(&self, tx: &mut dyn Tx) -> OpResult<Option<Notice>> {
        let row = tx.query_one(&GET_NOTICE, args![&self.sensor, &self.client, self.kind.word()])?;
        Ok(row.as_ref().map(Notice::of))
    }

    fn of(task: &TaskRow) -> OpResult<Self> {
        let wrong = |error| OpError::new(codes::BDETECTED, format!("task {}: {error}", task.id));
        serde_json::from_str(&task.param).map_err(wrong)
    }
}

pub(crate) static CLIENT: Sql = Sql::new(
    "sensor_client.to_tell",
    "SELECT c.url, c.secret, c.old_secret, c.old_until, c.state, \
     (SELECT COUNT(*) FROM sensor_link l WHERE l.sensor_id = ?2 AND l.client_id = c.id) \
     FROM sensor_client c WHERE c.id = ?1",
);
pub(crate) static EVENT: Sql =
    Sql::new("sensor_event.to_tell", "SELECT id, body FROM sensor_event WHERE client_id = ?1 AND seq = ?2");
pub(crate) static BEGIN_ATTEMPT: Sql = Sql::new(
    "sensor_attempt.begin",
    "INSERT INTO sensor_attempt (client_id, seq, number, at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (client_id, seq, number) DO NOTHING",
);
pub(crate) static DROP_ATTEMPT: Sql =
    Sql::new("sensor_attempt.drop", "DELETE FROM sensor_attempt WHERE client_id = ?1 AND seq = ?2 AND number = ?3");
pub(crate) static COUNT_TRY: Sql =
    Sql::new("sensor_event.try", "UPDATE sensor_event SET tries = ?3 WHERE client_id = ?1 AND seq = ?2");

pub(crate) static TRIES: Sql =
    Sql::new("sensor_event.tries", "SELECT tries FROM sensor_event WHERE client_id = ?1 AND seq = ?2");

/// A client as a try needs it.
pub(crate) struct Receiver {
    pub(crate) url: String,
    /// The newest secret first.
    pub(crate) secrets: Vec<Vec<u8>>,
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let told = Told::of(task)?;
    match told.notice(tx)? {
        None => Ok(Plan::Done),
        Some(notice) => match &notice.sending {
            None => try_now(tx, cx, task, &told, notice),
            Some(on) => match held_until(tx, cx, task, on)? {
                Some(until) => Ok(Plan::Later(later(cx, until))),
                None => settle::cut_off(tx, cx, task, &told, notice),
            },
        },
    }
}

/// Until when to leave a notice to the one who is sending it, or to ourselves before a crash.
fn held_until(tx: &mut dyn Tx, cx: &OpCx<'_>, task: &TaskRow, on: &Sending) -> OpResult<Option<Heard>> {
    if mutants::on(Mutant::SensorHolderIgnored) {
        return Ok(None);
    }
    let called = on.begun.plus_ms(CALL_MS);
    if cx.heard < called {
        return Ok(Some(called));
    }
    let runs = on.holder != task.id && kernel::tasks::is_running(tx, on.holder)?;
    Ok((runs && cx.heard < on.begun.plus_ms(HELD_MS)).then(|| cx.heard.plus_ms(LOOK_MS)))
}

/// Sends what waits, if it is its time and the client still wants it.
pub(crate) fn try_now(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    task: &TaskRow,
    told: &Told,
    mut notice: Notice,
) -> OpResult<Plan> {
    if cx.heard < notice.next_at {
        return Ok(Plan::Later(later(cx, notice.next_at)));
    }
    let event = tx.query_one(&EVENT, args![&told.client, notice.seq])?;
    let receiver = match receiver(tx, cx, told, event.as_ref().map_or("", |event| event.text(1)))? {
        Ok(receiver) => receiver,
        Err(why) => return ended::end(tx, cx, told, notice.seq, why).map(|()| Plan::Done),
    };
    if let Some(again_at) = order::held_up(tx, cx.heard, told, notice.seq)? {
        notice.next_at = again_at;
        notice.save(tx, told)?;
        return Ok(Plan::Later(later(cx, again_at)));
    }
    let Some(event) = event else {
        return Err(OpError::new(codes::BDETECTED, format!("no event {} of {}", notice.seq, told.client)));
    };
    notice.tries += 1;
    notice.next_at = cx.heard.plus_ms(delay_ms(notice.tries, cx.chance()));
    notice.sending = Some(Sending { seq: notice.seq, holder: task.id, begun: cx.heard });
    if !mutants::on(Mutant::SensorTryNotWritten) {
        notice.save(tx, told)?;
    }
    tx.write(&COUNT_TRY, args![&told.client, notice.seq, notice.tries])?;
    tx.write(&BEGIN_ATTEMPT, args![&told.client, notice.seq, notice.tries, cx.wall])?;
    let mut id = event.text(0).to_owned();
    if mutants::on(Mutant::SensorIdPerTry) {
        id = format!("{id}-{}", notice.tries);
    }
    Ok(Plan::Call(call(&receiver, (&id, event.text(1)), cx.wall)))
}

/// The client, or why there is nobody to tell what the body says.
pub(crate) fn receiver(
    tx: &mut dyn Tx,
    cx: &OpCx<'_>,
    told: &Told,
    body: &str,
) -> OpResult<Result<Receiver, &'static str>> {
    let Some(row) = tx.query_one(&CLIENT, args![&told.client, &told.sensor])? else { return Ok(Err("unlinked")) };
    let is_linked = match told.kind {
        Kind::State | Kind::Contact => row.int(5) > 0,
        Kind::Group => many::has_any(tx, told, body)?,
    };
    if !is_linked {
        return Ok(Err("unlinked"));
    }
    if row.text(4) == "disabled" {
        return Ok(Err("disabled"));
    }
    let old = row.opt_int(3).filter(|until| cx.heard < Heard(*until)).and(row.opt_blob(2));
    let old = old.filter(|_| !mutants::on(Mutant::SensorOldSecretDropped));
    let secrets = [Some(row.blob(1)), old].into_iter().flatten().map(<[u8]>::to_vec).collect();
    Ok(Ok(Receiver { url: row.text(0).to_owned(), secrets }))
}

/// The calendar moment at which the store's listening time will be that.
pub(crate) fn later(cx: &OpCx<'_>, at: Heard) -> base::Wall {
    cx.wall.plus_ms((at.0 - cx.heard.0).max(0))
}
