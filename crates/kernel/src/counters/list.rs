//! Shows counters, summed over nodes.

use base::{OpResult, Row, Sql, Tx, Wall, args};

use crate::op::Query;

/// A page of counters, by kind and name.
pub static LIST_COUNTERS: Query<CounterPage, Vec<CounterInfo>> = Query::new("counter.list", list_counters);

/// Behind every kind.
const LAST: &str = "\u{10ffff}";

/// Which page.
#[derive(Debug, Clone)]
pub struct CounterPage {
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only of this name.
    pub name: Option<String>,
    /// Only behind this kind and name.
    pub after: (String, String),
    /// At most so many.
    pub limit: u32,
}

/// The counters of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterInfo {
    /// `device`, `operation` …
    pub kind: String,
    /// Whose.
    pub name: String,
    /// Sent.
    pub sent: i64,
    /// Processed well.
    pub processed: i64,
    /// Ended badly.
    pub errors: i64,
    /// Lost against others that changed the same.
    pub deadlocks: i64,
    /// Run again.
    pub retries: i64,
    /// When it was last seen.
    pub last_seen: Wall,
}

macro_rules! sums {
    () => {
        "SELECT kind, name, CAST(SUM(sent) AS BIGINT), CAST(SUM(processed) AS BIGINT), CAST(SUM(errors) AS BIGINT), \
         CAST(SUM(deadlocks) AS BIGINT), CAST(SUM(retries) AS BIGINT), MAX(last_seen) FROM counter WHERE "
    };
}

pub(crate) static PAGE: Sql = Sql::new(
    "counter.page",
    concat!(
        sums!(),
        "kind >= ?1 AND kind <= ?2 AND (kind, name) > (?3, ?4) GROUP BY kind, name ORDER BY kind, name LIMIT ?5"
    ),
);
pub(crate) static ONE: Sql = Sql::new("counter.one", concat!(sums!(), "kind = ?1 AND name = ?2 GROUP BY kind, name"));
pub(crate) static NEXT_KIND: Sql =
    Sql::new("counter.next_kind", "SELECT kind FROM counter WHERE kind > ?1 ORDER BY kind LIMIT 1");

fn list_counters(tx: &mut dyn Tx, page: &CounterPage) -> OpResult<Vec<CounterInfo>> {
    // Empty stands for any.
    if let Some(name) = page.name.as_deref().filter(|name| !name.is_empty()) {
        return of_name(tx, page, name);
    }
    let (after_kind, after_name) = &page.after;
    let (first, last) = page.kind.as_deref().map_or(("", LAST), |kind| (kind, kind));
    let rows = tx.query(&PAGE, args![first, last, after_kind, after_name, page.limit], page.limit as usize)?;
    Ok(rows.iter().map(info).collect())
}

/// One row of each kind: kinds are few, and each is one step of the index.
fn of_name(tx: &mut dyn Tx, page: &CounterPage, name: &str) -> OpResult<Vec<CounterInfo>> {
    let (mut kind, mut found) = (String::new(), vec![]);
    while let Some(row) = tx.query_one(&NEXT_KIND, args![&kind])? {
        row.text(0).clone_into(&mut kind);
        let is_wanted = page.kind.as_ref().is_none_or(|wanted| *wanted == kind);
        if is_wanted && (kind.as_str(), name) > (page.after.0.as_str(), page.after.1.as_str()) {
            found.extend(tx.query_one(&ONE, args![&kind, name])?.as_ref().map(info));
        }
        if found.len() == page.limit as usize {
            break;
        }
    }
    Ok(found)
}

fn info(row: &Row) -> CounterInfo {
    CounterInfo {
        kind: row.text(0).to_owned(),
        name: row.text(1).to_owned(),
        sent: row.int(2),
        processed: row.int(3),
        errors: row.int(4),
        deadlocks: row.int(5),
        retries: row.int(6),
        last_seen: Wall(row.int(7)),
    }
}
