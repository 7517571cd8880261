//! Shows one sensor, and lists them by a prefix of id or address and by state.
//!
//! A page looks at a bounded number of sensors, so that it is quick among a million. It may therefore hold fewer than asked for, even
//! none, and still have a next page: whoever lists goes on until `next` is `None`.

use base::{OpResult, Row, Sql, Tx, args};
use kernel::Query;

use super::view::{SensorState, SensorView, view_columns};
use super::walk::{Along, Place, fits};
use crate::id::SensorId;
use crate::limits::LOOKED_AT_MAX;

/// One sensor.
pub static SHOW_SENSOR: Query<SensorId, SensorView> = Query::new("sensor.show", show);
/// A page of sensors.
pub static LIST_SENSORS: Query<ListOf, Sensors> = Query::new("sensor.list", list);

/// Sensors that are read at once.
const STEP: usize = 500;

/// Which sensors: by address if a prefix of it is given, lost ones in the order in which they were lost, else by id.
#[derive(Debug, Clone, Default)]
pub struct ListOf {
    /// Only ids that start with this.
    pub prefix: String,
    /// Only addresses that start with this.
    pub address: String,
    /// Only those.
    pub state: Option<SensorState>,
    /// After this one: `next` of the page before.
    pub after: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensors {
    /// Those that were found.
    pub items: Vec<SensorView>,
    /// After which the next page begins; `None` at the end.
    pub next: Option<String>,
}

pub(super) static ONE: Sql =
    Sql::new("sensor.one", concat!("SELECT ", view_columns!(), " FROM sensor s WHERE s.id = ?1"));

pub(crate) fn show(tx: &mut dyn Tx, id: &SensorId) -> OpResult<SensorView> {
    let row = tx.query_one(&ONE, args![id.as_str()])?;
    row.as_ref().map(SensorView::read).ok_or_else(|| super::absent(*id))
}

fn list(tx: &mut dyn Tx, wanted: &ListOf) -> OpResult<Sensors> {
    let along = Along::of(&wanted.address, &wanted.prefix, wanted.state);
    let start = if along == Along::Addresses { &wanted.address } else { &wanted.prefix };
    let (mut items, mut looked_at) = (vec![], 0);
    let mut place = wanted.after.as_deref().map(Place::parse);
    while looked_at < LOOKED_AT_MAX {
        let step = along.step(tx, start, place.as_ref(), STEP)?;
        looked_at += step.len();
        for row in &step {
            if is_behind(along, row, wanted) {
                return Ok(Sensors { items, next: None });
            }
            if items.len() == wanted.limit {
                return Ok(Sensors { items, next: place.map(|place| place.cursor()) });
            }
            place = Some(along.place(row));
            items.extend(
                Some(SensorView::read(row)).filter(|view| fits(view, (&wanted.prefix, &wanted.address), wanted.state)),
            );
        }
        if step.len() < STEP {
            return Ok(Sensors { items, next: None });
        }
    }
    Ok(Sensors { items, next: place.map(|place| place.cursor()) })
}

/// Whether everything that begins with the prefix lies behind us.
fn is_behind(along: Along, row: &Row, wanted: &ListOf) -> bool {
    match along {
        Along::Ids => !row.text(0).starts_with(&wanted.prefix),
        Along::Addresses => !row.text(1).starts_with(&wanted.address),
        Along::Lost => false,
    }
}
