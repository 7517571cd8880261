//! The row of a kind: what is untold, which message is on its way, which task goes on with it and when.

use base::{Heard, Id, OpResult, Row, Sql, StoreResult, Tx, Wall, args};

use super::pace::Standing;
use crate::service::{Stuck, Violation};

/// A task that is so late is no longer waited for, it is replaced: its start is calendar time, which may have jumped back.
pub(crate) const LATE_MS: i64 = 120_000;

/// A kind's row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Kind {
    pub(crate) kind: String,
    pub(crate) untold_since: Option<Heard>,
    pub(crate) sent_at: Option<Heard>,
    pub(crate) repeats: i64,
    pub(crate) message_id: Option<Id>,
    pub(crate) task_id: Option<Id>,
    pub(crate) wake_at: Option<Heard>,
}

pub(crate) static GET: Sql = Sql::new(
    "alert_kind.get",
    "SELECT untold_since, sent_at, repeats, message_id, task_id, wake_at FROM alert_kind WHERE kind = ?1",
);
pub(crate) static PUT: Sql = Sql::new(
    "alert_kind.put",
    "INSERT INTO alert_kind (kind, untold_since, sent_at, repeats, message_id, task_id, wake_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (kind) DO UPDATE SET untold_since = ?2, sent_at = ?3, \
     repeats = ?4, message_id = ?5, task_id = ?6, wake_at = ?7",
);
pub(crate) static NAGGING: Sql = Sql::new(
    "alert.nagging",
    "SELECT id FROM alert WHERE kind = ?1 AND closed_at IS NULL AND acknowledged_at IS NULL ORDER BY id LIMIT 1",
);
pub(crate) static OVERDUE: Sql = Sql::new(
    "alert_kind.overdue",
    "SELECT kind, wake_at FROM alert_kind WHERE wake_at IS NOT NULL AND wake_at < ?1 ORDER BY wake_at, kind LIMIT 100",
);

pub(crate) static FORGOTTEN: Sql = Sql::new(
    "alert.forgotten",
    "SELECT a.id, a.kind FROM alert a LEFT JOIN alert_kind k ON k.kind = a.kind \
     WHERE (a.opening_message IS NULL OR (a.closed_at IS NOT NULL AND a.closing_message IS NULL)) \
     AND (k.kind IS NULL OR k.untold_since IS NULL OR k.task_id IS NULL) ORDER BY a.id LIMIT 100",
);

/// A kind's row; that of a kind that was never heard of is empty.
pub(crate) fn get(tx: &mut dyn Tx, kind: &str) -> OpResult<Kind> {
    let row = tx.query_one(&GET, args![kind])?;
    let empty = || Kind { kind: kind.to_owned(), ..Kind::default() };
    Ok(row.map_or_else(empty, |row| read(kind, &row)))
}

fn read(kind: &str, row: &Row) -> Kind {
    let id = |column| row.opt_text(column).map(|_| row.id(column));
    let heard = |column| row.opt_int(column).map(Heard);
    Kind {
        kind: kind.to_owned(),
        untold_since: heard(0),
        sent_at: heard(1),
        repeats: row.int(2),
        message_id: id(3),
        task_id: id(4),
        wake_at: heard(5),
    }
}

impl Kind {
    pub(crate) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let Self { kind, untold_since, sent_at, repeats, message_id, task_id, wake_at } = self;
        Ok(tx.write(&PUT, args![kind, *untold_since, *sent_at, *repeats, *message_id, *task_id, *wake_at])?)
    }

    /// What decides when something is said.
    pub(crate) fn standing(&self, tx: &mut dyn Tx) -> OpResult<Standing> {
        let nagging = tx.query_one(&NAGGING, args![&self.kind])?.is_some();
        Ok(Standing { untold_since: self.untold_since, sent_at: self.sent_at, repeats: self.repeats, nagging })
    }
}

/// Kinds whose wake-up is overdue, with by how much.
pub(crate) fn overdue(tx: &mut dyn Tx) -> StoreResult<Vec<(String, i64)>> {
    let now = tx.heard();
    let rows = tx.query(&OVERDUE, args![now.plus_ms(-LATE_MS)], 100)?;
    Ok(rows.iter().map(|row| (row.text(0).to_owned(), now.0 - row.int(1))).collect())
}

/// What KER-40 lists.
pub(crate) fn stuck(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let reason = "the task that sends its messages did not run; it is inscribed anew within a minute";
    let stuck = |(kind, overdue_ms)| Stuck { subject: format!("alerts of {kind}"), reason: reason.into(), overdue_ms };
    Ok(overdue(tx)?.into_iter().map(stuck).collect())
}

/// Alerts that nobody was told of and nothing will tell of.
pub(crate) fn forgotten(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&FORGOTTEN, args![], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("alert {} of {}", row.text(0), row.text(1)))).collect())
}
