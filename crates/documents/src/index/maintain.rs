//! Keeps indexes with every change of an item: only what differs is written.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};
use replica::ItemKey;

use super::values::{IndexValue, values_of};
use crate::class::{Compiled, Field, FieldKind, KEY_FIELD};
use crate::content::{Stored, parse, properties};

/// By [`FieldKind`]: text, int, real.
pub(crate) static INSERT_VALUE: [Sql; 3] = [
    Sql::new(
        "doc_text.insert",
        "INSERT INTO doc_text (field, value, id, key) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    ),
    Sql::new(
        "doc_int.insert",
        "INSERT INTO doc_int (field, value, id, key) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    ),
    Sql::new(
        "doc_real.insert",
        "INSERT INTO doc_real (field, value, id, key) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    ),
];
pub(crate) static DELETE_VALUE: [Sql; 3] = [
    Sql::new("doc_text.delete", "DELETE FROM doc_text WHERE field = ?1 AND value = ?2 AND id = ?3 AND key = ?4"),
    Sql::new("doc_int.delete", "DELETE FROM doc_int WHERE field = ?1 AND value = ?2 AND id = ?3 AND key = ?4"),
    Sql::new("doc_real.delete", "DELETE FROM doc_real WHERE field = ?1 AND value = ?2 AND id = ?3 AND key = ?4"),
];
pub(crate) static DELETE_ALL: [Sql; 3] = [
    Sql::new("doc_text.delete_all", "DELETE FROM doc_text WHERE field = ?1 AND id = ?2"),
    Sql::new("doc_int.delete_all", "DELETE FROM doc_int WHERE field = ?1 AND id = ?2"),
    Sql::new("doc_real.delete_all", "DELETE FROM doc_real WHERE field = ?1 AND id = ?2"),
];

/// Brings the indexes of an item from what it held to what it holds; by how many values they grew.
pub(crate) fn change(
    tx: &mut dyn Tx,
    class: &Compiled,
    (id, at): (&str, &ItemKey),
    strict: Strict,
    before: Option<&Stored>,
    after: Option<&Stored>,
) -> OpResult<i64> {
    let mut grown = 0;
    if class.fields_of(&at.c).next().is_none() {
        return Ok(grown);
    }
    let (before, after) = (indexed(class, at, before)?, indexed(class, at, after)?);
    for field in class.fields_of(&at.c) {
        let old = values(field, &at.k, before.as_ref(), Strict::No)?;
        let new = values(field, &at.k, after.as_ref(), strict)?;
        let revived = mutants::on(Mutant::CopyRevived) && field.field == KEY_FIELD;
        for value in old.iter().filter(|value| !new.contains(value) && !revived) {
            tx.write(&DELETE_VALUE[field.kind as usize], &row(field, value, id, &at.k))?;
        }
        for value in new.iter().filter(|value| !old.contains(value) || !field.ready) {
            tx.write(&INSERT_VALUE[field.kind as usize], &row(field, value, id, &at.k))?;
        }
        grown += count(&new) - count(&old);
    }
    Ok(grown)
}

fn count(values: &[IndexValue]) -> i64 {
    i64::try_from(values.len()).unwrap_or(i64::MAX)
}

/// Takes a document out of all indexes of its class.
pub(crate) fn erase(tx: &mut dyn Tx, class: &Compiled, id: &str) -> OpResult<()> {
    class.fields.iter().try_for_each(|field| Ok(tx.write(&DELETE_ALL[field.kind as usize], args![field.number, id])?))
}

pub(super) fn row<'a>(field: &Field, value: &'a IndexValue, id: &'a str, key: &'a str) -> [base::Value<'a>; 4] {
    [field.number.into(), value.arg(), id.into(), key.into()]
}

/// Whether a value that does not fit is an error: what is stored already may be older than the index, and what a deferred copy
/// brings was never checked for the class that it comes to (DOC-14). Such a value is in no index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strict {
    /// It is.
    Yes,
    /// It is left out.
    No,
}

pub(crate) enum Held {
    Json(serde_json::Value),
    Raw,
}

/// What indexes look at of an item.
fn indexed(class: &Compiled, at: &ItemKey, content: Option<&Stored>) -> OpResult<Option<Held>> {
    let wanted = |name: &str| class.fields_of(&at.c).any(|field| field.field == name);
    let held = |content: &Stored| match content.raw {
        true => Ok(Held::Raw),
        false => properties(&content.text, wanted).map(Held::Json),
    };
    content.map(held).transpose()
}

pub(crate) fn held(content: Option<&Stored>) -> OpResult<Option<Held>> {
    content.map(|content| if content.raw { Ok(Held::Raw) } else { parse(&content.text).map(Held::Json) }).transpose()
}

pub(crate) fn values(field: &Field, key: &str, held: Option<&Held>, strict: Strict) -> OpResult<Vec<IndexValue>> {
    let values = match held {
        None => return Ok(vec![]),
        Some(Held::Json(value)) => values_in(field, key, Some(value)),
        Some(Held::Raw) => values_in(field, key, None),
    };
    match values {
        Err(_) if strict == Strict::No => Ok(vec![]),
        other => other,
    }
}

/// The values of a field of an item that exists; `json` is `None` if its content is opaque.
///
/// # Errors
/// `AITEM` or `ALIMIT`: a value does not fit the index.
pub(crate) fn values_in(field: &Field, key: &str, json: Option<&serde_json::Value>) -> OpResult<Vec<IndexValue>> {
    if field.field == KEY_FIELD {
        return Ok(vec![IndexValue::Text(key.to_owned())]);
    }
    json.map_or(Ok(vec![]), |json| values_of(field, json))
}

const _: () = assert!(FieldKind::Text as usize == 0 && FieldKind::Int as usize == 1 && FieldKind::Real as usize == 2);
