//! Calls a device otherwise.

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::{going, shown};
use crate::ledger::together;

/// Calls a device otherwise. Its row counts what it sends, so it goes together with all that counts.
pub static RENAME_DEVICE: Op<RenameDevice, ()> = Op::new("exchange.rename_device", rename).keyed(together);

/// Which device, and its name from now on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameDevice {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
}

pub(super) static NAME: Sql = Sql::new("exc_device.name_now", "SELECT name FROM exc_device WHERE id = ?1");
pub(super) static SET: Sql = Sql::new("exc_device.set_name", "UPDATE exc_device SET name = ?2 WHERE id = ?1");

/// The name of a device is most often that of a person, and a new one is there to forget it: so the journal has neither. Who is called
/// how now, the device's own row says; when and by whom that was changed, the journal.
fn rename(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RenameDevice) -> OpResult<()> {
    let row = tx.query_one(&NAME, args![&input.id])?;
    let before = row.as_ref().map(|row| row.text(0));
    if going(before, &input.name, || format!("device `{}`", shown(&input.id)))?.is_some() {
        tx.write(&SET, args![&input.id, &input.name])?;
        cx.fx.journal("exchange.device", &input.id, "renamed");
    }
    Ok(())
}
