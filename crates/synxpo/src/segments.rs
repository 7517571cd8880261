//! Lists of chunks, cut into segments by what they hold (FLD-21): an edit of a large content changes few of them, and only those are listed.
//!
//! Both sides cut alike, so that equal contents have equal segments.

use sha2::{Digest as _, Sha256};

/// The digest of a chunk or of a segment.
pub type Digest = [u8; 32];

/// Chunks of a segment at most.
pub const CHUNKS_MAX: usize = 500;
/// Bytes of a chunk in a list: its digest, and its size with the highest byte first.
pub const CHUNK_BYTES: usize = 36;
/// One in so many chunks ends a segment. More would make the names longer, fewer what has to be listed after an edit.
const ENDS_ONE_IN: u16 = 512;

/// Whether a segment ends with this chunk, which is its so manieth.
#[must_use]
pub fn ends(digest: &Digest, count: usize) -> bool {
    let [.., high, low] = digest;
    count >= CHUNKS_MAX || u16::from_be_bytes([*high, *low]).is_multiple_of(ENDS_ONE_IN)
}

/// A list, as it is stored and hashed.
#[must_use]
pub fn list<'a>(chunks: impl IntoIterator<Item = (&'a Digest, u32)>) -> Vec<u8> {
    let entry = |(digest, size): (&Digest, u32)| digest.iter().copied().chain(size.to_be_bytes()).collect::<Vec<u8>>();
    chunks.into_iter().flat_map(entry).collect()
}

/// The chunks of a list; what is no whole chunk at its end is left out.
pub fn read(list: &[u8]) -> impl Iterator<Item = (Digest, u32)> + '_ {
    let (entries, _) = list.as_chunks::<CHUNK_BYTES>();
    entries.iter().filter_map(|entry| {
        let (digest, size) = entry.split_at(32);
        Some((digest.try_into().ok()?, u32::from_be_bytes(size.try_into().ok()?)))
    })
}

/// The name of a segment: the digest of its list.
#[must_use]
pub fn name(list: &[u8]) -> Digest {
    Sha256::digest(list).into()
}

/// The segments of a content whose chunks these are: places of the first chunk and behind the last.
#[must_use]
pub fn cut<'a>(chunks: impl IntoIterator<Item = &'a Digest>) -> Vec<std::ops::Range<usize>> {
    let (mut segments, mut from, mut until) = (vec![], 0, 0);
    for digest in chunks {
        until += 1;
        if ends(digest, until - from) {
            segments.push(from..until);
            from = until;
        }
    }
    if from < until {
        segments.push(from..until);
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(count: u32) -> Vec<Digest> {
        (0..count).map(|number| Sha256::digest(number.to_be_bytes()).into()).collect()
    }

    #[test]
    fn fld_21_an_edit_changes_few_segments() {
        let mut chunks = chunks(16_000);
        let named = |chunks: &[Digest]| -> Vec<Digest> {
            cut(chunks).into_iter().map(|of| name(&list(chunks[of].iter().map(|digest| (digest, 7))))).collect()
        };
        let before = named(&chunks);
        assert!((32..100).contains(&before.len()), "{}", before.len());
        chunks.insert(3_000, [1; 32]);
        let after = named(&chunks);
        let fresh = after.iter().filter(|name| !before.contains(name)).count();
        assert!((1..6).contains(&fresh), "{fresh} of {} segments are new", after.len());
    }

    #[test]
    fn fld_21_segments_end_where_their_rule_says_and_lists_read_back() {
        let all = chunks(3_000);
        let segments = cut(&all);
        assert_eq!(segments.iter().map(ExactSizeIterator::len).sum::<usize>(), all.len());
        for of in &segments[..segments.len() - 1] {
            let (last, inner) = all[of.clone()].split_last().unwrap();
            assert!(ends(last, of.len()) && inner.iter().all(|digest| !ends(digest, 1)));
        }
        assert_eq!(cut(&[[1; 32]; 1_001]), [0..500, 500..1_000, 1_000..1_001]);
        assert_eq!(cut(&[[0; 32]; 2]), [0..1, 1..2]);
        assert!(cut(&[]).is_empty());
        let written = list([(&all[0], 7), (&all[1], u32::MAX)]);
        assert_eq!(read(&written).collect::<Vec<_>>(), [(all[0], 7), (all[1], u32::MAX)]);
    }
}
