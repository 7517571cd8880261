//! Acknowledges an alert: a person knows of it, it is not said again.

use base::{Id, OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::op::Op;

/// Acknowledges an alert. One that was acknowledged or closed before stays as it is; that is no error.
pub static ACKNOWLEDGE_ALERT: Op<Acknowledge, Acknowledged> = Op::new("alert.acknowledge", acknowledge).ending();

/// Which alert.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acknowledge {
    /// Its id.
    pub id: String,
}

/// What it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// `acknowledged`, or `closed` if the condition had ended before.
    pub state: String,
}

pub(crate) static ACKNOWLEDGE: Sql = Sql::new(
    "alert.acknowledge",
    "UPDATE alert SET acknowledged_at = ?2, acknowledged_by = ?3 \
     WHERE id = ?1 AND closed_at IS NULL AND acknowledged_at IS NULL RETURNING key",
);
pub(crate) static GET: Sql = Sql::new("alert.get", "SELECT closed_at FROM alert WHERE id = ?1");

fn acknowledge(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Acknowledge) -> OpResult<Acknowledged> {
    let unknown = || OpError::new(codes::NALERT, format!("no alert {}", crate::watch::shown(&input.id, 64)));
    let id: Id = input.id.parse().map_err(|_| unknown())?;
    if let Some(row) = tx.query_one(&ACKNOWLEDGE, args![id, cx.wall, &cx.caller.name])? {
        cx.fx.journal("alert.acknowledged", row.text(0), format!("alert {id}"));
        return Ok(Acknowledged { state: "acknowledged".into() });
    }
    let row = tx.query_one(&GET, args![id])?.ok_or_else(unknown)?;
    let state = if row.opt_int(0).is_some() { "closed" } else { "acknowledged" };
    Ok(Acknowledged { state: state.into() })
}
