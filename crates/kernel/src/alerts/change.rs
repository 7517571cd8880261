//! The effect itself: opens or closes an alert in the operation's own transaction, and sees to it that a task tells of it.

use base::{Heard, Id, OpResult, Sql, Tx, args};
use sha2::{Digest, Sha256};

use super::kind::{self, Kind};
use super::pace::{Next, Standing, next};
use super::{AlertSettings, CHANNEL_KIND, SETTING, send};
use crate::cx::OpCx;
use crate::effects::Alert;
use crate::watch::{setting, shown};

const KEY_MAX: usize = 255;
const KIND_MAX: usize = 64;
const MESSAGE_MAX: usize = 2_000;

pub(crate) static OPEN: Sql = Sql::new(
    "alert.open",
    "INSERT INTO alert (id, key, kind, message, opened_at, opening_message, heard) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (key) WHERE closed_at IS NULL DO NOTHING",
);
pub(crate) static CLOSE: Sql = Sql::new(
    "alert.close",
    "UPDATE alert SET closed_at = ?2, closing_message = CASE WHEN kind = ?4 THEN '' END, heard = ?3 \
     WHERE key = ?1 AND closed_at IS NULL RETURNING kind",
);

/// Opens or closes an alert; `id` is that of a new one.
pub(crate) fn write(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: Id, alert: &Alert) -> OpResult<()> {
    let changed = match alert {
        Alert::Open { key, kind, message } => open(tx, cx, id, (key, kind, message))?,
        Alert::Close { key } => close(tx, cx, key)?,
    };
    match changed {
        Some(kind) if kind != CHANNEL_KIND => tell_later(tx, cx, &kind),
        Some(_) | None => Ok(()),
    }
}

/// The kind, if it was not open already.
fn open(tx: &mut dyn Tx, cx: &OpCx<'_>, id: Id, (key, kind, text): (&str, &str, &str)) -> OpResult<Option<String>> {
    let kind = shown(kind, KIND_MAX);
    let told = (kind == CHANNEL_KIND).then_some("");
    let (key, text) = (short_key(key), shown(text, MESSAGE_MAX));
    let opened = tx.execute(&OPEN, args![id, key, &kind, text, cx.wall, told, cx.heard])?;
    Ok((opened == 1).then_some(kind))
}

/// The kind, if it was open.
fn close(tx: &mut dyn Tx, cx: &OpCx<'_>, key: &str) -> OpResult<Option<String>> {
    let row = tx.query_one(&CLOSE, args![short_key(key), cx.wall, cx.heard, CHANNEL_KIND])?;
    Ok(row.map(|row| row.text(0).to_owned()))
}

/// A key that is too long is cut, with a digest so that two of them stay two.
fn short_key(key: &str) -> String {
    if key.len() <= KEY_MAX && !key.contains(char::is_control) {
        return key.to_owned();
    }
    let digest = Sha256::digest(key.as_bytes());
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{} #{digest}", shown(key, KEY_MAX - 32))
}

/// Notes that there is something to tell of a kind. While it is noted already, nothing is written.
fn tell_later(tx: &mut dyn Tx, cx: &mut OpCx<'_>, name: &str) -> OpResult<()> {
    let kind = kind::get(tx, name)?;
    if kind.untold_since.is_some() {
        return Ok(());
    }
    let kind = Kind { untold_since: Some(cx.heard), ..kind };
    // A message is on its way: what comes after it is decided when that is settled.
    if kind.message_id.is_some() {
        return kind.save(tx);
    }
    let settings: AlertSettings = setting::get(tx, SETTING)?;
    let standing =
        Standing { untold_since: kind.untold_since, sent_at: kind.sent_at, repeats: kind.repeats, nagging: true };
    let due = match next(&standing, &settings.pace, cx.heard) {
        Next::Wait(due) => due,
        Next::Send | Next::Rest => cx.heard,
    };
    inscribe(tx, cx, kind, due)
}

/// The kind goes on at `due`, by a new task in place of the one that waited.
pub(crate) fn inscribe(tx: &mut dyn Tx, cx: &mut OpCx<'_>, kind: Kind, due: Heard) -> OpResult<()> {
    if let Some(waiting) = kind.task_id {
        cx.fx.cancel_task(waiting);
    }
    let id = cx.id();
    let kind = Kind { task_id: Some(id), wake_at: Some(due), ..kind };
    kind.save(tx)?;
    cx.fx.task(send::task(id, &kind.kind, due.0 - cx.heard.0));
    Ok(())
}
