//! Reading: piece by piece, each compared with its digest before anybody sees it.

use std::io::{self, ErrorKind};
use std::ops::Range;

use base::limits::BLOB_PIECE;
use base::{BlobName, Blobs};
use sha2::{Digest, Sha256};

/// A blob as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobInfo {
    /// Where its bytes are.
    pub name: BlobName,
    /// How many there are.
    pub size: u64,
    /// Whether they were found damaged.
    pub is_damaged: bool,
    /// Digests of its pieces; none if there is one piece only, whose digest is the hash itself.
    pub(super) pieces: Vec<u8>,
}

/// Why a piece cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadFault {
    /// The bytes are not what was stored: to be reported, never served.
    #[error("{0}")]
    Damaged(String),
    /// The place did not answer; another time it may.
    #[error(transparent)]
    Unavailable(#[from] io::Error),
}

impl BlobInfo {
    /// Where the piece that holds the byte at `offset` begins and ends.
    #[must_use]
    pub fn piece_at(&self, offset: u64) -> Range<u64> {
        let start = offset - offset % BLOB_PIECE as u64;
        start..self.size.min(start + BLOB_PIECE as u64)
    }

    /// The piece that holds the byte at `offset`, compared with its digest; at most [`BLOB_PIECE`] bytes. Blocks.
    ///
    /// # Errors
    /// It is damaged or missing, or the place did not answer.
    pub fn read_piece(&self, blobs: &dyn Blobs, offset: u64) -> Result<Vec<u8>, ReadFault> {
        let range = self.piece_at(offset);
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
        blobs.read(&self.name, range.start, &mut bytes).map_err(fault)?;
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        if Some(&digest[..]) == self.digest(range.start) {
            return Ok(bytes);
        }
        Err(ReadFault::Damaged(format!("bytes {} to {} are not those that were stored", range.start, range.end)))
    }

    /// The bytes of a range within one piece.
    ///
    /// # Errors
    /// As [`Self::read_piece`].
    pub fn read_part(&self, blobs: &dyn Blobs, wanted: Range<u64>) -> Result<Vec<u8>, ReadFault> {
        let piece = self.piece_at(wanted.start);
        let mut bytes = self.read_piece(blobs, wanted.start)?;
        let place = |at: u64| usize::try_from(at.min(piece.end) - piece.start).unwrap_or(0);
        bytes.truncate(place(wanted.end));
        bytes.drain(..place(wanted.start));
        Ok(bytes)
    }

    fn digest(&self, start: u64) -> Option<&[u8]> {
        if self.size <= BLOB_PIECE as u64 {
            return Some(&self.name.sha.0);
        }
        let index = usize::try_from(start / BLOB_PIECE as u64).ok()?;
        self.pieces.get(32 * index..32 * (index + 1))
    }
}

fn fault(error: io::Error) -> ReadFault {
    match error.kind() {
        ErrorKind::NotFound => ReadFault::Damaged("they are missing".into()),
        ErrorKind::UnexpectedEof => ReadFault::Damaged("some of them are missing at the end".into()),
        _ => ReadFault::Unavailable(error),
    }
}
