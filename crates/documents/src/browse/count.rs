//! How many documents a class has, as far as counting is cheap.

use base::limits::OP_ROWS_MAX;
use base::{OpResult, Sql, Tx, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::class::{ALL_CLASSES, parse};

/// How many documents each class has, without those that are named: their filters may hide some.
pub static CLASS_COUNTS: Query<Vec<&'static str>, Vec<ClassCount>> =
    Query::new("doc.class_counts", |tx, filtered| counts(tx, filtered));

/// Rows of one class that are counted: whole thousands of them where there are many classes, fewer where there are very many.
const COUNTED_MAX: i64 = 10_000;
const COUNTED_LEAST: i64 = 1_000;
/// Rows of all classes together that are counted: a page that somebody looks at counts them again and again.
const BUDGET: i64 = 20_000;

/// Rows that were looked at, and documents among them.
pub(crate) static COUNT: Sql = Sql::new(
    "doc.count",
    "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN first.ctime = 0 THEN 0 ELSE 1 END), 0) AS BIGINT) \
     FROM (SELECT ctime FROM doc WHERE class = ?1 ORDER BY id LIMIT ?2) AS first",
);

/// How many documents a class has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DocumentCount)]
pub struct ClassCount {
    /// Class.
    pub class: String,
    /// So many at least; null if they were not counted.
    pub documents: Option<i64>,
    /// Whether there may be more.
    pub more: bool,
}

fn counts(tx: &mut dyn Tx, filtered: &[&'static str]) -> OpResult<Vec<ClassCount>> {
    let classes = tx.query(&ALL_CLASSES, args![], OP_ROWS_MAX)?;
    let (share, mut budget, mut counts) = (share(classes.len()), BUDGET, vec![]);
    for row in &classes {
        let class = parse(row.text(0))?.decl.class;
        if filtered.contains(&class.as_str()) || budget == 0 {
            counts.push(ClassCount { class, documents: None, more: true });
            continue;
        }
        let limit = share.min(budget);
        let found = tx.query_one(&COUNT, args![&class, limit + 1])?;
        let (looked, documents) = found.map_or((0, 0), |row| (row.int(0), row.int(1)));
        budget -= looked.min(limit);
        counts.push(ClassCount { class, documents: Some(documents.min(limit)), more: looked > limit });
    }
    Ok(counts)
}

/// Rows of each of so many classes that are counted: each has its share, however many there are.
fn share(classes: usize) -> i64 {
    let equal = BUDGET / i64::try_from(classes).unwrap_or(i64::MAX).max(1);
    if equal < COUNTED_LEAST { equal.max(1) } else { (equal / COUNTED_LEAST * COUNTED_LEAST).min(COUNTED_MAX) }
}
