//! Keeps a segment: the list of at most 500 chunks, whose blobs it refers to (FLD-8, FLD-21). Where a list is cut into segments depends on its chunks
//! alone, so that equal contents have equal segments.

use base::{Keys, OpError, OpResult, Sha, Sql, Tx, args};
use kernel::blobs::{Owner, refer, size};
use kernel::{Op, OpCx};
use synxpo::segments::{CHUNKS_MAX, ends, list as written, name, read};

use super::directory::short;
use super::numbers::stored;
use crate::codes::AFOLDER;
use crate::form::NewSegment;

/// Keeps a segment; the same again gives the same id.
pub static SEGMENT: Op<NewSegment, String> = Op::new("folders.segment", segment).keyed(|input| match identity(input) {
    Ok((id, _)) => Keys::of(vec![crate::contention(&id)]),
    Err(_) => Keys::NONE,
});

/// Bytes of one chunk.
pub const CHUNK_MAX: u64 = 1 << 20;
/// Who keeps its blobs.
pub(crate) const OWNER: &str = "folders.segment";

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &TOUCH];

static INSERT: Sql = Sql::new(
    "fld_segment.insert",
    "INSERT INTO fld_segment (id, size, chunks, refs, unused_since) VALUES (?1, ?2, ?3, 0, ?4) ON CONFLICT (id) DO NOTHING",
);
/// Its grace begins anew: somebody is about to use it.
static TOUCH: Sql =
    Sql::new("fld_segment.touch", "UPDATE fld_segment SET unused_since = ?2 WHERE id = ?1 AND refs = 0");

fn segment(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &NewSegment) -> OpResult<String> {
    let (id, list) = identity(input)?;
    let sum: u64 = input.chunks.iter().map(|(_, size)| size).sum();
    if tx.execute(&INSERT, args![&id, stored(sum), list, cx.heard])? == 0 {
        tx.write(&TOUCH, args![&id, cx.heard])?;
        return Ok(id);
    }
    for (sha, size) in &input.chunks {
        keep(tx, cx, (digest(sha)?, *size), &id)?;
    }
    Ok(id)
}

/// Refers to a chunk, which is stored and of this size.
fn keep(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (sha, bytes): (Sha, u64), id: &str) -> OpResult<()> {
    let is = size(tx, sha)?;
    if is != stored(bytes) {
        return Err(OpError::new(AFOLDER, format!("chunk {sha} has {is} bytes, not {bytes}")));
    }
    refer(tx, cx, sha, &Owner { kind: OWNER, id })
}

/// Its list of chunks, and the digest of that.
fn identity(input: &NewSegment) -> OpResult<(String, Vec<u8>)> {
    if input.chunks.is_empty() || input.chunks.len() > CHUNKS_MAX {
        let text = format!("a segment has 1 to {CHUNKS_MAX} chunks, not {}", input.chunks.len());
        return Err(OpError::new(AFOLDER, text));
    }
    let mut chunks = Vec::with_capacity(input.chunks.len());
    for (sha, size) in &input.chunks {
        let size = u32::try_from(*size).ok().filter(|size| (1..=CHUNK_MAX).contains(&u64::from(*size)));
        let size = size.ok_or_else(|| OpError::new(AFOLDER, format!("a chunk has 1 to {CHUNK_MAX} bytes")))?;
        chunks.push((digest(sha)?, size));
    }
    if chunks[..chunks.len() - 1].iter().any(|(sha, _)| ends(&sha.0, 1)) {
        return Err(OpError::new(AFOLDER, "the segment goes on behind a chunk that ends one"));
    }
    let list = written(chunks.iter().map(|(sha, size)| (&sha.0, *size)));
    Ok((Sha(name(&list)).to_string(), list))
}

fn digest(text: &str) -> OpResult<Sha> {
    text.parse().map_err(|_| OpError::new(AFOLDER, format!("`{}` is no SHA-256 of a chunk", short(text))))
}

/// The chunks of a list, as [`identity`] made it.
pub(crate) fn chunks(list: &[u8]) -> Vec<(Sha, u64)> {
    read(list).map(|(digest, size)| (Sha(digest), size.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_8_a_segment_is_known_by_what_it_holds() {
        let of = |chunks: &[(u8, u64)]| {
            let chunks = chunks.iter().map(|(byte, size)| (Sha([*byte; 32]).to_string(), *size)).collect();
            identity(&NewSegment { chunks })
        };
        let (id, list) = of(&[(1, 5), (2, 1 << 20)]).unwrap();
        assert_eq!(chunks(&list), [(Sha([1; 32]), 5), (Sha([2; 32]), 1 << 20)]);
        assert_eq!(of(&[(1, 5), (2, 1 << 20)]).unwrap().0, id);
        assert_ne!(of(&[(2, 1 << 20), (1, 5)]).unwrap().0, id, "the order counts");
        for bad in [&[][..], &[(1, 0)], &[(1, (1 << 20) + 1)], &[(1, u64::MAX)], &[(1, 1); 501], &[(0, 1), (1, 1)]] {
            assert_eq!(of(bad).unwrap_err().code, AFOLDER);
        }
        let wrong = NewSegment { chunks: vec![("../../etc".into(), 1)] };
        assert_eq!(identity(&wrong).unwrap_err().code, AFOLDER);
    }
}
