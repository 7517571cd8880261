//! Makes a pack: work of the program outside of any transaction. It may be done again: what nobody keeps is swept.

use std::collections::BTreeMap;

use base::{Blobs, OpResult, Sha, WorkCall};
use kernel::blobs::{NOW, Stored, Upload};
use kernel::{Caller, Kernel, Namespace};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::keep::{KEEP, Keep};
use super::places::Packs;
use crate::folders::{TEXTS, ask, call};

/// Its name.
pub const PACK: &str = "exchange.pack";

/// Messages whose texts shall be packed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Packing {
    pub(super) numbers: Vec<i64>,
}

/// Does what the call says; blocks. Says how many texts left the store.
///
/// # Errors
/// The blobs or the store are away, or nobody knows what came of the commit: why.
pub fn perform(kernel: &Kernel, call: &WorkCall) -> Result<String, String> {
    let packing: Packing = serde_json::from_str(&call.param).map_err(|error| error.to_string())?;
    let ns = kernel.namespace(&call.namespace).map_err(|error| error.to_string())?;
    let blobs = kernel.common::<Packs>().of(&ns).map_err(|error| error.to_string())?;
    let kept = pack(kernel, &ns, blobs.as_ref(), packing.numbers).map_err(|error| error.to_string())?;
    Ok(kept.to_string())
}

fn pack(kernel: &Kernel, ns: &Namespace, blobs: &dyn Blobs, numbers: Vec<i64>) -> OpResult<usize> {
    let found = ask(kernel, ns, &TEXTS, numbers)?;
    if found.is_empty() {
        return Ok(0);
    }
    let (bytes, texts) = joined(&found);
    drop(found);
    let stored = store(kernel, ns, blobs, &bytes)?;
    call(kernel, ns, &KEEP, Keep { stored, texts })
}

/// One text after the other, each on a line of its own, and where each begins.
fn joined(texts: &BTreeMap<i64, String>) -> (Vec<u8>, Vec<(i64, i64)>) {
    let mut bytes = Vec::with_capacity(texts.values().map(|text| text.len() + 1).sum());
    let mut begins = Vec::with_capacity(texts.len());
    for (number, text) in texts {
        begins.push((*number, i64::try_from(bytes.len()).unwrap_or(i64::MAX)));
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
    }
    (bytes, begins)
}

fn store(kernel: &Kernel, ns: &Namespace, blobs: &dyn Blobs, bytes: &[u8]) -> OpResult<Stored> {
    let (id, size) = (kernel.request(Caller::server("exchange")).id, bytes.len() as u64);
    let sha = Sha(Sha256::digest(bytes).into());
    let mut upload = Upload::begin(blobs, id, Some(sha), Some(size), size)?;
    upload.write(bytes)?;
    upload.finish(ask(kernel, ns, &NOW, ())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_8_each_text_of_a_pack_is_found_by_where_it_begins() {
        let texts = BTreeMap::from([(7, "{\"a\": 1}".to_owned()), (9, "{\n}".to_owned())]);
        let (bytes, begins) = joined(&texts);
        assert_eq!((bytes.as_slice(), begins.as_slice()), (&b"{\"a\": 1}\n{\n}\n"[..], &[(7, 0), (9, 9)][..]));
    }
}
