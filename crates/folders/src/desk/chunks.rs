//! The chunks of what a version holds, a segment at a time (REQUEST_FILE_CONTENT). Whoever reads locks nobody (FLD-8).

use base::{OpError, OpResult, Sha, Sql, Tx, args};
use kernel::Query;

use super::directory::short;
use super::file;
use super::rights::{Right, enter};
use super::segment::chunks;
use crate::codes::NFILE;
use crate::form::{Content, ContentOf};

/// The chunks of one segment of a version.
pub static CONTENT: Query<ContentOf, Content> = Query::new("folders.content", content);

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&SEGMENTS, &CHUNKS];

static SEGMENTS: Sql = Sql::new("fld_content.segments", "SELECT segments FROM fld_content WHERE id = ?1");
static CHUNKS: Sql = Sql::new("fld_segment.chunks", "SELECT chunks FROM fld_segment WHERE id = ?1");

fn content(tx: &mut dyn Tx, of: &ContentOf) -> OpResult<Content> {
    let unknown = || OpError::new(NFILE, format!("file `{}` has no version {}", short(&of.id), of.version));
    let found = file::version(tx, &of.id, of.version)?.ok_or_else(unknown)?;
    enter(tx, &found.directory, &of.who, Right::Read).map_err(|_| unknown())?;
    let Some(content) = found.entry.content else { return Ok(Content { chunks: vec![], is_last: true }) };
    let row = tx.query_one(&SEGMENTS, args![&content])?.ok_or_else(unknown)?;
    let (segments, _) = row.blob(0).as_chunks::<32>();
    let is_last = of.segment + 1 >= segments.len();
    let Some(segment) = segments.get(of.segment) else { return Ok(Content { chunks: vec![], is_last }) };
    let row = tx.query_one(&CHUNKS, args![Sha(*segment)])?.ok_or_else(unknown)?;
    let chunks = chunks(row.blob(0)).into_iter().map(|(sha, size)| (sha.to_string(), size)).collect();
    Ok(Content { chunks, is_last })
}
