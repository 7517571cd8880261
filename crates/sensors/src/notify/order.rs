//! Of one sensor a client is told in the order in which things happened, one thing at a time (SEN-9), whatever kinds they are of.
//!
//! What waits behind something older was not tried yet: it looks again when the older one was tried, and whoever ends an older one that
//! tells of the same sensor has it look at once. So it need not look often, and behind a client that hangs there may be many. Invariant: nothing waits for what nobody tends. A notice that is overdue for
//! [`UNTENDED_MS`] and has no task, because that is parked, holds up nobody; one whose client or link is gone ends before it would wait.

use base::{Heard, OpResult, Row, Sql, Tx, args};
use kernel::OpCx;

use super::many::sensors_of;
use super::{CALL_MS, EVENT, Told};
use crate::telling::{Kind, Notice, wish};

/// How much later than the next try of an older one those behind it look again.
const BEHIND_MS: i64 = 1_000;
/// How much later at least, and at most where the next try is overdue.
const PAUSE_MS: (i64, i64) = (2_000, 60_000);
/// Overdue by so much, somebody should have looked at it, even if its task was deleted.
const UNTENDED_MS: i64 = 5_400_000;
/// Groups of one client that are looked through. Behind more of them everything of the client waits, whatever they tell of: a look at so many
/// takes some milliseconds already, and so many wait only where a client heard nothing while tens of thousands of its sensors fell silent.
const GROUPS_MAX: usize = 500;

pub(crate) static GROUPS_BEFORE: Sql = Sql::new(
    "sensor_notice.groups_before",
    "SELECT seq, tries, next_at, skipped, sending, holder, begun FROM sensor_notice \
     WHERE client_id = ?1 AND kind = 'group' AND seq < ?2 ORDER BY seq LIMIT ?3",
);
/// Those whose text has these words: of hundreds of groups a sensor is in one.
pub(crate) static GROUPS_WITH: Sql = Sql::new(
    "sensor_notice.groups_with",
    "SELECT n.seq, n.tries, n.next_at, n.skipped, n.sending, n.holder, n.begun, e.body FROM sensor_notice n \
     JOIN sensor_event e ON e.client_id = n.client_id AND e.seq = n.seq \
     WHERE n.client_id = ?1 AND n.kind = 'group' AND n.seq < ?2 AND REPLACE(e.body, ?3, '') <> e.body ORDER BY n.seq LIMIT ?4",
);
pub(crate) static TASK_WAITS: Sql = Sql::new(
    "sensor_notice.task_waits",
    "SELECT start_at FROM task WHERE op = 'sensor.notify' AND unique_key = ?1 AND owner IS NULL",
);

/// When to look again, if something that happened before is still to be told, or something is being told.
pub(super) fn held_up(tx: &mut dyn Tx, now: Heard, told: &Told, seq: i64) -> OpResult<Option<Heard>> {
    let Some(other) = told.other() else { return Ok(None) };
    let before = other.notice(tx)?.filter(|notice| notice.sending.is_some() || notice.seq < seq);
    let until = before.map(|notice| passed(tx, now, &other, &notice)).transpose()?.flatten();
    Ok(until.max(group_passed(tx, now, told, seq)?))
}

/// When one that is before may be through; nothing if nobody tends it.
fn passed(tx: &mut dyn Tx, now: Heard, told: &Told, notice: &Notice) -> OpResult<Option<Heard>> {
    if now > notice.next_at.plus_ms(UNTENDED_MS) && !is_tended(tx, told, notice)? {
        return Ok(None);
    }
    let tried_at = notice.sending.as_ref().map_or(notice.next_at, |on| on.begun.plus_ms(CALL_MS));
    // The longer it is overdue, the less often.
    let pause_ms = ((now.0 - tried_at.0) / 2).clamp(PAUSE_MS.0, PAUSE_MS.1);
    Ok(Some(tried_at.plus_ms(BEHIND_MS).max(now.plus_ms(pause_ms))))
}

/// When the task of this notice begins, if it waits.
pub(super) fn begins_at(tx: &mut dyn Tx, cx: &OpCx<'_>, told: &Told) -> OpResult<Option<Heard>> {
    let row = tx.query_one(&TASK_WAITS, args![told.key()])?;
    Ok(row.map(|row| cx.heard.plus_ms((row.int(0) - cx.wall.0).max(0))))
}

/// Whether a task has it, or will look at it.
fn is_tended(tx: &mut dyn Tx, told: &Told, notice: &Notice) -> OpResult<bool> {
    let runs = notice.sending.as_ref().map(|on| kernel::tasks::is_running(tx, on.holder)).transpose()?;
    Ok(runs == Some(true) || tx.query_one(&TASK_WAITS, args![told.key()])?.is_some())
}

/// The same of those that were lost at once with others before this. It waits for the last of the groups that tell of the sensor, and each of
/// them wakes it when it ends; the others are none of its business: their next tries may be hours away.
fn group_passed(tx: &mut dyn Tx, now: Heard, told: &Told, seq: i64) -> OpResult<Option<Heard>> {
    let limit = i64::try_from(GROUPS_MAX).unwrap_or(i64::MAX);
    let before = tx.query(&GROUPS_BEFORE, args![&told.client, seq, limit], GROUPS_MAX)?;
    match before.len() {
        0 => return Ok(None),
        GROUPS_MAX => return first_passed(tx, now, told, &before),
        _ => {}
    }
    let word = format!("\"{}\"", told.sensor);
    let rows = tx.query(&GROUPS_WITH, args![&told.client, seq, &word, limit], GROUPS_MAX)?;
    let mut until = None;
    for row in &rows {
        if sensors_of(row.text(7))?.contains(&told.sensor) {
            until = until.max(passed_of(tx, now, told, row)?);
        }
    }
    Ok(until)
}

fn passed_of(tx: &mut dyn Tx, now: Heard, told: &Told, group: &Row) -> OpResult<Option<Heard>> {
    let notice = Notice::of(group);
    let group = Told { sensor: format!("*{}", notice.seq), kind: Kind::Group, ..told.clone() };
    passed(tx, now, &group, &notice)
}

/// When the first of too many groups may be through, a minute from now at the soonest. That may be one too many less, of which nobody tells those
/// behind that it does not tell of: so they look by themselves, but not after each try of each of hundreds.
fn first_passed(tx: &mut dyn Tx, now: Heard, told: &Told, groups: &[Row]) -> OpResult<Option<Heard>> {
    let soonest = now.plus_ms(PAUSE_MS.1);
    let mut first: Option<Heard> = None;
    for group in groups {
        match passed_of(tx, now, told, group)? {
            Some(at) if at <= soonest => return Ok(Some(soonest)),
            Some(at) => first = Some(first.map_or(at, |first| first.min(at))),
            None => {}
        }
    }
    Ok(first)
}

/// What waits behind this one, whose event with this number is told no more, looks again at once.
pub(crate) fn wake_next(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told, seq: i64) -> OpResult<()> {
    for behind in behind(tx, told, seq)? {
        wake(tx, cx, &behind, seq)?;
    }
    Ok(())
}

/// What may wait behind it: the other kind of its sensor; behind a group both kinds of each of its sensors.
fn behind(tx: &mut dyn Tx, told: &Told, seq: i64) -> OpResult<Vec<Told>> {
    if let Some(other) = told.other() {
        return Ok(vec![other]);
    }
    let Some(event) = tx.query_one(&EVENT, args![&told.client, seq])? else { return Ok(vec![]) };
    let both = |sensor: String| {
        [Kind::State, Kind::Contact].map(|kind| Told { sensor: sensor.clone(), client: told.client.clone(), kind })
    };
    Ok(sensors_of(event.text(1))?.into_iter().flat_map(both).collect())
}

fn wake(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told, seq: i64) -> OpResult<()> {
    let is_held_up = |notice: &Notice| {
        notice.seq > seq && notice.sending.is_none() && notice.tries == 0 && notice.next_at > cx.heard
    };
    let Some(mut notice) = told.notice(tx)?.filter(is_held_up) else { return Ok(()) };
    notice.next_at = cx.heard;
    notice.save(tx, told)?;
    wish(cx, told);
    Ok(())
}

/// Whether anything of the sensor is still to be told to the client.
pub(crate) fn has_notice(tx: &mut dyn Tx, told: &Told) -> OpResult<bool> {
    let both = [Some(told.clone()), told.other()];
    for told in both.into_iter().flatten() {
        if told.notice(tx)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
