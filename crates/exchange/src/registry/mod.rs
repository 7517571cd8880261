//! Who takes part (EXC-1, EXC-2): companies, their subsystems and databases, devices with their activation.

mod activate;
mod company;
mod database;
mod device;
mod list;
mod rename;
mod subsystem;

pub use activate::{ACTIVATE, Activate, Activated};
pub use company::{CREATE_COMPANY, NewCompany};
pub use database::{CREATE_DATABASE, DatabaseMade, NewDatabase};
pub use device::{CREATE_DEVICE, DEVICE_STATE, DeviceChange, DeviceMade, NEW_CODE, NewDevice};
pub use list::{
    COMPANIES, CompanyView, DATABASES, DEVICES, DatabaseView, DeviceView, PartiesOf, SHOW_DEVICE, SUBSYSTEMS,
    SubsystemView,
};
pub(crate) use rename::STATEMENTS as RENAME_STATEMENTS;
pub use rename::{RENAME_COMPANY, RENAME_DEVICE, RENAME_SUBSYSTEM, RenameCompany, RenameDevice, RenameSubsystem};
pub use subsystem::{CREATE_SUBSYSTEM, NewSubsystem};

use base::{OpError, OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use crate::codes::{ATAKEN, NPARTY};

/// It is registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Registered {
    /// Its id.
    pub id: String,
}

pub(crate) static COMPANY: Sql = Sql::new("exc_company.get", "SELECT name FROM exc_company WHERE id = ?1");

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &COMPANY,
    &company::INSERT,
    &subsystem::INSERT,
    &subsystem::GET,
    &database::INSERT,
    &device::INSERT,
    &device::GET,
    &device::SET_STATE,
    &device::SET_CODE,
    &activate::FIND,
    &activate::FIND_USED,
    &activate::ACTIVE,
    &list::COMPANY_PAGE,
    &list::SUBSYSTEM_PAGE,
    &list::SUBSYSTEM_PAGE_OF,
    &list::DATABASE_PAGE,
    &list::DATABASE_PAGE_OF,
    &list::DEVICE_PAGE,
    &list::DEVICE_PAGE_OF,
    &list::DEVICE_PAGE_IN,
    &list::DEVICE_PAGE_OF_IN,
    &list::DEVICE_VIEW,
];

/// Refuses a company that is not there.
fn check_company(tx: &mut dyn Tx, id: &str) -> OpResult<()> {
    let absent = || OpError::new(NPARTY, format!("no company `{id}`"));
    tx.query_one(&COMPANY, args![id])?.map(drop).ok_or_else(absent)
}

/// Refuses what an insert did not do because it is there already.
fn check_new(inserted: u64, what: &str, id: &str) -> OpResult<()> {
    if inserted == 1 { Ok(()) } else { Err(OpError::new(ATAKEN, format!("{what} `{id}` is there already"))) }
}
