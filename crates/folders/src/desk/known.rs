//! Which segments are stored with all their bytes (FLD-21): those need not be listed.

use base::{OpError, OpResult, Sha, Tx, args, codes};
use kernel::Query;

use super::chunks::CHUNKS;
use super::directory::short;
use super::missing::is_stored;
use super::segment::chunks;
use crate::codes::AFOLDER;
use crate::form::KnownOf;

/// Of each in its order whether it is stored, and none of its chunks is damaged.
pub static KNOWN: Query<KnownOf, Vec<bool>> = Query::new("folders.known", known);

/// Segments of one question: up to 10,000 chunks are looked at.
pub const KNOWN_MAX: usize = 20;

fn known(tx: &mut dyn Tx, of: &KnownOf) -> OpResult<Vec<bool>> {
    if of.segments.len() > KNOWN_MAX {
        return Err(OpError::new(
            codes::ALIMIT,
            format!("{} segments at once, at most {KNOWN_MAX}", of.segments.len()),
        ));
    }
    of.segments.iter().map(|text| is_known(tx, text)).collect()
}

fn is_known(tx: &mut dyn Tx, text: &str) -> OpResult<bool> {
    let wrong = |_| OpError::new(AFOLDER, format!("`{}` is no name of a segment", short(text)));
    let name: Sha = text.parse().map_err(wrong)?;
    let Some(row) = tx.query_one(&CHUNKS, args![name])? else { return Ok(false) };
    for (sha, _) in chunks(row.blob(0)) {
        if !is_stored(tx, sha)? {
            return Ok(false);
        }
    }
    Ok(true)
}
