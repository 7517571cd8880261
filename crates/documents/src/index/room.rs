//! How many indexed values a document may have: so many that one operation can take all of them out again. Only lists can make them more.

use base::{OpError, OpResult, Sql, Tx, args, codes};

use crate::class::{Compiled, Field};
use crate::limits::{INDEXED_OF_DOCUMENT_MAX, INDEXED_VALUES_MAX};

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

/// Whether it is worth counting: a value takes two bytes at least, each item has one key, and a list has so many values.
fn may_be_full(class: &Compiled, items: i64, bytes: i64) -> bool {
    let most = (bytes / 2 + items).min(items.saturating_mul(most_of_an_item(class)));
    may_have_many(class) && most > INDEXED_OF_DOCUMENT_MAX
}

/// Values that an item of the class can have at most.
fn most_of_an_item(class: &Compiled) -> i64 {
    let of = |field: &Field| if field.list { INDEXED_VALUES_MAX } else { 1 };
    let sum = |item: &String| class.fields_of(item).map(of).sum::<usize>();
    let most = class.decl.items.keys().map(sum).max().unwrap_or(0);
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// Whether a document of the class can have more than fit.
pub(super) fn may_have_many(class: &Compiled) -> bool {
    class.fields.iter().any(|field| field.list)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A class with an item of two lists and a number, and one of a text.
    fn class() -> Compiled {
        let decl = json!({ "class": "C", "items": { "A": {}, "B": {} } });
        let field = |number: i64, item: &str, list: bool| json!({ "number": number, "item": item, "field": number.to_string(), "kind": "int", "list": list, "ready": true });
        let fields = [field(1, "A", true), field(2, "A", true), field(3, "A", false), field(4, "B", false)];
        serde_json::from_value(json!({ "decl": decl, "fields": fields })).unwrap()
    }

    #[test]
    fn doc_1_values_are_counted_only_where_there_can_be_too_many() {
        let class = class();
        assert_eq!(most_of_an_item(&class), 201);
        // Few items hold few values, however large they are; small items hold few, however many they are.
        assert!(!may_be_full(&class, 338, 10_000_000) && may_be_full(&class, 339, 10_000_000));
        assert!(!may_be_full(&class, 4_000, 128_000) && may_be_full(&class, 4_000, 128_002));
        let plain = Compiled { fields: vec![class.fields[3].clone()], ..class };
        assert!(!may_be_full(&plain, 4_000, 10_000_000));
    }
}
