//! The documents of a class, in the order of their ids.

use base::{OpError, OpResult, Row, Sql, Tx, after_prefix, args, codes};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::Viewer;
use super::view::moment;
use crate::class::load_in;
use crate::doc::{StoredHead, head_of};
use crate::limits::KEY_MAX;
use crate::search::top;

/// A page of the documents of a class.
pub static LIST: Query<ListOf, DocLines> = Query::new("doc.list", list);

/// Rows that are read at once.
const PORTION: usize = 100;
/// Rows that one page looks at: of deleted documents and of those that the caller may not see there may be many.
const LOOKS_MAX: usize = 2_000;

/// One range of the primary key; deleted ones are among them, so that the work is bounded by the limit.
pub(crate) static PAGE: Sql = Sql::new(
    "doc.page",
    "SELECT version, ctime, dtime, v1, v2, live, gone, op, who, changes, id FROM doc \
     WHERE class = ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4",
);

/// Which page.
#[derive(Debug, Clone)]
pub struct ListOf {
    /// Class.
    pub class: String,
    /// Only ids that start with this.
    pub prefix: String,
    /// Only ids after this one.
    pub after: Option<String>,
    /// At most so many.
    pub limit: usize,
    /// Who looks.
    pub viewer: Viewer,
}

/// A page of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocLines {
    /// The documents.
    pub items: Vec<DocLine>,
    /// There may be more after this id, though the page be short or empty.
    pub next: Option<String>,
}

/// A document in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DocumentLine)]
pub struct DocLine {
    /// Id.
    pub id: String,
    /// Version.
    pub v: i64,
    /// When it was changed last.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub changed_at: String,
    /// When this life of it began.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub created_at: String,
    /// The operation that changed it last.
    #[schema(example = "doc.commit")]
    pub op: String,
    /// Whose operation: a key's id, or a part of the server.
    pub who: String,
    /// How many items it has.
    pub items: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Bytes of its attachments.
    pub attachments_bytes: i64,
}

impl DocLine {
    fn of(row: &Row) -> Self {
        let (StoredHead { version, ctime, v1, v2, live, op, who, .. }, id) = (head_of(row, 0), row.text(10).to_owned());
        let (v, changed_at, created_at) = (version.number(), moment(version.number()), moment(ctime));
        Self { id, v, changed_at, created_at, op, who, items: live, bytes: v1, attachments_bytes: v2 }
    }
}

fn list(tx: &mut dyn Tx, of: &ListOf) -> OpResult<DocLines> {
    load_in(tx, &of.class)?;
    let (mut from, until) = range(of)?;
    let (mut items, mut looks) = (vec![], 0);
    while looks < LOOKS_MAX {
        let portion = i64::try_from(PORTION).unwrap_or(i64::MAX);
        let rows = tx.query(&PAGE, args![&of.class, &from, &until, portion], PORTION)?;
        for row in &rows {
            let id = row.text(10);
            if row.int(1) != 0 && of.viewer.sees(id) {
                if items.len() == of.limit {
                    return Ok(cut(items));
                }
                items.push(DocLine::of(row));
            }
        }
        let Some(last) = rows.last().filter(|_| rows.len() == PORTION) else {
            return Ok(DocLines { items, next: None });
        };
        from = just_after(last.text(10));
        looks += rows.len();
    }
    let next = from.strip_suffix(LEAST).map(str::to_owned);
    Ok(DocLines { items, next })
}

/// A full page with more behind it.
fn cut(items: Vec<DocLine>) -> DocLines {
    let next = items.last().map(|line| line.id.clone());
    DocLines { items, next }
}

/// From which id, up to which.
fn range(of: &ListOf) -> OpResult<(String, String)> {
    for (what, text) in [("prefix", Some(&of.prefix)), ("after", of.after.as_ref())] {
        let fits = text.is_none_or(|text| text.chars().count() <= KEY_MAX && !text.chars().any(char::is_control));
        if !fits {
            let text =
                format!("{what} is no part of an id: at most {KEY_MAX} characters, none of them a control character");
            return Err(OpError::new(codes::ABODY, text));
        }
    }
    let after = of.after.as_deref().map(just_after).unwrap_or_default();
    Ok((after.max(of.prefix.clone()), after_prefix(&of.prefix).unwrap_or_else(top)))
}

/// Below every character that an id may have.
const LEAST: char = '\u{1}';

/// Below all ids that come after this one, and above it.
fn just_after(id: &str) -> String {
    format!("{id}{LEAST}")
}
