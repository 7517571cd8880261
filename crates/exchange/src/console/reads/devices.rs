//! Devices with their counters, newest first.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;

use crate::codes::NPARTY;

/// A page of devices.
pub(in super::super) static DEVICES: Query<DevicesOf, Vec<DeviceLine>> = Query::new("exchange.page_devices", page);
/// One device.
pub(in super::super) static DEVICE: Query<String, DeviceLine> = Query::new("exchange.page_device", one);

/// Behind every id: they are letters and digits.
const END: &str = "~";

/// Which devices.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct DevicesOf {
    pub(in super::super) company: Option<String>,
    /// Only with a company.
    pub(in super::super) subsystem: Option<String>,
    /// Behind this one: its subsystem and its id.
    pub(in super::super) after: Option<(String, String)>,
    pub(in super::super) limit: u32,
}

/// A device.
#[derive(Debug, Clone)]
pub(in super::super) struct DeviceLine {
    pub(in super::super) id: String,
    pub(in super::super) company: String,
    pub(in super::super) subsystem: String,
    pub(in super::super) name: String,
    pub(in super::super) state: String,
    pub(in super::super) key: Option<String>,
    pub(in super::super) has_code: bool,
    pub(in super::super) created_at: Wall,
    pub(in super::super) contact_at: Option<Wall>,
    pub(in super::super) sent: i64,
    pub(in super::super) processed: i64,
    pub(in super::super) errors: i64,
    pub(in super::super) deadlocks: i64,
    pub(in super::super) bytes: i64,
}

macro_rules! devices {
    ($of:literal) => {
        concat!(
            "SELECT id, company, subsystem, name, state, key_id, code, created_at, contact_at, sent, processed, errors, deadlocks, bytes ",
            "FROM exc_device WHERE ",
            $of
        )
    };
}
pub(super) static ALL: Sql = Sql::new("exc_device.lines", devices!("id < ?1 ORDER BY id DESC LIMIT ?2"));
pub(super) static OF: Sql = Sql::new(
    "exc_device.lines_of",
    devices!("company = ?1 AND (subsystem, id) < (?2, ?3) ORDER BY subsystem DESC, id DESC LIMIT ?4"),
);
pub(super) static OF_SUBSYSTEM: Sql = Sql::new(
    "exc_device.lines_of_subsystem",
    devices!("company = ?1 AND subsystem = ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4"),
);
pub(super) static ONE: Sql = Sql::new("exc_device.line", devices!("id = ?1"));

fn page(tx: &mut dyn Tx, wanted: &DevicesOf) -> OpResult<Vec<DeviceLine>> {
    let (limit, most) = (i64::from(wanted.limit), wanted.limit as usize);
    let end = (END.to_owned(), END.to_owned());
    let (subsystem, id) = wanted.after.as_ref().unwrap_or(&end);
    let rows = match (&wanted.company, &wanted.subsystem) {
        (None, _) => tx.query(&ALL, args![id, limit], most)?,
        (Some(company), None) => tx.query(&OF, args![company, subsystem, id, limit], most)?,
        (Some(company), Some(of)) => tx.query(&OF_SUBSYSTEM, args![company, of, id, limit], most)?,
    };
    Ok(rows.iter().map(line).collect())
}

fn one(tx: &mut dyn Tx, id: &String) -> OpResult<DeviceLine> {
    let absent = || OpError::new(NPARTY, format!("no device `{}`", kernel::watch::shown(id, 80)));
    tx.query_one(&ONE, args![id])?.as_ref().map(line).ok_or_else(absent)
}

fn line(row: &Row) -> DeviceLine {
    let [id, company, subsystem, name, state] = [0, 1, 2, 3, 4].map(|column| row.text(column).to_owned());
    let [sent, processed, errors, deadlocks, bytes] = [9, 10, 11, 12, 13].map(|at| row.int(at));
    DeviceLine {
        id,
        company,
        subsystem,
        name,
        state,
        key: row.opt_text(5).map(str::to_owned),
        has_code: row.opt_blob(6).is_some(),
        created_at: Wall(row.int(7)),
        contact_at: row.opt_int(8).map(Wall),
        sent,
        processed,
        errors,
        deadlocks,
        bytes,
    }
}
