//! Bytes that sessions keep and fetch: the real protocol of blobs on a simulated disk. What was not yet durable is gone with the process;
//! faults of the disk are the world of blobs' own.

use std::sync::{Arc, PoisonError};

use base::{Blobs, Heard, OpError, OpResult, codes};
use host::DiskBlobs;
use kernel::blobs::{BlobInfo, FIND_BLOB, NOW, PUT_BLOB, PutBlob, Stored, Upload};
use kernel::{Caller, Kept, Reply};
use serde_json::json;

use crate::disk::{DiskFaults, SimDisk};
use crate::rng::Rng;
use crate::sim::{Answer, Asker, Sim, Waiting};

const SIZE_MAX: u64 = 1 << 20;

/// A disk that never fails, and the place of blobs on it.
pub struct Shelf {
    _disk: SimDisk,
    blobs: Arc<dyn Blobs>,
}

impl Shelf {
    /// # Panics
    /// An empty disk cannot be opened.
    fn new() -> Self {
        let disk = SimDisk::new(Rng::new(1), DiskFaults::default());
        let blobs = DiskBlobs::below(disk.root()).unwrap_or_else(|error| panic!("an empty disk: {error}"));
        Self { _disk: disk, blobs: Arc::new(blobs) }
    }
}

impl Sim {
    fn blobs(&mut self) -> Arc<dyn Blobs> {
        self.shelf.get_or_insert_with(Shelf::new).blobs.clone()
    }

    /// A session has bytes kept: the store is asked for its time, then the bytes are written, then they get their row.
    pub fn keep_bytes(&mut self, asker: Asker, call: u64, bytes: Vec<u8>) {
        let blobs = self.blobs();
        let Some(server) = self.server() else { return };
        let (told, waiting) = (server.told.clone(), Waiting::Session(asker.token, call));
        let end = move |kept: OpResult<Kept>| {
            let answer = kept.map(|kept| Answer { out: json!(kept), replayed: false });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((waiting, answer));
        };
        let (kernel, main) = (server.kernel.clone(), server.main.clone());
        let caller = Caller::server(&format!("client{}", asker.client));
        let then = move |now: OpResult<Heard>| {
            let id = kernel.request(caller.clone()).id;
            let stored = match now.and_then(|now| written(blobs.as_ref(), id, &bytes, now)) {
                Ok(stored) => stored,
                Err(error) => return end(Err(error)),
            };
            let kept = Kept { sha: stored.name.sha.to_string(), size: stored.size.unsigned_abs() };
            let done = move |put: OpResult<Reply<PutBlob>>| end(put.map(|_| kept));
            kernel.call(&main, &PUT_BLOB, kernel.request(caller), stored, Box::new(done));
        };
        server.kernel.read(&server.main, &NOW, (), Box::new(then));
    }

    /// A session has bytes fetched.
    pub fn fetch_bytes(&mut self, asker: Asker, call: u64, sha: &str, (from, len): (u64, u64)) {
        let blobs = self.blobs();
        let Some(server) = self.server() else { return };
        let (told, waiting) = (server.told.clone(), Waiting::Bytes(asker.token, call));
        let end = move |bytes: OpResult<Vec<u8>>| {
            let answer = bytes.map(|bytes| Answer { out: json!(bytes), replayed: false });
            told.lock().unwrap_or_else(PoisonError::into_inner).push((waiting, answer));
        };
        let Ok(sha) = sha.parse() else { return end(Err(OpError::new(codes::BDETECTED, "no digest"))) };
        let then = move |info: OpResult<BlobInfo>| {
            let faulty = |fault| OpError::new(codes::XBLOB, format!("{fault}"));
            let part = |info: BlobInfo| {
                let until = (from + len).min(info.size);
                info.read_part(blobs.as_ref(), from..until).map_err(faulty)
            };
            end(info.and_then(part));
        };
        server.kernel.read(&server.main, &FIND_BLOB, sha, Box::new(then));
    }
}

fn written(blobs: &dyn Blobs, id: base::Id, bytes: &[u8], now: Heard) -> OpResult<Stored> {
    let mut upload = Upload::begin(blobs, id, None, None, SIZE_MAX)?;
    upload.write(bytes)?;
    upload.finish(now)
}
