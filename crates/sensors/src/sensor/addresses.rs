//! Sensors counted by address: the parts of addresses that follow a prefix, each with how many sensors there are open, closed, lost
//! and never heard. A map of all doors that a person can walk into, part by part.
//!
//! A page looks at a bounded number of sensors; one that ends within a part goes on there on the next page, so the same part may be
//! on two pages and its numbers are to be added up.

use base::{OpResult, Row, Sql, Tx, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::address::next_part;
use super::view::SensorState;

/// Counts sensors by the next part of their addresses.
pub static ADDRESSES: Query<AddressesOf, AddressCounts> = Query::new("sensor.addresses", count);

/// Sensors that one page looks at.
const PAGE: usize = 4_000;

/// Below which part.
#[derive(Debug, Clone, Default)]
pub struct AddressesOf {
    /// Only addresses that begin so.
    pub prefix: String,
    /// After this: `next` of the page before.
    pub after: Option<String>,
    /// At most so many parts.
    pub limit: usize,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressCounts {
    /// Parts in order.
    pub items: Vec<AddressCount>,
    /// After which the next page begins; `None` at the end.
    pub next: Option<String>,
}

/// A part of addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AddressCount {
    /// The beginning that these addresses share, up to the comma that ends the next part and the blanks behind it: the
    /// prefix to look further with.
    #[schema(example = "Moscow, Russia, ")]
    pub address: String,
    /// Whether this is a whole address, with no further part.
    pub whole: bool,
    /// Sensors there whose last signal said open.
    pub open: i64,
    /// Sensors there whose last signal said closed.
    pub closed: i64,
    /// Sensors there that are lost.
    pub lost: i64,
    /// Sensors there that were never heard and are not lost yet.
    pub never: i64,
}

pub(super) static FROM: Sql = Sql::new(
    "sensor.addresses_from",
    "SELECT address, id, data, lost_since FROM sensor WHERE (address, id) > (?1, ?2) ORDER BY address, id LIMIT ?3",
);

fn count(tx: &mut dyn Tx, wanted: &AddressesOf) -> OpResult<AddressCounts> {
    let after = wanted.after.as_deref().and_then(|cursor| cursor.split_once(' '));
    let (id, address) = after.unwrap_or(("", &wanted.prefix));
    let rows = tx.query(&FROM, args![address, id, i64::try_from(PAGE).unwrap_or(i64::MAX)], PAGE)?;
    Ok(counted(&rows, &wanted.prefix, wanted.limit))
}

fn counted(rows: &[Row], prefix: &str, limit: usize) -> AddressCounts {
    let mut items: Vec<AddressCount> = vec![];
    let mut last: Option<&Row> = None;
    let cursor = |row: &Row| format!("{} {}", row.text(1), row.text(0));
    for row in rows {
        if !row.text(0).starts_with(prefix) {
            return AddressCounts { items, next: None };
        }
        let part = next_part(row.text(0), prefix);
        if items.last().is_none_or(|item| item.address != part) {
            if items.len() == limit {
                return AddressCounts { items, next: last.map(cursor) };
            }
            let whole = part.len() == row.text(0).len();
            items.push(AddressCount { address: part.to_owned(), whole, ..AddressCount::default() });
        }
        items.iter_mut().last().into_iter().for_each(|item| item.add(row));
        last = Some(row);
    }
    let is_end = rows.len() < PAGE;
    AddressCounts { items, next: last.filter(|_| !is_end).map(cursor) }
}

impl AddressCount {
    fn add(&mut self, row: &Row) {
        let count = match SensorState::of(row.opt_int(2), row.opt_int(3).is_some()) {
            SensorState::Open => &mut self.open,
            SensorState::Closed => &mut self.closed,
            SensorState::Lost => &mut self.lost,
            SensorState::Never => &mut self.never,
        };
        *count += 1;
    }
}
