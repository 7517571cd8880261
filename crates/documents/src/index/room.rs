//! How many indexed values a document may have: so many that one operation can take all of them out again. Only lists can make them more.

use base::{OpError, OpResult, Sql, Tx, args, codes};

use crate::class::Compiled;
use crate::limits::INDEXED_OF_DOCUMENT_MAX;

/// By [`crate::class::FieldKind`], up to a number.
pub(crate) static COUNT_VALUES: [Sql; 3] = [
    Sql::new(
        "doc_text.count_of",
        "SELECT COUNT(*) FROM (SELECT key FROM doc_text WHERE field = ?1 AND id = ?2 ORDER BY field, id, key LIMIT ?3) AS counted",
    ),
    Sql::new(
        "doc_int.count_of",
        "SELECT COUNT(*) FROM (SELECT key FROM doc_int WHERE field = ?1 AND id = ?2 ORDER BY field, id, key LIMIT ?3) AS counted",
    ),
    Sql::new(
        "doc_real.count_of",
        "SELECT COUNT(*) FROM (SELECT key FROM doc_real WHERE field = ?1 AND id = ?2 ORDER BY field, id, key LIMIT ?3) AS counted",
    ),
];

/// Refuses a document with too many values, given its items and their bytes.
///
/// # Errors
/// `ALIMIT`.
pub(crate) fn check_room(tx: &mut dyn Tx, class: &Compiled, id: &str, items: i64, bytes: i64) -> OpResult<()> {
    if !may_be_full(class, items, bytes) {
        return Ok(());
    }
    let mut left = INDEXED_OF_DOCUMENT_MAX;
    for field in &class.fields {
        let found = tx.query_one(&COUNT_VALUES[field.kind as usize], args![field.number, id, left + 1])?;
        left -= found.map_or(0, |row| row.int(0));
        if left < 0 {
            let name = &class.decl.class;
            let text = format!("document {name}/{id} would have more than {INDEXED_OF_DOCUMENT_MAX} indexed values");
            return Err(OpError::new(codes::ALIMIT, text));
        }
    }
    Ok(())
}

/// Whether it is worth counting: a value takes two bytes at least, and each item has one key.
fn may_be_full(class: &Compiled, items: i64, bytes: i64) -> bool {
    may_have_many(class) && bytes / 2 + items > INDEXED_OF_DOCUMENT_MAX
}

/// Whether a document of the class can have more than fit.
pub(super) fn may_have_many(class: &Compiled) -> bool {
    class.fields.iter().any(|field| field.list)
}
