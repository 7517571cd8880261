//! How far indexes are filled.

use base::limits::OP_ROWS_MAX;
use base::{OpResult, Sql, Tx, args};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) static GET_FIELD: Sql =
    Sql::new("doc_field.get", "SELECT class, kind, state, looked_at FROM doc_field WHERE number = ?1");
pub(crate) static FILLING: Sql = Sql::new(
    "doc_field.filling",
    "SELECT class, item, field, looked_at FROM doc_field WHERE state = 'filling' ORDER BY number LIMIT 5000",
);

/// An index that is being filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Filling {
    /// Class of the documents.
    #[serde(skip)]
    pub class: String,
    /// Class of the items.
    pub item: String,
    /// The field.
    pub field: String,
    /// How many items and traces of deleted ones were looked at so far.
    pub looked_at: i64,
}

/// All indexes that are being filled.
pub(crate) fn filling(tx: &mut dyn Tx) -> OpResult<Vec<Filling>> {
    let rows = tx.query(&FILLING, args![], OP_ROWS_MAX)?;
    let text = |row: &base::Row, column| row.text(column).to_owned();
    let of = |row| Filling { class: text(row, 0), item: text(row, 1), field: text(row, 2), looked_at: row.int(3) };
    Ok(rows.iter().map(of).collect())
}

/// How much was looked at to fill an index.
pub(crate) fn looked_at(tx: &mut dyn Tx, number: i64) -> OpResult<i64> {
    Ok(tx.query_one(&GET_FIELD, args![number])?.map_or(0, |row| row.int(3)))
}
