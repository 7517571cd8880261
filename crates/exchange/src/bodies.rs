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
        Bodies::Folders => leave_packs(tx, cx).map(|()| false),
        Bodies::Store => {
            leave_packs(tx, cx)?;
            leave_folders(tx, cx)
        }
        Bodies::Blobs if packs::is_adopted(tx)? => Ok(false),
        Bodies::Blobs if leave_folders(tx, cx)? => Ok(true),
        Bodies::Blobs => packs::adopt(tx, cx).map(|()| false),
    }
}

/// Nobody packs any more; what is packed stays.
fn leave_packs(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    cx.fx.close_alert(packs::ALERT);
    packs::forget_adoption(tx)
}

/// Nobody lays files any more; those that lie there stay. Whether there may be more to let go.
fn leave_folders(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<bool> {
    [folders::ALERT, folders::SCAN_ALERT].into_iter().for_each(|alert| cx.fx.close_alert(alert));
    folders::leave(tx, cx)
}
