//! What documents show on the overview of a namespace: only what is counted in small tables. How many documents there are is not
//! among it, since nobody knows without counting them.

use base::{Sql, StoreResult, Tx, Wall, args};

pub(crate) static CLASSES: Sql = Sql::new("doc_class.count", "SELECT COUNT(*) FROM doc_class");
pub(crate) static FILLING: Sql =
    Sql::new("doc_field.count_filling", "SELECT COUNT(*) FROM doc_field WHERE state = 'filling'");

pub(crate) fn classes(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &CLASSES)
}

pub(crate) fn indexes_filling(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &FILLING)
}

fn count(tx: &mut dyn Tx, sql: &'static Sql) -> StoreResult<i64> {
    Ok(tx.query_one(sql, args![])?.map_or(0, |row| row.int(0)))
}
