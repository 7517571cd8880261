//! Forgets answers of idempotent requests whose time is over (KER-10).

use base::{OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::op::Op;

/// Forgets some; call it again while it says that it forgot `limit`.
pub static FORGET_REQUESTS: Op<ForgetRequests, Forgotten> = Op::new("request.forget", forget_requests).ending();

/// How many at most, so that the writer is never held up.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgetRequests {
    /// At most so many.
    pub limit: u32,
}

/// How many were forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Rows deleted.
    pub count: u64,
}

pub(crate) static DELETE: Sql = Sql::new(
    "request.delete_expired",
    "DELETE FROM request WHERE (caller, route, key) IN \
     (SELECT caller, route, key FROM request WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2)",
);

fn forget_requests(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ForgetRequests) -> OpResult<Forgotten> {
    Ok(Forgotten { count: tx.execute(&DELETE, args![cx.heard, input.limit])? })
}
