//! The task that replays: finds the next event, sends it, goes on behind it.

use base::{CallResult, OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

use super::state::{Phase, Sending, State};
use crate::notify::{
    BEGIN_ATTEMPT, Came, DROP_ATTEMPT, END_ATTEMPT, HELD_MS, RECOVERED, TRIES_MAX, Told, alert_key, call, cut,
    delay_ms, disable, later, means, receiver, status,
};
use crate::telling::Kind;

/// Sends events again.
pub(crate) const TASK: TaskDef = TaskDef::new("sensor.replay", plan).settled_by(settle).taken_back_by(take_back);

/// Events that one cycle looks at.
const LOOKS: usize = 200;
/// Of many sensors at once among them: each may take a question for each of its sensors.
const GROUP_LOOKS: usize = 10;

pub(super) static CANDIDATES: Sql = Sql::new(
    "sensor_event.to_replay",
    "SELECT seq, id, sensor_id, kind, body, at, state FROM sensor_event WHERE client_id = ?1 AND seq > ?2 AND seq <= ?3 \
     ORDER BY seq LIMIT ?4",
);
pub(super) static LAST_TRY: Sql = Sql::new(
    "sensor_attempt.last",
    "SELECT COALESCE(MAX(number), 0) FROM sensor_attempt WHERE client_id = ?1 AND seq = ?2",
);

/// The replay of this task, as long as it runs.
fn state_of(tx: &mut dyn Tx, task: &TaskRow) -> OpResult<Option<State>> {
    let wrong = |error| OpError::new(codes::ATASK, format!("param of {} is the id of a client: {error}", task.op));
    let client: String = serde_json::from_str(&task.param).map_err(wrong)?;
    Ok(State::find(tx, &client)?.filter(|state| state.phase == Phase::Running && state.task == task.id))
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let Some(mut state) = state_of(tx, task)? else { return Ok(Plan::Done) };
    if let Some(on) = state.sending.take() {
        // We died while it was being sent: whether the client heard is unknown, the try counts, and the written time holds.
        let error = "cut off: whether it arrived is unknown";
        tx.write(&END_ATTEMPT, args![&state.client, on.seq, on.attempt, None::<i64>, None::<i64>, error])?;
        return not_now(tx, cx, state, error);
    }
    if cx.heard < state.next_at {
        return Ok(Plan::Later(later(cx, state.next_at)));
    }
    next(tx, cx, state)
}

/// The call is not made after all: as if nobody had tried.
fn take_back(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<()> {
    let Some(mut state) = state_of(tx, task)? else { return Ok(()) };
    let Some(on) = state.sending.take() else { return Ok(()) };
    tx.write(&DROP_ATTEMPT, args![&state.client, on.seq, on.attempt])?;
    (state.tries, state.next_at) = (state.tries - 1, cx.heard);
    state.save(tx)
}

/// Sends the next event that there is to send, or goes on looking for one.
fn next(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut state: State) -> OpResult<Plan> {
    let limit = i64::try_from(LOOKS).unwrap_or(i64::MAX);
    let events = tx.query(&CANDIDATES, args![&state.client, state.place, state.until, limit], LOOKS)?;
    let mut groups = 0;
    for event in &events {
        groups += usize::from(event.text(3) == Kind::Group.word());
        if groups > GROUP_LOOKS {
            break;
        }
        match fate(tx, cx, &state, event)? {
            Fate::Outside => {}
            Fate::LeftOut => state.left_out += 1,
            Fate::Sent(told) => return send(tx, cx, state, event, &told),
        }
        state.place = event.int(0);
    }
    if events.len() == LOOKS || groups > GROUP_LOOKS {
        state.save(tx)?;
        return Ok(Plan::Checkpoint("null".into()));
    }
    state.place = state.until;
    end(tx, cx, state, Phase::Done, "")
}

/// What becomes of an event in a replay.
enum Fate {
    /// It is not of that time.
    Outside,
    /// It is of no use to the client any more.
    LeftOut,
    /// It is sent.
    Sent(Told),
}

fn fate(tx: &mut dyn Tx, cx: &OpCx<'_>, state: &State, event: &Row) -> OpResult<Fate> {
    let at = Wall(event.int(5));
    if at < state.from || at >= state.to {
        return Ok(Fate::Outside);
    }
    if matches!(event.text(6), "superseded" | "unlinked" | "waiting") {
        return Ok(Fate::LeftOut);
    }
    let kind =
        [Kind::State, Kind::Contact].into_iter().find(|kind| kind.word() == event.text(3)).unwrap_or(Kind::Group);
    let told = Told { sensor: event.text(2).to_owned(), client: state.client.clone(), kind };
    // A disabled client ends the replay, which is found out when it is sent.
    Ok(if receiver(tx, cx, &told, event.text(4))?.err() == Some("unlinked") { Fate::LeftOut } else { Fate::Sent(told) })
}

fn send(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut state: State, event: &Row, told: &Told) -> OpResult<Plan> {
    let receiver = match receiver(tx, cx, told, event.text(4))? {
        Ok(receiver) => receiver,
        Err(why) => return end(tx, cx, state, Phase::Failed, &format!("the client is {why}")),
    };
    let seq = event.int(0);
    let attempt = tx.query_one(&LAST_TRY, args![&state.client, seq])?.map_or(0, |row| row.int(0)) + 1;
    state.tries += 1;
    state.next_at = cx.heard.plus_ms(delay_ms(state.tries, cx.chance()));
    state.sending = Some(Sending { seq, attempt, begun: cx.heard });
    state.save(tx)?;
    tx.write(&BEGIN_ATTEMPT, args![&state.client, seq, attempt, cx.wall])?;
    let body = replayed(event.text(4));
    Ok(Plan::Call(call(&receiver, (event.text(1), &body), cx.wall)))
}

/// The body with the word that it is sent again.
fn replayed(body: &str) -> String {
    body.strip_suffix('}').map_or_else(|| body.to_owned(), |open| format!("{open},\"replayed\":true}}"))
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, called: &CallResult) -> OpResult<Plan> {
    let Some(mut state) = state_of(tx, task)? else { return Ok(Plan::Done) };
    let Some(on) = state.sending.take() else { return Ok(Plan::Checkpoint("null".into())) };
    let (came, status) = (means(called), status(called));
    let error = if let Came::NotNow { error, .. } = &came { Some(cut(error)) } else { None };
    let latency_ms = (cx.heard.0 - on.begun.0).min(HELD_MS);
    tx.write(&END_ATTEMPT, args![&state.client, on.seq, on.attempt, status, latency_ms, error.clone()])?;
    match came {
        Came::Heard => heard(tx, cx, state, on),
        Came::Gone => gone(tx, cx, state),
        Came::NotNow { asked_ms, .. } => {
            asked_ms.into_iter().for_each(|ms| state.next_at = state.next_at.max(cx.heard.plus_ms(ms)));
            not_now(tx, cx, state, &error.unwrap_or_default())
        }
    }
}

fn heard(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut state: State, on: Sending) -> OpResult<Plan> {
    if tx.execute(&RECOVERED, args![&state.client])? == 1 {
        cx.fx.close_alert(alert_key(&state.client));
    }
    (state.place, state.tries, state.next_at) = (on.seq, 0, cx.heard);
    state.sent += 1;
    state.save(tx)?;
    Ok(Plan::Checkpoint("null".into()))
}

fn gone(tx: &mut dyn Tx, cx: &mut OpCx<'_>, state: State) -> OpResult<Plan> {
    let reason = "it answered 410 Gone";
    disable(tx, cx, &state.client, reason)?;
    end(tx, cx, state, Phase::Failed, reason)
}

/// The client did not hear, or nobody knows: the next try, or the end.
fn not_now(tx: &mut dyn Tx, cx: &mut OpCx<'_>, state: State, error: &str) -> OpResult<Plan> {
    if state.tries >= TRIES_MAX {
        return end(tx, cx, state, Phase::Failed, &format!("{TRIES_MAX} tries failed, the last: {error}"));
    }
    state.save(tx)?;
    Ok(Plan::Later(later(cx, state.next_at)))
}

fn end(tx: &mut dyn Tx, cx: &OpCx<'_>, mut state: State, phase: Phase, reason: &str) -> OpResult<Plan> {
    (state.phase, state.reason, state.ended_at) = (phase, reason.to_owned(), Some(cx.wall));
    state.save(tx)?;
    Ok(Plan::Done)
}

#[cfg(test)]
mod tests {
    use super::replayed;

    #[test]
    fn sen_8_a_replayed_body_says_so_and_nothing_else_of_it_changes() {
        let body = r#"{"data":{"seq":1},"type":"sensor.opened"}"#;
        assert_eq!(replayed(body), r#"{"data":{"seq":1},"type":"sensor.opened","replayed":true}"#);
    }
}
