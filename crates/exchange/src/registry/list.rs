//! Lists of who takes part, in the order of their ids.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::codes::NPARTY;

/// Companies.
pub static COMPANIES: Query<PartiesOf, Vec<CompanyView>> = Query::new("exchange.companies", companies);
/// Subsystems, by company.
pub static SUBSYSTEMS: Query<PartiesOf, Vec<SubsystemView>> = Query::new("exchange.subsystems", subsystems);
/// Databases.
pub static DATABASES: Query<PartiesOf, Vec<DatabaseView>> = Query::new("exchange.databases", databases);
/// Devices.
pub static DEVICES: Query<PartiesOf, Vec<DeviceView>> = Query::new("exchange.devices", devices);
/// One device.
pub static SHOW_DEVICE: Query<String, DeviceView> = Query::new("exchange.device_view", show_device);

/// Which of them.
#[derive(Debug, Clone, Default)]
pub struct PartiesOf {
    /// Only of this company.
    pub company: Option<String>,
    /// Only of this subsystem.
    pub subsystem: Option<String>,
    /// Only after this one: its id; for subsystems the id of the company, `/`, and its own.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// A company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeCompany)]
pub struct CompanyView {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
    /// When it was registered.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// A subsystem of a company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeSubsystem)]
pub struct SubsystemView {
    /// Its id.
    pub id: String,
    /// Of which company.
    pub company: String,
    /// For people.
    pub name: String,
    /// When it was registered.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// A database of a company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeDatabase)]
pub struct DatabaseView {
    /// Its id.
    pub id: String,
    /// Of which company.
    pub company: String,
    /// When it was registered.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it last spoke to us.
    #[schema(format = DateTime)]
    pub contact_at: Option<String>,
    /// Messages that wait, for it or from it.
    pub queued: i64,
}

/// A device of a company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeDevice)]
pub struct DeviceView {
    /// Its id.
    pub id: String,
    /// Of which company.
    pub company: String,
    /// Of which subsystem.
    pub subsystem: String,
    /// For people.
    pub name: String,
    /// `new` until it was activated, `active`, or `blocked`.
    pub state: String,
    /// Whether an activation code waits to be used.
    pub has_code: bool,
    /// When it was registered.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it last spoke to us.
    #[schema(format = DateTime)]
    pub contact_at: Option<String>,
}

pub(super) static COMPANY_PAGE: Sql =
    Sql::new("exc_company.page", "SELECT id, name, created_at FROM exc_company WHERE id > ?1 ORDER BY id LIMIT ?2");
pub(super) static SUBSYSTEM_PAGE: Sql = Sql::new(
    "exc_subsystem.page",
    "SELECT id, company, name, created_at FROM exc_subsystem WHERE (company, id) > (?1, ?2) ORDER BY company, id LIMIT ?3",
);
pub(super) static SUBSYSTEM_PAGE_OF: Sql = Sql::new(
    "exc_subsystem.page_of",
    "SELECT id, company, name, created_at FROM exc_subsystem WHERE company = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
macro_rules! databases {
    ($of:literal) => {
        concat!(
            "SELECT id, company, created_at, contact_at, queued FROM exc_database WHERE id > ?1",
            $of,
            " ORDER BY id LIMIT ?2"
        )
    };
}
pub(super) static DATABASE_PAGE: Sql = Sql::new("exc_database.page", databases!(""));
pub(super) static DATABASE_PAGE_OF: Sql = Sql::new("exc_database.page_of", databases!(" AND company = ?3"));
macro_rules! devices {
    ($of:literal) => {
        concat!("SELECT id, company, subsystem, name, state, code, created_at, contact_at FROM exc_device WHERE ", $of)
    };
}
pub(super) static DEVICE_PAGE: Sql = Sql::new("exc_device.page", devices!("id > ?1 ORDER BY id LIMIT ?2"));
pub(super) static DEVICE_PAGE_OF: Sql =
    Sql::new("exc_device.page_of", devices!("id > ?1 AND company = ?3 ORDER BY id LIMIT ?2"));
pub(super) static DEVICE_PAGE_IN: Sql =
    Sql::new("exc_device.page_in", devices!("id > ?1 AND subsystem = ?3 ORDER BY id LIMIT ?2"));
pub(super) static DEVICE_PAGE_OF_IN: Sql =
    Sql::new("exc_device.page_of_in", devices!("id > ?1 AND company = ?3 AND subsystem = ?4 ORDER BY id LIMIT ?2"));
pub(super) static DEVICE_VIEW: Sql = Sql::new("exc_device.view", devices!("id = ?1"));

fn companies(tx: &mut dyn Tx, wanted: &PartiesOf) -> OpResult<Vec<CompanyView>> {
    let rows = tx.query(&COMPANY_PAGE, args![&wanted.after, i64::from(wanted.limit)], wanted.limit as usize)?;
    let view = |row: &Row| {
        let [id, name] = [0, 1].map(|column| row.text(column).to_owned());
        CompanyView { id, name, created_at: Wall(row.int(2)).rfc3339() }
    };
    Ok(rows.iter().map(view).collect())
}

fn subsystems(tx: &mut dyn Tx, wanted: &PartiesOf) -> OpResult<Vec<SubsystemView>> {
    let (company, id) = wanted.after.split_once('/').unwrap_or((&wanted.after, ""));
    let (limit, most) = (i64::from(wanted.limit), wanted.limit as usize);
    let rows = match &wanted.company {
        None => tx.query(&SUBSYSTEM_PAGE, args![company, id, limit], most)?,
        Some(of) => tx.query(&SUBSYSTEM_PAGE_OF, args![of, id, limit], most)?,
    };
    let view = |row: &Row| {
        let [id, company, name] = [0, 1, 2].map(|column| row.text(column).to_owned());
        SubsystemView { id, company, name, created_at: Wall(row.int(3)).rfc3339() }
    };
    Ok(rows.iter().map(view).collect())
}

fn databases(tx: &mut dyn Tx, wanted: &PartiesOf) -> OpResult<Vec<DatabaseView>> {
    let (after, limit, most) = (&wanted.after, i64::from(wanted.limit), wanted.limit as usize);
    let rows = match &wanted.company {
        None => tx.query(&DATABASE_PAGE, args![after, limit], most)?,
        Some(company) => tx.query(&DATABASE_PAGE_OF, args![after, limit, company], most)?,
    };
    let view = |row: &Row| DatabaseView {
        id: row.text(0).to_owned(),
        company: row.text(1).to_owned(),
        created_at: Wall(row.int(2)).rfc3339(),
        contact_at: row.opt_int(3).map(|at| Wall(at).rfc3339()),
        queued: row.int(4),
    };
    Ok(rows.iter().map(view).collect())
}

fn devices(tx: &mut dyn Tx, wanted: &PartiesOf) -> OpResult<Vec<DeviceView>> {
    let (after, limit, most) = (&wanted.after, i64::from(wanted.limit), wanted.limit as usize);
    let rows = match (&wanted.company, &wanted.subsystem) {
        (None, None) => tx.query(&DEVICE_PAGE, args![after, limit], most)?,
        (Some(company), None) => tx.query(&DEVICE_PAGE_OF, args![after, limit, company], most)?,
        (None, Some(subsystem)) => tx.query(&DEVICE_PAGE_IN, args![after, limit, subsystem], most)?,
        (Some(company), Some(subsystem)) => {
            tx.query(&DEVICE_PAGE_OF_IN, args![after, limit, company, subsystem], most)?
        }
    };
    Ok(rows.iter().map(device).collect())
}

fn show_device(tx: &mut dyn Tx, id: &String) -> OpResult<DeviceView> {
    let absent = || OpError::new(NPARTY, format!("no device `{}`", kernel::watch::shown(id, 80)));
    tx.query_one(&DEVICE_VIEW, args![id])?.as_ref().map(device).ok_or_else(absent)
}

fn device(row: &Row) -> DeviceView {
    let [id, company, subsystem, name, state] = [0, 1, 2, 3, 4].map(|column| row.text(column).to_owned());
    let has_code = row.opt_blob(5).is_some();
    let (created_at, contact_at) = (Wall(row.int(6)).rfc3339(), row.opt_int(7).map(|at| Wall(at).rfc3339()));
    DeviceView { id, company, subsystem, name, state, has_code, created_at, contact_at }
}
