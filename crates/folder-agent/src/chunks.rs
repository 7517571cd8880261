//! Contents cut by what they hold (FLD-21, FastCDC): an insertion moves the chunks behind it and changes few. Every device cuts the same way, so
//! that equal contents have equal chunks.

use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::model::Hash;

/// Bytes of a chunk: small enough that an edit costs little, large enough that lists stay short.
const MIN: usize = 16 << 10;
const AVERAGE: usize = 64 << 10;
/// The largest chunk.
pub const MAX: usize = 256 << 10;

/// A chunk of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Where it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub size: u32,
    /// SHA-256 of them.
    pub digest: Hash,
}

/// Cuts a content that comes piece by piece.
#[derive(Debug, Default)]
pub struct Cutter {
    held: Vec<u8>,
    offset: u64,
}

impl Cutter {
    /// Adds the next bytes; the chunks that are certain now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Chunk> {
        self.push_each(bytes, |_, _| {})
    }

    /// The same, with the bytes of each chunk.
    pub fn push_each(&mut self, bytes: &[u8], take: impl FnMut(&Chunk, &[u8])) -> Vec<Chunk> {
        self.held.extend_from_slice(bytes);
        self.cut(false, take)
    }

    /// Nothing follows: the last chunks.
    pub fn end(&mut self) -> Vec<Chunk> {
        self.end_each(|_, _| {})
    }

    /// The same, with the bytes of each chunk.
    pub fn end_each(&mut self, take: impl FnMut(&Chunk, &[u8])) -> Vec<Chunk> {
        self.cut(true, take)
    }

    fn cut(&mut self, is_end: bool, mut take: impl FnMut(&Chunk, &[u8])) -> Vec<Chunk> {
        // A cut at the end of what is held may only be there because the rest is not.
        let is_certain = |end: usize| is_end || end < self.held.len();
        let cuts = fastcdc::v2020::FastCDC::new(&self.held, MIN, AVERAGE, MAX);
        let cuts: Vec<(usize, usize)> =
            cuts.map(|cut| (cut.offset, cut.length)).take_while(|(at, size)| is_certain(at + size)).collect();
        let chunk = |(at, size): &(usize, usize)| {
            let bytes = &self.held[*at..at + size];
            let size = u32::try_from(*size).unwrap_or(u32::MAX);
            let chunk = Chunk { offset: self.offset + *at as u64, size, digest: Sha256::digest(bytes).into() };
            take(&chunk, bytes);
            chunk
        };
        let chunks = cuts.iter().map(chunk).collect();
        let done = cuts.last().map_or(0, |(at, size)| at + size);
        self.held.drain(..done);
        self.offset += done as u64;
        chunks
    }
}

/// Chunks as the state keeps them and as segments are named: one behind the other, each its digest and its size.
#[must_use]
pub fn write_list(chunks: &[Chunk]) -> Vec<u8> {
    synxpo::segments::list(chunks.iter().map(|chunk| (&chunk.digest, chunk.size)))
}

/// And back.
#[must_use]
pub fn read_list(list: &[u8]) -> Vec<Chunk> {
    let mut offset = 0;
    let chunk = |(digest, size): (Hash, u32)| {
        let chunk = Chunk { offset, size, digest };
        offset += u64::from(size);
        chunk
    };
    synxpo::segments::read(list).map(chunk).collect()
}

/// The segments of a content: places of the chunks of each, and its name.
#[must_use]
pub fn segments(chunks: &[Chunk]) -> Vec<(Range<usize>, Hash)> {
    let cut = synxpo::segments::cut(chunks.iter().map(|chunk| &chunk.digest));
    cut.into_iter().map(|of| (of.clone(), synxpo::segments::name(&write_list(&chunks[of])))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(bytes: &[u8], piece: usize) -> Vec<Chunk> {
        let mut cutter = Cutter::default();
        let mut chunks: Vec<Chunk> = bytes.chunks(piece).flat_map(|piece| cutter.push(piece)).collect();
        chunks.extend(cutter.end());
        chunks
    }

    fn noise(size: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        (0..size).map(|_| next()).collect()
    }

    #[test]
    fn fld_21_cuts_do_not_depend_on_how_the_bytes_came_and_an_insertion_changes_few() {
        let bytes = noise(3 << 20);
        let chunks = cut(&bytes, 1 << 20);
        assert_eq!(chunks, cut(&bytes, 10_000));
        assert_eq!(chunks.iter().map(|chunk| u64::from(chunk.size)).sum::<u64>(), bytes.len() as u64);
        let mut edited = bytes;
        edited.splice(1_000_000..1_000_000, *b"thirty-seven bytes of something other");
        let known: std::collections::BTreeSet<_> = chunks.iter().map(|chunk| chunk.digest).collect();
        let fresh: u64 =
            cut(&edited, 1 << 20).iter().filter(|c| !known.contains(&c.digest)).map(|c| u64::from(c.size)).sum();
        assert!(fresh <= 2 * MAX as u64, "{fresh} bytes are new");
        assert!(cut(&[], 1).is_empty());
    }
}
