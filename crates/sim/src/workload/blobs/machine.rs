//! The place of the blobs: the real protocol of blobs on a simulated disk, and its crashes.

use std::collections::BTreeMap;

use base::{Blobs, CallResult, Heard, Id, OpResult, Sha, WorkCall};
use host::DiskBlobs;
use kernel::blobs::{Stored, Upload, perform, store_all};

use super::content::Content;
use crate::disk::{DiskFaults, SimDisk, SimFolder};
use crate::rng::Rng;

const SIZE_MAX: u64 = 1 << 20;
/// So many that they are made durable together.
const OTHERS: usize = 8;
const STAGING: &str = "staging/";

/// A disk, and what the server has open on it.
pub(super) struct Machine {
    disk: SimDisk,
    faults: DiskFaults,
    blobs: Option<DiskBlobs<SimFolder>>,
    rng: Rng,
}

impl Machine {
    /// A machine that is down, with an empty disk.
    pub(super) fn new(mut rng: Rng, failing: bool) -> Self {
        let faults = DiskFaults::draw(&mut rng, failing);
        Self { disk: SimDisk::new(rng.fork(), faults.clone()), faults, blobs: None, rng }
    }

    pub(super) fn is_up(&self) -> bool {
        self.blobs.is_some()
    }

    /// No faults from now on.
    pub(super) fn calm(&mut self) {
        self.faults = DiskFaults::default();
        self.disk.set_faults(DiskFaults::default());
    }

    /// The server opens the place; it may fail.
    pub(super) fn start(&mut self) -> String {
        match DiskBlobs::below(self.disk.root()) {
            Ok(blobs) => {
                self.blobs = Some(blobs);
                "the place opens".into()
            }
            Err(error) => format!("the place does not open: {error}"),
        }
    }

    /// The process ends, or all of the machine; a file system that went read-only needs the latter.
    pub(super) fn crash(&mut self) -> &'static str {
        self.blobs = None;
        if self.disk.is_read_only() || self.rng.once_in(2) {
            self.disk.cut();
            "the power is cut"
        } else {
            self.disk.kill();
            "the process is killed"
        }
    }

    /// Whether the process has ended in what it did last, or has to.
    pub(super) fn must_crash(&mut self) -> bool {
        self.disk.is_dead() || (self.disk.is_read_only() && self.rng.once_in(4))
    }

    /// Uploads a content; the server must be up.
    pub(super) fn upload(&mut self, content: Content, upload: Id, now: Heard) -> OpResult<Stored> {
        let Some(blobs) = &self.blobs else { return Err(down()) };
        if self.rng.once_in(2) {
            return upload_among_others(blobs, content, upload, now);
        }
        let mut upload = Upload::begin(blobs, upload, Some(content.sha()), None, SIZE_MAX)?;
        for chunk in content.bytes().chunks(700) {
            upload.write(chunk)?;
        }
        upload.finish(now)
    }

    /// Performs work that a task asked for.
    pub(super) fn work(&mut self, call: &WorkCall) -> CallResult {
        match &self.blobs {
            Some(blobs) => perform(blobs, call),
            None => CallResult::NotMade("the server is down".into()),
        }
    }

    /// All bytes that have a name, by it.
    pub(super) fn named(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = self.disk.files();
        files.retain(|path, _| !path.starts_with(STAGING));
        files
    }

    /// The power is cut twice, with a start in between: what is there afterwards stays.
    pub(super) fn end(&mut self) -> Result<BTreeMap<String, Vec<u8>>, String> {
        for _ in 0..2 {
            self.blobs = None;
            self.disk.cut();
            let said = self.start();
            if !self.is_up() {
                return Err(said);
            }
        }
        let blobs = self.blobs.as_ref().ok_or("the place is closed")?;
        let (listed, files) = (blobs.list(None, 1_000).map_err(|error| error.to_string())?, self.disk.files());
        if listed.len() != files.len() {
            return Err(format!("{} blobs are listed, but these files are there: {:?}", listed.len(), files.keys()));
        }
        Ok(files)
    }
}

/// Others upload at the same time, and never come to put theirs.
fn upload_among_others(blobs: &dyn Blobs, content: Content, upload: Id, now: Heard) -> OpResult<Stored> {
    let others = (0..OTHERS).map(|other| (upload, format!("{upload} {other}").into_bytes()));
    let all = std::iter::once((upload, content.bytes().to_vec())).chain(others).collect();
    store_all(blobs, all, now).swap_remove(0)
}

fn down() -> base::OpError {
    base::OpError::before_start(base::codes::XSTORE, "the server is down")
}

/// The hash that a name says.
pub(super) fn sha_of_name(name: &str) -> Option<Sha> {
    name.parse::<base::BlobName>().ok().map(|name| name.sha)
}
