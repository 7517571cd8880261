//! Ends a console session.

use base::{OpResult, Tx, args};
use serde::{Deserialize, Serialize};

use super::session::END;
use crate::cx::OpCx;
use crate::op::Op;

/// Ends a session; one that has ended already is no error.
pub static END_SESSION: Op<EndSession, Ended> = Op::new("session.end", end_session).ending();

/// Which one.
#[derive(Debug, Clone)]
pub struct EndSession {
    /// Hash of its token.
    pub hash: [u8; 32],
}

/// It has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ended {}

fn end_session(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &EndSession) -> OpResult<Ended> {
    if tx.execute(&END, args![&input.hash])? > 0 {
        cx.fx.journal("logout.done", &cx.caller.name, "");
    }
    Ok(Ended {})
}
