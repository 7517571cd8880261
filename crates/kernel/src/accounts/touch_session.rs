//! Notes that a console session was used.

use base::{OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use super::session::IDLE_MS;
use crate::cx::OpCx;
use crate::op::Op;

/// Puts the idle end off. A lost call does no harm: the next use calls again.
pub(crate) static TOUCH_SESSION: Op<[u8; 32], Touched> = Op::new("session.touch", touch_session);

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Touched {}

pub(crate) static TOUCH: Sql = Sql::new(
    "console_session.touch",
    "UPDATE console_session SET idle_at = ?2 WHERE hash = ?1 AND idle_at > ?3 AND idle_at < ?2",
);

fn touch_session(tx: &mut dyn Tx, cx: &mut OpCx<'_>, hash: &[u8; 32]) -> OpResult<Touched> {
    tx.write(&TOUCH, args![hash, cx.heard.plus_ms(IDLE_MS), cx.heard])?;
    Ok(Touched {})
}
