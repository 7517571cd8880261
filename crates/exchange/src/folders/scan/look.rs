//! Rows, a page at a time: those of a place in the order of their index, so that a page costs the same wherever it is.

use base::{Heard, OpResult, Row, Sql, Tx, args};
use kernel::Query;

use super::Known;
use crate::folders::clerk::file_name;

/// Databases, after one.
pub(super) static DATABASES_AFTER: Query<String, Vec<String>> = Query::new("exchange.scan_databases", databases);
/// A page of the messages of a database in a place.
pub(super) static PAGE_OF: Query<Page, Vec<(Mark, Known)>> = Query::new("exchange.scan_page", page);
/// A page of what is due, in any database.
pub(super) static DUE_AFTER: Query<(Heard, i64), Vec<Due>> = Query::new("exchange.scan_due", due);
/// Messages of a database by their numbers.
pub(super) static THESE: Query<(String, Vec<i64>), Vec<Known>> = Query::new("exchange.scan_these", these);

/// Rows of a page.
pub(super) const PAGE_ROWS: usize = 500;

/// Where a page begins: after this time, order and number.
pub(super) type Mark = (i64, i64, i64);

/// A message that is due.
#[derive(Debug)]
pub(super) struct Due {
    /// Where the next page begins.
    pub(super) mark: (Heard, i64),
    pub(super) db: String,
    pub(super) known: Known,
}

/// Which page.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) db: String,
    pub(super) place: &'static str,
    pub(super) after: Mark,
}

macro_rules! columns {
    () => {
        "m.number, m.id, m.db, m.sender, m.receiver, m.subsystem, m.at, m.ord, m.place, m.on_disk, m.process, m.size, m.due, \
         (SELECT COUNT(*) FROM exc_body b WHERE b.number = m.number), m.flaw, \
         (SELECT COUNT(*) FROM exc_packed p WHERE p.number = m.number)"
    };
}

pub(super) static DATABASES: Sql =
    Sql::new("exc_database.after", "SELECT id FROM exc_database WHERE id > ?1 ORDER BY id LIMIT 500");
pub(super) static PAGE: Sql = Sql::new(
    "exc_message.scan_page",
    concat!(
        "SELECT ",
        columns!(),
        " FROM exc_message m WHERE m.db = ?1 AND m.place = ?2 AND (m.at, m.ord, m.number) > (?3, ?4, ?5) \
         ORDER BY m.at, m.ord, m.number LIMIT ?6"
    ),
);
pub(super) static DUE: Sql = Sql::new(
    "exc_message.scan_due",
    concat!(
        "SELECT ",
        columns!(),
        " FROM exc_message m WHERE m.due IS NOT NULL AND (m.due, m.number) > (?1, ?2) ORDER BY m.due, m.number LIMIT ?3"
    ),
);
pub(super) static ONE: Sql = Sql::new(
    "exc_message.scan_one",
    concat!("SELECT ", columns!(), " FROM exc_message m WHERE m.number = ?1 AND m.db = ?2"),
);

fn databases(tx: &mut dyn Tx, after: &String) -> OpResult<Vec<String>> {
    Ok(tx.query(&DATABASES, args![after], 500)?.iter().map(|row| row.text(0).to_owned()).collect())
}

fn page(tx: &mut dyn Tx, page: &Page) -> OpResult<Vec<(Mark, Known)>> {
    let ((at, order, number), limit) = (page.after, i64::try_from(PAGE_ROWS).unwrap_or(i64::MAX));
    let rows = tx.query(&PAGE, args![&page.db, page.place, at, order, number, limit], PAGE_ROWS)?;
    Ok(rows.iter().map(|row| ((row.int(6), row.int(7), row.int(0)), known(row))).collect())
}

fn due(tx: &mut dyn Tx, after: &(Heard, i64)) -> OpResult<Vec<Due>> {
    let limit = i64::try_from(PAGE_ROWS).unwrap_or(i64::MAX);
    let rows = tx.query(&DUE, args![after.0, after.1, limit], PAGE_ROWS)?;
    let read =
        |row: &Row| Due { mark: (Heard(row.int(12)), row.int(0)), db: row.text(2).to_owned(), known: known(row) };
    Ok(rows.iter().map(read).collect())
}

fn these(tx: &mut dyn Tx, (db, numbers): &(String, Vec<i64>)) -> OpResult<Vec<Known>> {
    let mut found = vec![];
    for number in numbers {
        found.extend(one(tx, db, *number)?);
    }
    Ok(found)
}

/// A message of a database, if it is there.
pub(super) fn one(tx: &mut dyn Tx, db: &str, number: i64) -> OpResult<Option<Known>> {
    Ok(tx.query_one(&ONE, args![number, db])?.as_ref().map(known))
}

fn known(row: &Row) -> Known {
    Known {
        number: row.int(0),
        name: file_name(row),
        place: row.text(8).to_owned(),
        on_disk: row.opt_text(9).map(str::to_owned),
        is_held: row.opt_text(10).is_some(),
        size: row.int(11),
        is_due: row.opt_int(12).is_some(),
        has_text: row.int(13) > 0,
        is_flawed: row.opt_text(14).is_some(),
        is_packed: row.int(15) > 0,
    }
}
