//! An upload: chunks in, hashed and bounded on their way to the place; durable bytes out, ready for their row.
//!
//! Synchronous: every call may block as long as a disk does. Memory stays the same however large the blob is, but for the
//! digests of its pieces (32 bytes per MiB).

use std::io::{self, ErrorKind};

use base::limits::BLOB_PIECE;
use base::mutants::{self, Mutant};
use base::{BlobName, Blobs, Heard, Id, OpError, OpResult, Sha, StagedBlob, codes};
use sha2::{Digest, Sha256};

/// Bytes on their way. Dropped, they leave nothing.
pub struct Upload {
    staged: Box<dyn StagedBlob>,
    id: Id,
    expected: Option<Sha>,
    size: u64,
    size_max: u64,
    whole: Sha256,
    piece: Sha256,
    pieces: Vec<u8>,
}

/// Bytes that are whole and durable in their place, as only [`Upload::finish`] gives them: the input of the operation that
/// writes their row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Where they are.
    pub name: BlobName,
    /// How many.
    pub size: i64,
    /// Listening time before they got their name.
    pub(super) named_after: Heard,
    pub(super) pieces: Vec<u8>,
}

impl Upload {
    /// Begins an upload of at most `size_max` bytes, of `length` if that is known, to be those of `expected` if that is. Its
    /// id is used for no other upload.
    ///
    /// # Errors
    /// `ATOOBIG`, or what the place refused: `XDISK`, `XSTORE`.
    pub fn begin(
        blobs: &dyn Blobs,
        id: Id,
        expected: Option<Sha>,
        length: Option<u64>,
        size_max: u64,
    ) -> OpResult<Self> {
        if length.is_some_and(|length| length > size_max) {
            return Err(too_big(size_max));
        }
        let name = expected.map(|sha| BlobName { sha, upload: id });
        let staged = blobs.stage(name.as_ref(), length).map_err(refused)?;
        let (whole, piece) = (Sha256::new(), Sha256::new());
        Ok(Self { staged, id, expected, size: 0, size_max, whole, piece, pieces: vec![] })
    }

    /// Adds a chunk.
    ///
    /// # Errors
    /// `ATOOBIG`, or what the place refused.
    pub fn write(&mut self, chunk: &[u8]) -> OpResult<()> {
        if self.size + chunk.len() as u64 > self.size_max {
            return Err(too_big(self.size_max));
        }
        self.staged.write(chunk).map_err(refused)?;
        self.whole.update(chunk);
        self.add_to_pieces(chunk);
        Ok(())
    }

    /// Ends it: the bytes are those that were expected, and are durable under a name of this upload's own. `now` is the
    /// store's listening time ([`super::NOW`]): from it counts how long the put may take.
    ///
    /// # Errors
    /// `ASHA`: they are others, and nothing is left of them; or what the place refused.
    pub fn finish(mut self, now: Heard) -> OpResult<Stored> {
        let size = i64::try_from(self.size).map_err(|_| too_big(self.size_max))?;
        let sha = Sha(self.whole.finalize().into());
        if let Some(expected) = self.expected.filter(|expected| *expected != sha) {
            let text = format!("the {size} bytes have the SHA-256 {sha}, not {expected}");
            return Err(OpError::before_start(codes::ASHA, text));
        }
        if self.size > BLOB_PIECE as u64 && !self.size.is_multiple_of(BLOB_PIECE as u64) {
            self.pieces.extend_from_slice(&self.piece.finalize());
        } else if self.size <= BLOB_PIECE as u64 {
            self.pieces.clear();
        }
        let name = BlobName { sha, upload: self.id };
        let placed = self.staged.finish(&name).map_err(refused);
        if !mutants::on(Mutant::BytesNotAwaited) {
            placed?;
        }
        Ok(Stored { name, size, named_after: now, pieces: self.pieces })
    }

    fn add_to_pieces(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            let filled = usize::try_from(self.size % BLOB_PIECE as u64).unwrap_or(0);
            let (now, rest) = chunk.split_at(chunk.len().min(BLOB_PIECE - filled));
            self.piece.update(now);
            self.size += now.len() as u64;
            if self.size.is_multiple_of(BLOB_PIECE as u64) {
                self.pieces.extend_from_slice(&self.piece.finalize_reset());
            }
            chunk = rest;
        }
    }
}

/// Small ones at once, of at most a piece each: durable when this returns, and told one by one. Their ids are used for no other upload.
pub fn store_all(blobs: &dyn Blobs, contents: Vec<(Id, Vec<u8>)>, now: Heard) -> Vec<OpResult<Stored>> {
    let named = |(upload, bytes): (Id, Vec<u8>)| (BlobName { sha: Sha(Sha256::digest(&bytes).into()), upload }, bytes);
    let named: Vec<(BlobName, Vec<u8>)> = contents.into_iter().map(named).collect();
    let stored = |((name, bytes), placed): (&(BlobName, Vec<u8>), io::Result<()>)| {
        if !mutants::on(Mutant::BytesNotAwaited) {
            placed.map_err(refused)?;
        }
        if bytes.len() > BLOB_PIECE {
            return Err(OpError::before_start(codes::BDETECTED, "a blob of several pieces is none of many"));
        }
        let size = i64::try_from(bytes.len()).map_err(|_| too_big(BLOB_PIECE as u64))?;
        Ok(Stored { name: *name, size, named_after: now, pieces: vec![] })
    };
    named.iter().zip(blobs.put_all(&named)).map(stored).collect()
}

fn too_big(size_max: u64) -> OpError {
    OpError::before_start(codes::ATOOBIG, format!("a blob has at most {size_max} bytes"))
}

fn refused(error: io::Error) -> OpError {
    let code = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => codes::XDISK,
        _ => codes::XSTORE,
    };
    OpError::before_start(code, format!("the place of the blobs refused: {error}"))
}
