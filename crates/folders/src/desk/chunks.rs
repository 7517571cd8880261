//! The chunks of what a version holds, a segment at a time (REQUEST_FILE_CONTENT). Whoever reads locks nobody (FLD-8).

use base::{OpError, OpResult, Sha, Sql, Tx, args};
use kernel::Query;

use super::directory::short;
use super::file;
use super::rights::{Right, enter};
use super::segment::chunks;
use crate::codes::NFILE;
use crate::form::{Content, ContentOf, SegmentsOf, Who};

/// The chunks of one segment of a version.
pub static CONTENT: Query<ContentOf, Content> = Query::new("folders.content", content);

/// The names of all segments of a version.
pub static SEGMENTS: Query<SegmentsOf, Vec<String>> = Query::new("folders.segments", segments);

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&SEGMENTS_OF, &CHUNKS];

static SEGMENTS_OF: Sql = Sql::new("fld_content.segments", "SELECT segments FROM fld_content WHERE id = ?1");
pub(super) static CHUNKS: Sql = Sql::new("fld_segment.chunks", "SELECT chunks FROM fld_segment WHERE id = ?1");

fn content(tx: &mut dyn Tx, of: &ContentOf) -> OpResult<Content> {
    let segments = names(tx, &of.who, &of.id, of.version)?;
    let is_last = of.segment + 1 >= segments.len();
    let Some(segment) = segments.get(of.segment) else { return Ok(Content { chunks: vec![], is_last }) };
    let row = tx.query_one(&CHUNKS, args![*segment])?.ok_or_else(|| unknown(&of.id, of.version))?;
    let chunks = chunks(row.blob(0)).into_iter().map(|(sha, size)| (sha.to_string(), size)).collect();
    Ok(Content { chunks, is_last })
}

fn segments(tx: &mut dyn Tx, of: &SegmentsOf) -> OpResult<Vec<String>> {
    Ok(names(tx, &of.who, &of.id, of.version)?.iter().map(Sha::to_string).collect())
}

fn unknown(id: &str, version: u64) -> OpError {
    OpError::new(NFILE, format!("file `{}` has no version {version}", short(id)))
}

/// The segments of a version, for whoever may read it.
fn names(tx: &mut dyn Tx, who: &Who, id: &str, version: u64) -> OpResult<Vec<Sha>> {
    let found = file::version(tx, id, version)?.ok_or_else(|| unknown(id, version))?;
    enter(tx, &found.directory, who, Right::Read).map_err(|_| unknown(id, version))?;
    let Some(content) = found.entry.content else { return Ok(vec![]) };
    let row = tx.query_one(&SEGMENTS_OF, args![&content])?.ok_or_else(|| unknown(id, version))?;
    let (names, _) = row.blob(0).as_chunks::<32>();
    Ok(names.iter().map(|name| Sha(*name)).collect())
}
