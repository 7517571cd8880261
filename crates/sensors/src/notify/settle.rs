//! Takes in what came of a try.

use base::mutants::{self, Mutant};
use base::{CallResult, HttpReply, OpResult, Tx, args};
use kernel::counters::Field;
use kernel::{OpCx, Plan, TaskRow};

use super::ended::{END_ATTEMPT, FAILING, RECOVERED, SET_STATE, UNHEARD, alert_key, end};
use super::order::begins_at;
use super::schedule::asked_ms;
use super::{COUNT_TRY, DROP_ATTEMPT, TRIES_MAX, Told, later, try_now, wake_next};
use crate::notify::END_EVENT;
use crate::telling::{Notice, SUPERSEDE, Sending};

/// The kind under which what clients were told is counted.
pub(crate) const CLIENTS: &str = "sensor-client";
/// A client that heard nothing for so long is failing.
const UNHEARD_MS: i64 = 7_200_000;
/// Bytes of an error that are kept.
const ERROR_MAX: usize = 300;

/// What a try means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Came {
    /// The client heard.
    Heard,
    /// It wants nothing any more.
    Gone,
    /// Not now; it may have asked for so many milliseconds.
    NotNow { asked_ms: Option<i64>, error: String },
}

pub(super) fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, called: &CallResult) -> OpResult<Plan> {
    let told = Told::of(task)?;
    let Some(mut notice) = told.notice(tx)? else { return Ok(Plan::Done) };
    // Somebody did not wait for us any longer, and goes on with it.
    let Some(on) = notice.sending.take_if(|on| on.holder == task.id) else { return Ok(Plan::Done) };
    let (came, status) = (means(called), status(called));
    let error = if let Came::NotNow { error, .. } = &came { Some(cut(error)) } else { None };
    let latency_ms = cx.heard.0 - on.begun.0;
    let number = tries_of(&notice, &on, tx, &told)?;
    tx.write(&END_ATTEMPT, args![&told.client, on.seq, number, status, latency_ms, error.clone()])?;
    match came {
        Came::Heard => heard(tx, cx, task, &told, notice, &on),
        Came::Gone => gone(tx, cx, &told, &notice, &on),
        Came::NotNow { asked_ms, .. } => {
            cx.fx.count(CLIENTS, told.client.clone(), &[(Field::Errors, 1)]);
            // It may ask for more patience than we have, not for less.
            asked_ms.into_iter().for_each(|ms| notice.next_at = notice.next_at.max(cx.heard.plus_ms(ms)));
            let error = error.unwrap_or_default();
            mind_silence(tx, cx, &told.client, &error)?;
            not_now(tx, cx, task, (&told, notice, &on), &error)
        }
    }
}

/// Which try of the event was under way: the notice counts those of the newest event.
fn tries_of(notice: &Notice, on: &Sending, tx: &mut dyn Tx, told: &Told) -> OpResult<i64> {
    if on.seq == notice.seq {
        return Ok(notice.tries);
    }
    Ok(tx.query_one(&super::TRIES, args![&told.client, on.seq])?.map_or(1, |row| row.int(0)))
}

/// The call is not made after all: as if nobody had tried. If something newer came meanwhile, this is never sent.
pub(super) fn take_back(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<()> {
    let told = Told::of(task)?;
    let Some(mut notice) = told.notice(tx)? else { return Ok(()) };
    let Some(on) = notice.sending.take_if(|on| on.holder == task.id) else { return Ok(()) };
    let number = tries_of(&notice, &on, tx, &told)?;
    tx.write(&DROP_ATTEMPT, args![&told.client, on.seq, number])?;
    tx.write(&COUNT_TRY, args![&told.client, on.seq, number - 1])?;
    // It is tried when its task comes back, and what waits behind it need not look before.
    notice.next_at = begins_at(tx, cx, &told)?.unwrap_or(cx.heard);
    if on.seq == notice.seq {
        notice.tries = number - 1;
        return notice.save(tx, &told);
    }
    tx.write(&SUPERSEDE, args![&told.client, on.seq, cx.wall, notice.seq, cx.heard])?;
    notice.save(tx, &told)?;
    wake_next(tx, cx, &told, on.seq)
}

/// A task finds what an earlier one, or itself before a crash, was sending: nobody knows whether the client heard.
pub(super) fn cut_off(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    task: &TaskRow,
    told: &Told,
    mut notice: Notice,
) -> OpResult<Plan> {
    let Some(on) = notice.sending.take() else { return Ok(Plan::Done) };
    let number = tries_of(&notice, &on, tx, told)?;
    let error = "cut off: whether it arrived is unknown";
    tx.write(&END_ATTEMPT, args![&told.client, on.seq, number, None::<i64>, None::<i64>, error])?;
    not_now(tx, cx, task, (told, notice, &on), error)
}

fn heard(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    task: &TaskRow,
    told: &Told,
    notice: Notice,
    on: &Sending,
) -> OpResult<Plan> {
    cx.fx.count(CLIENTS, told.client.clone(), &[(Field::Sent, 1)]);
    if tx.execute(&RECOVERED, args![&told.client])? == 1 {
        cx.fx.close_alert(alert_key(&told.client));
    }
    if notice.seq == on.seq {
        return end(tx, cx, told, on.seq, "sent").map(|()| Plan::Done);
    }
    tx.write(&END_EVENT, args![&told.client, on.seq, "sent", cx.wall, cx.heard])?;
    newer(tx, cx, task, told, (notice, on))
}

/// On to what came meanwhile, unless something of the other kind came before it.
fn newer(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    task: &TaskRow,
    told: &Told,
    (notice, on): (Notice, &Sending),
) -> OpResult<Plan> {
    notice.save(tx, told)?;
    wake_next(tx, cx, told, on.seq)?;
    try_now(tx, cx, task, told, notice)
}

/// 410: the client wants to hear nothing any more.
fn gone(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told, notice: &Notice, on: &Sending) -> OpResult<Plan> {
    let reason = "it answered 410 Gone";
    disable(tx, cx, &told.client, reason)?;
    if on.seq != notice.seq {
        tx.write(&END_EVENT, args![&told.client, on.seq, "disabled", cx.wall, cx.heard])?;
    }
    end(tx, cx, told, notice.seq, "disabled").map(|()| Plan::Done)
}

/// The client wants nothing any more, unless it is gone itself.
pub(crate) fn disable(tx: &mut dyn Tx, cx: &mut OpCx<'_>, client: &str, reason: &str) -> OpResult<()> {
    if tx.execute(&SET_STATE, args![client, "disabled", reason])? == 1 {
        let message = format!("Sensor client {client} is told nothing any more: {reason}.");
        cx.fx.open_alert(alert_key(client), CLIENTS, message.clone());
        cx.fx.journal("sensor-client.disabled", client, message);
    }
    Ok(())
}

/// A client whose sensors change often never gets to the last try of anything: one that heard nothing for a while is failing too.
fn mind_silence(tx: &mut dyn Tx, cx: &mut OpCx<'_>, client: &str, error: &str) -> OpResult<()> {
    let since = tx.query_one(&UNHEARD, args![client, cx.heard])?;
    if since.is_some_and(|row| cx.heard.0 - row.int(0) >= UNHEARD_MS) {
        fail(tx, cx, client, &format!("it heard nothing for two hours. The last: {error}"))?;
    }
    Ok(())
}

/// Somebody should know that a client cannot be told, unless it is known already or the client is gone.
fn fail(tx: &mut dyn Tx, cx: &mut OpCx<'_>, client: &str, why: &str) -> OpResult<()> {
    if tx.execute(&FAILING, args![client, why])? == 1 {
        let message = format!("Sensor client {client} cannot be told: {why}");
        cx.fx.open_alert(alert_key(client), CLIENTS, message.clone());
        cx.fx.journal("sensor-client.failing", client, message);
    }
    Ok(())
}

/// The client did not hear, or nobody knows: the next try, the newer event, or the end.
fn not_now(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    task: &TaskRow,
    (told, notice, on): (&Told, Notice, &Sending),
    error: &str,
) -> OpResult<Plan> {
    if notice.seq != on.seq && !mutants::on(Mutant::SensorSupersededTold) {
        tx.write(&SUPERSEDE, args![&told.client, on.seq, cx.wall, notice.seq, cx.heard])?;
        return newer(tx, cx, task, told, (notice, on));
    }
    if notice.tries >= TRIES_MAX {
        return given_up(tx, cx, told, on.seq, error).map(|()| Plan::Done);
    }
    notice.save(tx, told)?;
    Ok(Plan::Later(later(cx, notice.next_at)))
}

fn given_up(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told, seq: i64, error: &str) -> OpResult<()> {
    fail(tx, cx, &told.client, &format!("{TRIES_MAX} tries failed. The last: {error}"))?;
    end(tx, cx, told, seq, "failed")
}

pub(crate) fn means(called: &CallResult) -> Came {
    let not_now = |error: String| Came::NotNow { asked_ms: None, error };
    match called {
        CallResult::Http(reply) => answered(reply),
        CallResult::NotMade(why) => not_now(why.clone()),
        CallResult::Unknown(why) => not_now(format!("whether it arrived is unknown: {why}")),
        CallResult::Mailed | CallResult::Worked(_) => not_now("called by other means than HTTP".into()),
    }
}

fn answered(reply: &HttpReply) -> Came {
    let header = |name: &str| reply.headers.iter().find(|(is, _)| is == name).map(|(_, value)| value.as_str());
    match reply.status {
        200..=299 => Came::Heard,
        410 => Came::Gone,
        300..=399 => {
            Came::NotNow { asked_ms: None, error: format!("status {}: redirects are not followed", reply.status) }
        }
        429 | 503 => {
            Came::NotNow { asked_ms: asked_ms(header("retry-after")), error: format!("status {}", reply.status) }
        }
        status => Came::NotNow { asked_ms: None, error: format!("status {status}") },
    }
}

pub(crate) fn status(called: &CallResult) -> Option<i64> {
    match called {
        CallResult::Http(reply) => Some(i64::from(reply.status)),
        _ => None,
    }
}

/// What is kept of an error.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(ERROR_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, headers: &[(&str, &str)]) -> CallResult {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        CallResult::Http(HttpReply { status, headers, body: vec![] })
    }

    #[test]
    fn sen_7_what_an_answer_means() {
        for status in [200, 204, 299] {
            assert_eq!(means(&reply(status, &[])), Came::Heard);
        }
        assert_eq!(means(&reply(410, &[])), Came::Gone);
        for status in [100, 301, 302, 307, 400, 401, 404, 429, 500, 503] {
            assert!(matches!(means(&reply(status, &[])), Came::NotNow { asked_ms: None, .. }), "{status}");
        }
        let asked = |status| means(&reply(status, &[("retry-after", "120")]));
        assert!(matches!(asked(503), Came::NotNow { asked_ms: Some(120_000), .. }));
        assert!(matches!(asked(429), Came::NotNow { asked_ms: Some(120_000), .. }));
        assert!(matches!(asked(500), Came::NotNow { asked_ms: None, .. }), "only where it is meant");
        assert!(matches!(means(&CallResult::Unknown("x".into())), Came::NotNow { .. }));
    }
}
