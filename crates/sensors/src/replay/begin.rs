//! Begins a replay.

use base::{OpError, OpResult, Sql, Tx, Wall, args};
use kernel::{NewTask, Op, OpCx};
use serde::{Deserialize, Serialize};

use super::TASK;
use super::state::{Phase, ReplayView, State, replay_of};
use crate::client;
use crate::codes::ASENSOR;

/// Begins to send the events of a time again; one replay of a client at a time.
pub static REPLAY: Op<Replay, ReplayView> = Op::new("sensor.replay_begin", begin);

/// Which events.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Replay {
    /// Of which client.
    pub client: String,
    /// From this moment on.
    pub from: Wall,
    /// Before this moment; not given: all that there are.
    pub to: Option<Wall>,
}

pub(super) static SEQ: Sql = Sql::new("sensor_client.seq", "SELECT seq, state FROM sensor_client WHERE id = ?1");

fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Replay) -> OpResult<ReplayView> {
    let to = input.to.unwrap_or(Wall(i64::MAX / 4)).min(Wall(253_402_300_799_000));
    let refused = |why: String| Err(OpError::new(ASENSOR, why));
    if input.from >= to {
        return refused(format!("from {} is not before to {}", input.from.rfc3339(), to.rfc3339()));
    }
    let row = tx.query_one(&SEQ, args![&input.client])?.ok_or_else(|| client::absent(&input.client))?;
    if row.text(1) == "disabled" {
        return refused("the client is disabled: make it active first".into());
    }
    if State::find(tx, &input.client)?.is_some_and(|state| state.phase == Phase::Running) {
        return refused("a replay of this client is under way".into());
    }
    let task = cx.id();
    let state = State {
        client: input.client.clone(),
        task,
        from: input.from,
        to,
        place: 0,
        until: row.int(0),
        sent: 0,
        left_out: 0,
        tries: 0,
        next_at: cx.heard,
        sending: None,
        phase: Phase::Running,
        reason: String::new(),
        begun_at: cx.wall,
        ended_at: None,
    };
    state.save(tx)?;
    let param = serde_json::json!(input.client).to_string();
    cx.fx.task(NewTask::new(task, TASK.op).param(param).info(format!("client {}", input.client)));
    cx.fx.journal("sensor.replay", &input.client, format!("from {} to {}", input.from.rfc3339(), to.rfc3339()));
    replay_of(tx, &input.client)?.ok_or_else(|| client::absent(&input.client))
}
