//! The task of a kind: gathers what is due into a message, tries the channels in order, goes on at the next moment.
//!
//! Its whole state is rows. Killed before the call, after it, or after any commit, it goes on where the rows say.

use base::mutants::{self, Mutant};
use base::{CallResult, Heard, Id, OpError, OpResult, Tx, codes};
use serde::{Deserialize, Serialize};

use super::channel::{self, Channel, Outgoing, Sent};
use super::compose::compose;
use super::kind::{self, Kind};
use super::message::Message;
use super::pace::{Next, again_after_ms, next};
use super::{AlertSettings, CHANNEL_KIND, SETTING};
use crate::cx::OpCx;
use crate::effects::NewTask;
use crate::service::{Plan, TaskRow};
use crate::watch::setting;

/// Name of the task.
pub(crate) const OP: &str = "alert.send";
/// Faults of our own store; a channel's failures have their own schedule and never park the task.
pub(crate) const RETRY_MINUTES: &[u32] = &[1, 1, 5, 10, 60, 60, 60, 60, 60, 60, 60, 60];
/// Longer than any call: a task that has not settled by then is late.
const CALL_MS: i64 = 900_000;
/// A channel whose calls end with our process this often is passed over: the call may be what ends it (KER-44).
const PLACE_TRIES_MAX: i64 = 3;
pub(super) const NO_CHANNEL: &str = "alerts.channel:none";
/// What is said where nobody is told of anything.
pub const NOBODY_IS_TOLD: &str = "no channel is set: alerts are shown here and sent to nobody";

#[derive(Debug, Serialize, Deserialize)]
struct Param {
    kind: String,
}

/// The task of a kind.
pub(crate) fn task(id: Id, kind: &str, after_ms: i64) -> NewTask {
    let param = serde_json::to_string(&Param { kind: kind.to_owned() }).unwrap_or_default();
    NewTask::new(id, OP).param(param).info(kind).after_ms(after_ms)
}

/// What both halves work with.
struct Work {
    kind: Kind,
    settings: AlertSettings,
    channels: Vec<Channel>,
}

/// The kind's row, if this is still its task.
fn work(tx: &mut dyn Tx, task: &TaskRow) -> OpResult<Option<Work>> {
    let read = |error| OpError::new(codes::BDETECTED, format!("param of {}: {error}", task.op));
    let Param { kind } = serde_json::from_str(&task.param).map_err(read)?;
    let kind = kind::get(tx, &kind)?;
    if kind.task_id != Some(task.id) {
        return Ok(None);
    }
    let settings: AlertSettings = setting::get(tx, SETTING)?;
    let channels = channel::used(tx, &settings)?;
    Ok(Some(Work { kind, settings, channels }))
}

/// Sends what is due, or goes on with the message that is on its way.
pub(crate) fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let Some(work) = work(tx, task)? else { return Ok(Plan::Done) };
    match work.kind.message_id {
        Some(id) => {
            let mut message = Message::get(tx, id)?;
            if message.place_tries >= PLACE_TRIES_MAX {
                message.place += 1;
                message.place_tries = 0;
            }
            attempt(tx, cx, work, message)
        }
        None => go_on(tx, cx, work),
    }
}

/// Takes in what came of a try: the message is out, or the next channel is tried at once.
pub(crate) fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    let Some(mut work) = work(tx, task)? else { return Ok(Plan::Done) };
    let Some(id) = work.kind.message_id else { return go_on(tx, cx, work) };
    let mut message = Message::get(tx, id)?;
    let sent = Sent::of(result);
    message.came(tx, &sent)?;
    tell_of_channel(cx, &work.channels, message.place, &sent);
    if sent == Sent::Done {
        message.save(tx, cx, true)?;
        work.kind.message_id = None;
        return go_on(tx, cx, work);
    }
    message.place += 1;
    attempt(tx, cx, work, message)
}

/// Nothing is on its way: a message now, later, or nothing until something changes.
fn go_on(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut work: Work) -> OpResult<Plan> {
    let standing = work.kind.standing(tx)?;
    match next(&standing, &work.settings.pace, cx.heard) {
        Next::Send => begin(tx, cx, work),
        Next::Wait(due) => later(tx, cx, &mut work.kind, due),
        Next::Rest => rest(tx, work.kind),
    }
}

/// A new message of what is due.
fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut work: Work) -> OpResult<Plan> {
    let id = cx.id();
    let composed = compose(tx, cx, &work.kind, id, &work.settings)?;
    work.kind.repeats = if composed.opened { 0 } else { work.kind.repeats + 1 };
    work.kind.sent_at = Some(cx.heard);
    work.kind.untold_since = composed.more.then_some(cx.heard);
    let name = work.kind.kind.clone();
    let message = Message::create(tx, cx, id, &name, (composed.subject, composed.text))?;
    work.kind.message_id = Some(id);
    attempt(tx, cx, work, message)
}

/// Tries the message's channel; when all have failed, the first again later.
fn attempt(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut work: Work, mut message: Message) -> OpResult<Plan> {
    let place = usize::try_from(message.place).unwrap_or(usize::MAX);
    let Some(channel) = work.channels.get(place) else { return all_failed(tx, cx, work, message) };
    message.tried(tx, cx, &channel.label())?;
    if mutants::on(Mutant::AlertDoneBeforeSent) {
        message.save(tx, cx, true)?;
        work.kind.message_id = None;
    }
    work.kind.wake_at = Some(cx.heard.plus_ms(CALL_MS));
    work.kind.save(tx)?;
    let (id, namespace) = (message.id.to_string(), work.settings.namespace.as_str());
    let Message { kind, subject, text, .. } = &message;
    Ok(Plan::Call(channel.call(&Outgoing { id: &id, namespace, kind, subject, text }, cx.wall)))
}

fn all_failed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, mut work: Work, mut message: Message) -> OpResult<Plan> {
    if work.channels.is_empty() {
        cx.fx.open_alert(NO_CHANNEL, CHANNEL_KIND, NOBODY_IS_TOLD);
    }
    if mutants::on(Mutant::AlertGivenUp) {
        message.save(tx, cx, true)?;
        return rest(tx, Kind { message_id: None, ..work.kind });
    }
    let due = cx.heard.plus_ms(again_after_ms(message.rounds));
    message.rounds += 1;
    message.place = 0;
    message.place_tries = 0;
    message.save(tx, cx, false)?;
    later(tx, cx, &mut work.kind, due)
}

fn later(tx: &mut dyn Tx, cx: &OpCx<'_>, kind: &mut Kind, due: Heard) -> OpResult<Plan> {
    kind.wake_at = Some(due);
    kind.save(tx)?;
    if mutants::on(Mutant::AlertSuccessorForgotten) {
        return Ok(Plan::Done);
    }
    Ok(Plan::Later(cx.wall.plus_ms(due.0 - cx.heard.0)))
}

fn rest(tx: &mut dyn Tx, kind: Kind) -> OpResult<Plan> {
    Kind { task_id: None, wake_at: None, ..kind }.save(tx)?;
    Ok(Plan::Done)
}

/// Trouble with a channel is an alert that is shown and never sent; it ends when the channel works again.
fn tell_of_channel(cx: &mut OpCx<'_>, channels: &[Channel], place: i64, sent: &Sent) {
    let Some(channel) = usize::try_from(place).ok().and_then(|place| channels.get(place)) else { return };
    let key = trouble_key(place, channel);
    match sent {
        Sent::Done => {
            cx.fx.close_alert(key);
            cx.fx.close_alert(NO_CHANNEL);
        }
        Sent::Refused(why) => cx.fx.open_alert(key, CHANNEL_KIND, format!("{} refused: {why}", channel.label())),
        Sent::Unknown(why) => {
            let text = format!("{}: nobody knows whether it arrived: {why}", channel.label());
            cx.fx.open_alert(key, CHANNEL_KIND, text);
        }
    }
}

fn trouble_key(place: i64, channel: &Channel) -> String {
    format!("{CHANNEL_KIND}:{place}.{}", channel.word())
}
