//! A ledger that does not balance is a bug or a damage that a person must know of (EXC-21).

use base::{OpResult, Tx};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

/// Opens or closes the alert of a ledger.
pub(crate) static ALARM: Op<Alarm, ()> = Op::new("exchange.ledger_alarm", alarm);

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Alarm {
    /// Of which database.
    pub(crate) db: String,
    /// What is wrong; `None`: nothing.
    pub(crate) wrong: Option<String>,
}

fn alarm(_: &mut dyn Tx, cx: &mut OpCx<'_>, found: &Alarm) -> OpResult<()> {
    let key = format!("exchange-ledger/{}", found.db);
    match &found.wrong {
        None => cx.fx.close_alert(key),
        Some(what) => {
            cx.fx.open_alert(key, "exchange-ledger", what.clone());
            cx.fx.journal("exchange.ledger", &found.db, what.clone());
        }
    }
    Ok(())
}
