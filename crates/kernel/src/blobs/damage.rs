//! Bytes that are not what they were: never served, told to a person, healed by an upload.

use base::{BlobName, OpResult, Sha, Sql, Tx, args};

use crate::cx::OpCx;
use crate::op::Op;

/// Closes a blob whose bytes were found damaged or missing. One that has other bytes since, or no row, is left alone.
pub static REPORT_DAMAGE: Op<Damaged, bool> = Op::new("blob.report_damage", report);

/// What was found.
#[derive(Debug, Clone)]
pub struct Damaged {
    /// Whose bytes.
    pub name: BlobName,
    /// What is wrong with them.
    pub reason: String,
}

pub(super) static CLOSE: Sql =
    Sql::new("blob.close", "UPDATE blob SET damaged_at = ?3 WHERE sha = ?1 AND name = ?2 AND damaged_at IS NULL");

fn report(tx: &mut dyn Tx, cx: &mut OpCx<'_>, found: &Damaged) -> OpResult<bool> {
    let sha = found.name.sha;
    let closed = tx.execute(&CLOSE, args![sha, found.name, cx.wall])? == 1;
    if closed {
        let text = format!("the bytes of blob {sha} are damaged: {}", found.reason);
        cx.fx.journal("blob.damaged", found.name.to_string(), &text);
        cx.fx.open_alert(key(sha), "blob.damaged", format!("{text}; upload it again, or restore {}", found.name));
    }
    Ok(closed)
}

/// Good bytes are there again, or nobody wants them any more.
pub(super) fn healed(cx: &mut OpCx<'_>, sha: Sha) {
    cx.fx.journal("blob.healed", sha.to_string(), "");
    cx.fx.close_alert(key(sha));
}

fn key(sha: Sha) -> String {
    format!("blob.damaged:{sha}")
}
