//! Of one sensor a client is told in the order in which things happened, one thing at a time (SEN-9), whatever kinds they are of.
//!
//! What waits behind something older was not tried yet: it looks again when the older one was tried, and whoever ends an older one of
//! the same sensor has it look at once. Invariant: nothing waits for what nobody tends. A notice that is overdue for
//! [`UNTENDED_MS`] and has no task, because that is parked, holds up nobody; one whose client or link is gone ends before it would wait.

use base::{Heard, OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::Told;
use super::many::sensors_of;
use crate::telling::{Kind, Notice, wish};

/// How much later than the next try of an older one those behind it look again.
const BEHIND_MS: i64 = 1_000;
/// How much later at least.
const PAUSE_MS: i64 = 2_000;
/// Overdue by so much, somebody should have looked at it, even if its task was deleted.
const UNTENDED_MS: i64 = 5_400_000;
/// Groups of one client that are looked through; where there are more, the oldest holds up all.
const GROUPS_MAX: usize = 50;

pub(crate) static GROUPS_BEFORE: Sql = Sql::new(
    "sensor_notice.groups_before",
    "SELECT n.seq, n.tries, n.next_at, n.skipped, n.sending, n.holder, n.begun, e.body FROM sensor_notice n \
     JOIN sensor_event e ON e.client_id = n.client_id AND e.seq = n.seq \
     WHERE n.client_id = ?1 AND n.kind = 'group' AND n.seq < ?2 ORDER BY n.seq LIMIT ?3",
);
pub(crate) static TASK_WAITS: Sql = Sql::new(
    "sensor_notice.task_waits",
    "SELECT id FROM task WHERE op = 'sensor.notify' AND unique_key = ?1 AND owner IS NULL",
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
    let tried_at = if notice.sending.is_some() { now } else { notice.next_at };
    Ok(Some(tried_at.plus_ms(BEHIND_MS).max(now.plus_ms(PAUSE_MS))))
}

/// Whether a task has it, or will look at it.
fn is_tended(tx: &mut dyn Tx, told: &Told, notice: &Notice) -> OpResult<bool> {
    let runs = notice.sending.as_ref().map(|on| kernel::tasks::is_running(tx, on.holder)).transpose()?;
    Ok(runs == Some(true) || tx.query_one(&TASK_WAITS, args![told.key()])?.is_some())
}

/// The same of those that were lost at once with others before this.
fn group_passed(tx: &mut dyn Tx, now: Heard, told: &Told, seq: i64) -> OpResult<Option<Heard>> {
    let limit = i64::try_from(GROUPS_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(&GROUPS_BEFORE, args![&told.client, seq, limit], GROUPS_MAX)?;
    let mut until = None;
    for row in &rows {
        let (notice, all) = (Notice::of(row), rows.len() == GROUPS_MAX);
        if all || sensors_of(row.text(7))?.contains(&told.sensor) {
            let group = Told { sensor: format!("*{}", notice.seq), kind: Kind::Group, ..told.clone() };
            until = until.max(passed(tx, now, &group, &notice)?);
        }
    }
    Ok(until)
}

/// What waits behind this one, of the other kind, looks again at once: this one is told no more, or something newer now.
pub(crate) fn wake_next(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told) -> OpResult<()> {
    let Some(other) = told.other() else { return Ok(()) };
    let is_held_up = |notice: &Notice| notice.sending.is_none() && notice.tries == 0 && notice.next_at > cx.heard;
    let Some(mut behind) = other.notice(tx)?.filter(is_held_up) else { return Ok(()) };
    behind.next_at = cx.heard;
    behind.save(tx, &other)?;
    wish(cx, &other);
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
