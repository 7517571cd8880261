//! Empties an index that is no more declared, in portions.
//!
//! Nothing else writes to it any more: operations know a class's fields from its row, in their own transaction.

use base::{OpError, OpResult, Row, Sql, Tx, Value, args, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

use super::progress::GET_FIELD;
use crate::class::{FieldKind, SET_FIELD_STATE};

pub(crate) const DROP: TaskDef = TaskDef::new("doc.drop_index", plan).queue(2);

/// Entries that one cycle deletes.
const PORTION: usize = 1_000;

/// By [`FieldKind`]: the last entry of a portion.
pub(crate) static PORTION_END: [Sql; 3] = [
    Sql::new(
        "doc_text.portion_end",
        "SELECT value, id, key FROM doc_text WHERE field = ?1 ORDER BY value, id, key LIMIT 1 OFFSET ?2",
    ),
    Sql::new(
        "doc_int.portion_end",
        "SELECT value, id, key FROM doc_int WHERE field = ?1 ORDER BY value, id, key LIMIT 1 OFFSET ?2",
    ),
    Sql::new(
        "doc_real.portion_end",
        "SELECT value, id, key FROM doc_real WHERE field = ?1 ORDER BY value, id, key LIMIT 1 OFFSET ?2",
    ),
];
pub(crate) static DELETE_UNTIL: [Sql; 3] = [
    Sql::new("doc_text.delete_until", "DELETE FROM doc_text WHERE field = ?1 AND (value, id, key) <= (?2, ?3, ?4)"),
    Sql::new("doc_int.delete_until", "DELETE FROM doc_int WHERE field = ?1 AND (value, id, key) <= (?2, ?3, ?4)"),
    Sql::new("doc_real.delete_until", "DELETE FROM doc_real WHERE field = ?1 AND (value, id, key) <= (?2, ?3, ?4)"),
];
pub(crate) static DELETE_REST: [Sql; 3] = [
    Sql::new("doc_text.delete_rest", "DELETE FROM doc_text WHERE field = ?1"),
    Sql::new("doc_int.delete_rest", "DELETE FROM doc_int WHERE field = ?1"),
    Sql::new("doc_real.delete_rest", "DELETE FROM doc_real WHERE field = ?1"),
];
/// The newest row stays: the next number is one more than its, and no number is used twice.
pub(crate) static FORGET_DROPPED: Sql = Sql::new(
    "doc_field.forget_dropped",
    "DELETE FROM doc_field WHERE state = 'dropped' AND number < (SELECT MAX(number) FROM doc_field)",
);

fn plan(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let number = super::number_of(task)?;
    let row = tx.query_one(&GET_FIELD, args![number])?;
    let Some(kind) = row.filter(|row| row.text(2) == "dropping").map(|row| kind_of(&row)).transpose()? else {
        return Ok(Plan::Done);
    };
    let end = tx.query_one(&PORTION_END[kind as usize], args![number, i64::try_from(PORTION - 1).unwrap_or(0)])?;
    if let Some(Row(cells)) = end {
        let until: Vec<Value<'_>> =
            [Value::Int(number)].into_iter().chain(cells.into_iter().map(Value::from)).collect();
        tx.write(&DELETE_UNTIL[kind as usize], &until)?;
        return Ok(Plan::Checkpoint("null".into()));
    }
    tx.write(&DELETE_REST[kind as usize], args![number])?;
    tx.write(&SET_FIELD_STATE, args![number, "dropped"])?;
    tx.write(&FORGET_DROPPED, args![])?;
    Ok(Plan::Done)
}

fn kind_of(row: &Row) -> OpResult<FieldKind> {
    let word = row.text(1);
    let kind = FieldKind::ALL.into_iter().find(|kind| kind.word() == word);
    kind.ok_or_else(|| OpError::new(codes::BDETECTED, format!("an indexed field of type `{word}`")))
}
