//! Tasks that every namespace has by itself: retention, collection, backups.

use base::{OpResult, Sql, Tx, args};

use super::cron::Cron;
use crate::cx::OpCx;
use crate::op::Op;
use crate::wake::Hint;

/// Inscribes the standing tasks that are not there, and removes those that do not stand any more.
pub static ENSURE: Op<Vec<Standing>, ()> = Op::new("task.ensure", ensure).ending();

/// A standing task.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Its operation.
    pub op: &'static str,
    /// Its queue.
    pub queue: i64,
    /// When it runs; one that does not stand any more goes.
    pub cron: Option<Cron>,
}

pub(super) static INSERT: Sql = Sql::new(
    "task.insert_standing",
    "INSERT INTO task (id, op, param, info, queue, behind, start_at, attempt, retry, forgiven, cron, standing, created_at, \
     pause_ms) VALUES (?1, ?2, 'null', '', ?3, 0, ?4, 0, 0, 0, ?5, ?2, ?6, ?7) ON CONFLICT (standing) DO UPDATE SET queue = ?3, cron = ?5 \
     WHERE task.owner IS NULL AND (task.queue <> ?3 OR task.cron <> ?5)",
);

pub(super) static REMOVE: Sql =
    Sql::new("task.remove_standing", "DELETE FROM task WHERE standing = ?1 AND owner IS NULL");

fn ensure(tx: &mut dyn Tx, cx: &mut OpCx<'_>, all: &Vec<Standing>) -> OpResult<()> {
    for Standing { op, queue, cron } in all {
        let Some(cron) = cron else {
            tx.write(&REMOVE, args![*op])?;
            continue;
        };
        let (id, start_at) = (cx.id(), cron.next_after(cx.wall));
        tx.write(&INSERT, args![id, *op, *queue, start_at, cron.to_string(), cx.wall, start_at.0 - cx.wall.0])?;
        cx.fx.wake(Hint::Tasks { queue: *queue, start_at });
    }
    Ok(())
}
