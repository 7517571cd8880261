//! Follows the configuration (EXC-8): where bodies are from now on, whatever the server before said. Texts are found wherever they lie;
//! what waits for somebody who does not come any more is let be, and what came to rest before is packed as well where bodies are in blobs.

use base::{OpResult, Tx};
use kernel::{Op, OpCx};

use crate::ledger::together;
use crate::rules::{Bodies, Rules};
use crate::{folders, packs};

/// Brings rows in line with where bodies are, a portion at a time; whether there may be more.
pub(crate) static FOLLOW: Op<(), bool> = Op::new("exchange.follow", follow).keyed(together).ending();

fn follow(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<bool> {
    match cx.home.common::<Rules>().get().bodies {
        Bodies::Folders => packs::forget_adoption(tx).map(|()| false),
        Bodies::Store => {
            packs::forget_adoption(tx)?;
            folders::leave(tx, cx)
        }
        Bodies::Blobs if packs::is_adopted(tx)? => Ok(false),
        Bodies::Blobs if folders::leave(tx, cx)? => Ok(true),
        Bodies::Blobs => packs::adopt(tx, cx).map(|()| false),
    }
}
