//! What must hold of documents in every committed state. Counters and places are looked at everywhere; values in indexes and
//! references to bytes in a sample, because they are in JSON, which no engine reads like the other.

use base::limits::OP_ROWS_MAX;
use base::{OpResult, Row, Sql, StoreResult, Tx, args};
use kernel::{Invariant, Violation};

use crate::attachments::{Attachment, OWNER_KIND, owner_id};
use crate::class::{ALL_CLASSES, ATTACHMENT, Compiled, Field, parse};
use crate::doc::{StoredItem, item_of};
use crate::index::{Strict, held, values};

/// What holds.
pub(crate) static INVARIANTS: [Invariant; 6] = [
    Invariant { name: "a document's counters are those of its items", check: |tx| found(tx, &COUNTERS) },
    Invariant { name: "items are of a document that is there, none newer than it", check: |tx| found(tx, &MISPLACED) },
    Invariant {
        name: "changes are of a document that is remembered, none newer than it",
        check: |tx| found(tx, &ASTRAY),
    },
    Invariant { name: "an index entry is that of an item", check: entries },
    Invariant { name: "an item's values are in the indexes", check: |tx| Ok(told(indexed(tx))) },
    Invariant { name: "bytes are referred to by the attachments that name them", check: |tx| Ok(told(attached(tx))) },
];

pub(crate) static COUNTERS: Sql = Sql::new(
    "doc.miscounted",
    "SELECT d.class, d.id, d.live, d.gone, d.v1 FROM doc d LEFT JOIN (SELECT class, id, \
     SUM(CASE WHEN content IS NULL THEN 0 ELSE 1 END) AS live, SUM(CASE WHEN content IS NULL THEN 1 ELSE 0 END) AS gone, \
     SUM(COALESCE(OCTET_LENGTH(content), 0)) AS bytes FROM doc_item GROUP BY class, id) i ON i.class = d.class AND i.id = d.id \
     WHERE d.live <> COALESCE(i.live, 0) OR d.gone <> COALESCE(i.gone, 0) OR d.v1 <> COALESCE(i.bytes, 0) \
     ORDER BY d.class, d.id LIMIT 100",
);
pub(crate) static MISPLACED: Sql = Sql::new(
    "doc_item.misplaced",
    "SELECT i.class, i.id, i.version, i.ord, COALESCE(d.version, 0) FROM doc_item i LEFT JOIN doc d ON d.class = i.class AND d.id = i.id \
     WHERE d.id IS NULL OR d.ctime = 0 OR i.version > d.version OR i.ord > i.version OR d.dtime > d.version \
     OR d.ctime > d.dtime OR i.version < d.ctime OR (i.content IS NULL AND i.version < d.dtime) \
     ORDER BY i.class, i.id, i.item, i.key LIMIT 100",
);

pub(crate) static ASTRAY: Sql = Sql::new(
    "doc_change.astray",
    "SELECT c.class, c.id, c.place, c.version, COALESCE(d.version, 0) FROM doc_change c \
     LEFT JOIN doc d ON d.class = c.class AND d.id = c.id \
     WHERE d.id IS NULL OR c.version > d.version OR c.place >= d.changes ORDER BY c.class, c.id, c.place LIMIT 100",
);

macro_rules! strays {
    ($table:literal) => {
        Sql::new(
            concat!($table, ".stray"),
            concat!(
                "SELECT f.class, t.id, t.field FROM ",
                $table,
                " t JOIN doc_field f ON f.number = t.field LEFT JOIN doc_item i ON i.class = f.class AND i.id = t.id \
                 AND i.item = f.item AND i.key = t.key WHERE f.state <> 'dropping' AND i.content IS NULL \
                 ORDER BY t.field, t.id, t.key LIMIT 100"
            ),
        )
    };
}
macro_rules! counts {
    ($table:literal) => {
        Sql::new(
            concat!($table, ".count"),
            concat!(
                "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN value = ?2 THEN 1 ELSE 0 END), 0) AS BIGINT) FROM ",
                $table,
                " WHERE field = ?1 AND id = ?3 AND key = ?4"
            ),
        )
    };
}
/// By kind of field: entries without an item.
pub(crate) static STRAYS: [Sql; 3] = [strays!("doc_text"), strays!("doc_int"), strays!("doc_real")];
/// By kind of field: the entries of an item, and those of one value among them.
pub(crate) static ENTRIES: [Sql; 3] = [counts!("doc_text"), counts!("doc_int"), counts!("doc_real")];

pub(crate) static SAMPLE: Sql = Sql::new(
    "doc_item.sample",
    "SELECT item, key, version, ord, raw, content, id FROM doc_item WHERE class = ?1 AND item = ?2 AND content IS NOT NULL \
     ORDER BY id, key LIMIT 50",
);
pub(crate) static REFERENCE: Sql =
    Sql::new("doc.reference", "SELECT owner_id FROM blob_ref WHERE sha = ?1 AND owner_kind = ?2 AND owner_id = ?3");
pub(crate) static REFERENCES: Sql = Sql::new(
    "doc.references",
    "SELECT sha, owner_id FROM blob_ref WHERE owner_kind = ?1 AND NOT EXISTS (SELECT 1 FROM doc_item WHERE item = ?2 \
     AND content IS NOT NULL AND class || ?3 || id || ?3 || key = blob_ref.owner_id) ORDER BY sha, owner_id LIMIT 100",
);
pub(crate) static WITH_ATTACHMENTS: Sql = Sql::new(
    "doc.with_attachments",
    "SELECT d.class, d.id, d.v2 FROM doc d WHERE d.v2 <> 0 OR EXISTS (SELECT 1 FROM doc_item i WHERE i.class = d.class \
     AND i.id = d.id AND i.item = ?1 AND i.content IS NOT NULL) ORDER BY d.class, d.id LIMIT 50",
);

fn found(tx: &mut dyn Tx, sql: &'static Sql) -> StoreResult<Vec<Violation>> {
    let say = |row: &Row| Violation(format!("{}/{}: {:?}", row.text(0), row.text(1), &row.0[2..]));
    Ok(tx.query(sql, args![], 100)?.iter().map(say).collect())
}

fn entries(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let found = STRAYS.iter().map(|sql| found(tx, sql)).collect::<StoreResult<Vec<_>>>()?;
    Ok(found.concat())
}

/// A row that cannot be read breaks the invariant too.
fn told(found: OpResult<Vec<String>>) -> Vec<Violation> {
    found.unwrap_or_else(|error| vec![error.to_string()]).into_iter().map(Violation).collect()
}

fn indexed(tx: &mut dyn Tx) -> OpResult<Vec<String>> {
    let mut wrong = vec![];
    for row in &tx.query(&ALL_CLASSES, args![], OP_ROWS_MAX)? {
        let class: Compiled = parse(row.text(0))?;
        for field in class.fields.iter().filter(|field| field.ready) {
            for row in &tx.query(&SAMPLE, args![&class.decl.class, &field.item], 50)? {
                wrong.extend(missing(tx, field, row)?);
            }
        }
    }
    Ok(wrong)
}

/// What is wrong with the entries of one item in one index.
fn missing(tx: &mut dyn Tx, field: &Field, row: &Row) -> OpResult<Option<String>> {
    let (at, item) = item_of(row);
    let (id, sql) = (row.text(6), &ENTRIES[field.kind as usize]);
    let values = values(field, &at.k, held(item.content.as_ref())?.as_ref(), Strict::No)?;
    let expected = i64::try_from(values.len()).unwrap_or(i64::MAX);
    for value in &values {
        let found = tx.query_one(sql, &[field.number.into(), value.arg(), id.into(), at.k.as_str().into()])?;
        let found = found.map_or((0, 0), |row| (row.int(0), row.int(1)));
        if found != (expected, 1) {
            return Ok(Some(format!("{id} {at:?}: {value:?} of {expected} in {}: {found:?}", field.field)));
        }
    }
    Ok(None)
}

fn attached(tx: &mut dyn Tx) -> OpResult<Vec<String>> {
    let lost = tx.query(&REFERENCES, args![OWNER_KIND, ATTACHMENT, "\u{1f}"], 100)?;
    let mut wrong: Vec<String> = lost.iter().map(|row| format!("{:?} names nothing", row.text(1))).collect();
    for row in &tx.query(&WITH_ATTACHMENTS, args![ATTACHMENT], 50)? {
        let (class, id) = (row.text(0), row.text(1));
        let mut bytes = 0;
        for (key, item) in attachments_of(tx, class, id)? {
            let named = Attachment::of(item.content.as_ref().map_or("", |content| &content.text))?;
            bytes += named.size.unwrap_or(0);
            let owner = owner_id(class, id, &key);
            if tx.query_one(&REFERENCE, args![&named.sha, OWNER_KIND, &owner])?.is_none() {
                wrong.push(format!("{owner:?} names {} and does not refer to it", named.sha));
            }
        }
        if bytes != row.int(2) {
            wrong.push(format!("{class}/{id} has {bytes} bytes of attachments, counted are {}", row.int(2)));
        }
    }
    Ok(wrong)
}

fn attachments_of(tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<Vec<(String, StoredItem)>> {
    let rows = tx.query(&crate::doc::ITEMS_OF, args![class, id, ATTACHMENT], OP_ROWS_MAX)?;
    Ok(rows.iter().map(item_of).map(|(at, item)| (at.k, item)).collect())
}
