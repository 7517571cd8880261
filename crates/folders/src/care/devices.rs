//! Devices that came to a directory.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::{Op, OpCx, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::list::OfDirectory;
use crate::desk::numbers::told;
use crate::desk::rights::{Right, enter};
use crate::form::Who;

/// The devices of a directory.
pub static DEVICES: Query<OfDirectory, Vec<DeviceView>> = Query::new("folders.devices", devices);
/// Forgets a device that will not come back: tombstones do not wait for it any more.
pub static FORGET_DEVICE: Op<OfDevice, ()> =
    Op::new("folders.forget_device", forget).keyed(|input| crate::key_of(&input.directory));

/// Devices that are shown.
const DEVICES_MAX: usize = 1_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LIST, &DROP];

static LIST: Sql = Sql::new(
    "fld_device.list",
    "SELECT device, key, seq, seen_at FROM fld_device WHERE directory = ?1 ORDER BY device LIMIT 1000",
);
static DROP: Sql = Sql::new("fld_device.drop", "DELETE FROM fld_device WHERE directory = ?1 AND device = ?2");

/// Which device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfDevice {
    /// By whom.
    pub by: Who,
    /// In which directory.
    pub directory: String,
    /// Its name.
    pub device: String,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderDevice)]
pub struct DeviceView {
    /// Its name.
    pub device: String,
    /// The id of the key that it came with.
    pub key: String,
    /// All up to this commit it has, as it said last.
    pub seq: u64,
    /// When it was last here.
    pub seen_at: String,
}

fn devices(tx: &mut dyn Tx, of: &OfDirectory) -> OpResult<Vec<DeviceView>> {
    enter(tx, &of.directory, &of.who, Right::Read)?;
    let rows = tx.query(&LIST, args![&of.directory], DEVICES_MAX)?;
    let view = |row: &base::Row| DeviceView {
        device: row.text(0).to_owned(),
        key: row.text(1).to_owned(),
        seq: told(row.int(2)),
        seen_at: Wall(row.int(3)).rfc3339(),
    };
    Ok(rows.iter().map(view).collect())
}

fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &OfDevice) -> OpResult<()> {
    enter(tx, &input.directory, &input.by, Right::Admin)?;
    tx.write(&DROP, args![&input.directory, &input.device])?;
    cx.fx.journal("folders.device_forgotten", &input.directory, format!("{}, says {}", input.device, input.by.key));
    Ok(())
}
