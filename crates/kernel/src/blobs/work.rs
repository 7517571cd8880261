//! What the collection has done outside of transactions, as data, and how it is done on any place.

use std::ops::Range;

use base::{BlobName, Blobs, Call, CallResult, OpError, OpResult, Sha, Tx, WorkCall, codes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::find::find;
use super::not_stored;
use super::read::BlobInfo;

/// Removes bytes.
pub const REMOVE: &str = "blob.remove";
/// Lists bytes.
pub const LIST: &str = "blob.list";
/// Reads bytes, for a task that works through a blob.
pub const READ: &str = "blob.read";

/// Bytes that are read at once.
const READ_MAX: u64 = 1 << 20;

/// Time for one portion.
const TIMEOUT_MS: u64 = 600_000;

#[derive(Serialize, Deserialize)]
pub(super) struct RemoveNames {
    pub(super) names: Vec<String>,
}

/// What was removed, and why the rest was not.
#[derive(Serialize, Deserialize)]
pub(super) struct Removed {
    pub(super) names: Vec<String>,
    pub(super) failed: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ListNames {
    pub(super) after: Option<String>,
    pub(super) limit: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) names: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct ReadRange {
    name: String,
    size: u64,
    /// Digests of the blob's pieces, base64.
    pieces: String,
    from: u64,
    until: u64,
}

/// The call that reads some bytes of a blob, each piece compared with its digest; fewer where the blob ends.
///
/// # Errors
/// `NBLOB`: it is not stored, or its bytes are damaged.
pub fn read_call(tx: &mut dyn Tx, sha: Sha, wanted: Range<u64>) -> OpResult<Call> {
    let blob = find(tx, &sha)?;
    if blob.is_damaged {
        return Err(not_stored(sha));
    }
    let (from, until) = (wanted.start, wanted.end.min(blob.size).min(wanted.start + READ_MAX));
    let pieces = STANDARD.encode(&blob.pieces);
    let range = ReadRange { name: blob.name.to_string(), size: blob.size, pieces, from, until };
    call(READ, &range).map(Call::Work)
}

/// Bytes that were read, base64.
#[derive(Serialize, Deserialize)]
struct ReadPart {
    from: u64,
    bytes: String,
}

/// Where the bytes begin that such a call read, and the bytes.
///
/// # Errors
/// The place did not answer, or the bytes are damaged: worth another try.
pub fn read_bytes(called: &CallResult) -> OpResult<(u64, Vec<u8>)> {
    let part: ReadPart = result(called)?;
    let wrong = |error| OpError::new(codes::BDETECTED, format!("bytes of a blob: {error}"));
    Ok((part.from, STANDARD.decode(&part.bytes).map_err(wrong)?))
}

/// A call of one of these works; whoever performs it knows which namespace its task is of.
pub(super) fn call(name: &'static str, param: &impl Serialize) -> OpResult<WorkCall> {
    let param = serde_json::to_string(param).map_err(|error| OpError::new(codes::BDETECTED, error.to_string()))?;
    Ok(WorkCall { name, namespace: String::new(), param, timeout_ms: TIMEOUT_MS })
}

/// What came of it.
pub(super) fn result<T: DeserializeOwned>(result: &CallResult) -> OpResult<T> {
    match result {
        CallResult::Worked(text) => {
            serde_json::from_str(text).map_err(|error| OpError::new(codes::BDETECTED, format!("`{text}`: {error}")))
        }
        CallResult::NotMade(reason) | CallResult::Unknown(reason) => {
            Err(OpError::new(codes::XUNEXPECTED, format!("the place of the blobs did not answer: {reason}")))
        }
        other => Err(OpError::new(codes::BDETECTED, format!("not an answer to work on blobs: {other:?}"))),
    }
}

/// Performs such a call on the namespace's place; blocks as long as that takes. It may be repeated: removing what is removed
/// changes nothing.
#[must_use]
pub fn perform(blobs: &dyn Blobs, call: &WorkCall) -> CallResult {
    let done = match call.name {
        REMOVE => serde_json::from_str(&call.param).map(|names| remove(blobs, &names)),
        LIST => serde_json::from_str(&call.param).map(|wanted| list(blobs, &wanted)),
        READ => serde_json::from_str(&call.param).map(|wanted| read(blobs, &wanted)),
        other => return CallResult::NotMade(format!("`{other}` is no work on blobs")),
    };
    done.unwrap_or_else(|error| CallResult::NotMade(format!("`{}`: {error}", call.param)))
}

fn remove(blobs: &dyn Blobs, wanted: &RemoveNames) -> CallResult {
    let mut removed = Removed { names: vec![], failed: None };
    for text in &wanted.names {
        match text.parse().map_err(std::io::Error::other).and_then(|name: BlobName| blobs.remove(&name)) {
            Ok(()) => removed.names.push(text.clone()),
            Err(error) => removed.failed = Some(format!("{text}: {error}")),
        }
    }
    worked(&removed)
}

fn list(blobs: &dyn Blobs, wanted: &ListNames) -> CallResult {
    let after = match wanted.after.as_deref().map(str::parse).transpose() {
        Ok(after) => after,
        Err(error) => return CallResult::NotMade(format!("{error}")),
    };
    match blobs.list(after.as_ref(), wanted.limit as usize) {
        Ok(names) => worked(&Listed { names: names.iter().map(ToString::to_string).collect() }),
        Err(error) => CallResult::NotMade(error.to_string()),
    }
}

fn read(blobs: &dyn Blobs, wanted: &ReadRange) -> CallResult {
    let part = |bytes: Vec<u8>| ReadPart { from: wanted.from, bytes: STANDARD.encode(bytes) };
    read_all(blobs, wanted).map_or_else(CallResult::NotMade, |bytes| worked(&part(bytes)))
}

fn read_all(blobs: &dyn Blobs, wanted: &ReadRange) -> Result<Vec<u8>, String> {
    let name = wanted.name.parse().map_err(|error| format!("{}: {error}", wanted.name))?;
    let pieces = STANDARD.decode(&wanted.pieces).map_err(|error| error.to_string())?;
    let blob = BlobInfo { name, size: wanted.size, is_damaged: false, pieces };
    let mut bytes = vec![];
    let mut from = wanted.from;
    while from < wanted.until {
        let part = blob.read_part(blobs, from..wanted.until).map_err(|fault| fault.to_string())?;
        from += part.len() as u64;
        bytes.extend(part);
    }
    Ok(bytes)
}

fn worked(value: &impl Serialize) -> CallResult {
    serde_json::to_string(value).map_or_else(|error| CallResult::NotMade(error.to_string()), CallResult::Worked)
}
