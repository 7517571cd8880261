//! Which chunks are not stored and have to be sent (FLD-21).

use base::{OpError, OpResult, Sha, Tx, codes};
use kernel::blobs::FIND_BLOB;
use kernel::{Home, Query};

use super::directory::short;
use crate::codes::AFOLDER;
use crate::form::MissingOf;

/// Those that are not stored, or whose bytes are damaged.
pub static MISSING: Query<MissingOf, Vec<String>> = Query::new("folders.missing", missing);

/// Chunks of one question.
const CHUNKS_MAX: usize = 5_000;

fn missing(tx: &mut dyn Tx, of: &MissingOf) -> OpResult<Vec<String>> {
    if of.chunks.len() > CHUNKS_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("{} chunks at once, at most {CHUNKS_MAX}", of.chunks.len())));
    }
    let mut absent = vec![];
    for text in &of.chunks {
        let wrong = |_| OpError::new(AFOLDER, format!("`{}` is no SHA-256 of a chunk", short(text)));
        if !is_stored(tx, text.parse().map_err(wrong)?)? {
            absent.push(text.clone());
        }
    }
    Ok(absent)
}

pub(super) fn is_stored(tx: &mut dyn Tx, sha: Sha) -> OpResult<bool> {
    match FIND_BLOB.run_in(tx, &Home::nowhere(), &sha) {
        Ok(info) => Ok(!info.is_damaged),
        Err(error) if error.code == codes::NBLOB => Ok(false),
        Err(error) => Err(error),
    }
}
