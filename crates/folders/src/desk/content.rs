//! Contents: what versions hold (FLD-8). Found by what is in them, never changed, counted by the versions that have them.

use std::collections::{BTreeMap, BTreeSet};

use base::{OpError, OpResult, Row, Sha, Sql, Tx, args, codes};
use kernel::OpCx;
use sha2::{Digest, Sha256};
use synxpo::segments::{CHUNK_BYTES, CHUNKS_MAX, ends, read as read_list};

use super::directory::short;
use super::numbers::{stored, told};
use crate::codes::AFOLDER;
use crate::form::{Asked, Written};
use crate::plan::Bytes;

/// Segments of one content: with chunks of 64 KiB that is about 40 GiB, with those of 1 MiB sixteen times as much.
pub const SEGMENTS_MAX: usize = 2_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &INSERT, &REFER, &CHECKED, &DISPUTED, &SEGMENT, &REFER_SEGMENT];

static GET: Sql = Sql::new("fld_content.get", "SELECT size, hash, checked FROM fld_content WHERE id = ?1");
static INSERT: Sql = Sql::new(
    "fld_content.insert",
    "INSERT INTO fld_content (id, size, hash, checked, segments, refs, unused_since) VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL)",
);
static REFER: Sql =
    Sql::new("fld_content.refer", "UPDATE fld_content SET refs = refs + ?2, unused_since = NULL WHERE id = ?1");
static CHECKED: Sql =
    Sql::new("fld_content.checked", "UPDATE fld_content SET hash = ?2, checked = 1 WHERE id = ?1 AND checked = 0");
static DISPUTED: Sql =
    Sql::new("fld_content.disputed", "UPDATE fld_content SET hash = NULL WHERE id = ?1 AND checked = 0");
static SEGMENT: Sql = Sql::new(
    "fld_segment.size",
    "SELECT size, LENGTH(chunks), SUBSTR(chunks, LENGTH(chunks) - 35) FROM fld_segment WHERE id = ?1",
);
static REFER_SEGMENT: Sql =
    Sql::new("fld_segment.refer", "UPDATE fld_segment SET refs = refs + 1, unused_since = NULL WHERE id = ?1");

/// A content that somebody brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Brought {
    pub(crate) id: String,
    size: u64,
    /// SHA-256 as hex, if we computed it, now or before.
    hash: Option<String>,
    /// What all who brought it claim, if we did not.
    author_hash: Option<String>,
    /// Computed now, of a content whose hash was not known.
    is_news: bool,
    /// Somebody claimed another hash before: who is right is not known, so no claim is told any more.
    is_disputed: bool,
    /// Ids of its segments; none if the content is there already.
    segments: Option<Vec<Sha>>,
}

impl Brought {
    /// As the planner takes it.
    pub(crate) fn bytes(&self) -> Bytes {
        let (hash, author_hash) = (self.hash.clone(), self.author_hash.clone());
        Bytes::Brought { content: self.id.clone(), hash, author_hash, size: self.size }
    }

    /// Refuses bytes that are not those that were announced (FLD-20).
    pub(crate) fn check(&self, asked: &Asked) -> OpResult<()> {
        if asked.size.is_some_and(|size| size != self.size) {
            let text = format!("{}: {} bytes came, {} were announced", short(&asked.path), self.size, told_size(asked));
            return Err(OpError::new(AFOLDER, text));
        }
        match (&asked.hash, &self.hash) {
            (Some(announced), Some(computed)) if !announced.eq_ignore_ascii_case(computed) => {
                let text = format!("{}: the SHA-256 is {computed}, not {}", short(&asked.path), short(announced));
                Err(OpError::new(codes::ASHA, text))
            }
            (Some(_) | None, Some(_) | None) => Ok(()),
        }
    }
}

fn told_size(asked: &Asked) -> u64 {
    asked.size.unwrap_or(0)
}

/// Reads what was written for a file: every segment is there, and all but the last end as segments do. `claimed`: the hash that its author announced.
pub(crate) fn read(tx: &mut dyn Tx, written: &Written, claimed: Option<&String>) -> OpResult<Brought> {
    if written.segments.len() > SEGMENTS_MAX {
        let text = format!("a file has at most {SEGMENTS_MAX} segments of {CHUNKS_MAX} chunks");
        return Err(OpError::new(AFOLDER, text));
    }
    let segments = written.segments.iter().map(|id| sha(id)).collect::<OpResult<Vec<Sha>>>()?;
    let id = identity(&segments);
    match tx.query_one(&GET, args![&id])? {
        Some(row) => Ok(known(id, &row, written, claimed)),
        None => {
            let (hash, size) = (written.hash.clone(), size(tx, &segments)?);
            let author_hash = claimed.filter(|_| hash.is_none()).cloned();
            Ok(Brought { id, size, hash, author_hash, is_news: false, is_disputed: false, segments: Some(segments) })
        }
    }
}

/// A content that is there already. A claim stays only as long as everybody who brings the content makes the same: contents are shared by
/// directories, and nobody is told what a stranger says.
fn known(id: String, row: &Row, written: &Written, claimed: Option<&String>) -> Brought {
    let is_checked = row.int(2) == 1;
    let before = row.opt_text(1).map(str::to_owned);
    let hash = before.clone().filter(|_| is_checked).or_else(|| written.hash.clone());
    let author_hash = before.clone().filter(|before| hash.is_none() && claimed == Some(before));
    Brought {
        id,
        size: told(row.int(0)),
        is_news: !is_checked && hash.is_some(),
        is_disputed: hash.is_none() && before.is_some() && author_hash.is_none(),
        hash,
        author_hash,
        segments: None,
    }
}

fn sha(text: &str) -> OpResult<Sha> {
    text.parse().map_err(|_| OpError::new(AFOLDER, format!("`{}` is no id of a segment", short(text))))
}

/// The digest of the ids of its segments, which are the digests of their chunks.
fn identity(segments: &[Sha]) -> String {
    let digest = segments.iter().fold(Sha256::new(), |digest, segment| digest.chain_update(segment.0));
    Sha(digest.finalize().into()).to_string()
}

fn size(tx: &mut dyn Tx, segments: &[Sha]) -> OpResult<u64> {
    let mut sum = 0;
    for (place, id) in segments.iter().enumerate() {
        let missing = || OpError::new(AFOLDER, format!("segment {id} is not stored, or was forgotten"));
        let row = tx.query_one(&SEGMENT, args![*id])?.ok_or_else(missing)?;
        let is_last = place + 1 == segments.len();
        if !is_last && !is_closed(&row) {
            return Err(OpError::new(AFOLDER, format!("segment {id} is not the last and does not end like one")));
        }
        sum += told(row.int(0));
    }
    Ok(sum)
}

/// Whether a segment ends where its chunks say, and not where a content does.
fn is_closed(row: &Row) -> bool {
    let count = usize::try_from(row.int(1)).unwrap_or(0) / CHUNK_BYTES;
    read_list(row.blob(2)).next().is_some_and(|(last, _)| ends(&last, count))
}

/// Contents that versions of a commit have.
#[derive(Debug, Default)]
pub(crate) struct Uses(BTreeMap<String, i64>);

impl Uses {
    /// One more version has it.
    pub(crate) fn add(&mut self, content: Option<&str>) {
        content.into_iter().for_each(|id| *self.0.entry(id.to_owned()).or_default() += 1);
    }

    /// Writes them down: new ones with their segments, known ones as so often more used.
    pub(crate) fn save(self, tx: &mut dyn Tx, brought: &BTreeMap<String, Brought>) -> OpResult<()> {
        for (id, count) in &self.0 {
            match brought.get(id).and_then(|new| new.segments.as_ref().map(|segments| (new, segments))) {
                Some((new, segments)) => insert(tx, new, segments, *count)?,
                None => tx.write(&REFER, args![id, *count])?,
            }
            if let Some(hash) = brought.get(id).filter(|one| one.is_news).and_then(|one| one.hash.as_ref()) {
                tx.write(&CHECKED, args![id, hash])?;
            }
            if brought.get(id).is_some_and(|one| one.is_disputed) {
                tx.write(&DISPUTED, args![id])?;
            }
        }
        Ok(())
    }
}

fn insert(tx: &mut dyn Tx, new: &Brought, segments: &[Sha], count: i64) -> OpResult<()> {
    let ids: Vec<u8> = segments.iter().flat_map(|segment| segment.0).collect();
    let hash = new.hash.as_deref().or(new.author_hash.as_deref());
    tx.write(&INSERT, args![&new.id, stored(new.size), hash, new.hash.is_some(), ids, count])?;
    for segment in segments.iter().collect::<BTreeSet<_>>() {
        tx.write(&REFER_SEGMENT, args![*segment])?;
    }
    Ok(())
}

/// Contents of which versions were forgotten.
pub(crate) mod unused {
    use super::{OpCx, OpResult, Sql, Tx, args};

    /// All statements of this part.
    pub(crate) const STATEMENTS: &[&Sql] = &[&UNREFER];

    static UNREFER: Sql = Sql::new(
        "fld_content.unrefer",
        "UPDATE fld_content SET refs = refs - ?2, unused_since = CASE WHEN refs = CAST(?2 AS BIGINT) THEN CAST(?3 AS BIGINT) ELSE NULL END \
         WHERE id = ?1",
    );

    /// So many versions less have it; with the last of them its grace begins.
    pub(crate) fn unrefer(tx: &mut dyn Tx, cx: &OpCx<'_>, content: &str, count: i64) -> OpResult<()> {
        Ok(tx.write(&UNREFER, args![content, count, cx.heard])?)
    }
}
