//! What is to be made durable. Few things are flushed one by one; with many it is quicker to flush the file system once.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs;

use super::RealDisk;
use super::tree;
use crate::disk::Stage;

/// From here on stages are flushed by one flush of the file system.
const STAGES_FEW: usize = 8;
/// So many files and folders are kept open to be flushed one by one.
const HANDLES_FEW: usize = 16;

/// What was changed since the last flush.
#[derive(Debug, Default)]
pub(super) struct Unflushed {
    /// Stages whose bytes may be in memory only.
    pub(super) stages: BTreeSet<Stage>,
    /// Files and folders, by inode.
    handles: BTreeMap<u64, OwnedFd>,
    /// More than are kept open.
    is_many: bool,
}

impl Unflushed {
    /// A file or folder was changed.
    pub(super) fn note(&mut self, handle: impl AsFd) -> io::Result<()> {
        if self.is_many {
            return Ok(());
        }
        let inode = tree::seen(&handle)?.stat.inode;
        if let Entry::Vacant(vacant) = self.handles.entry(inode) {
            vacant.insert(handle.as_fd().try_clone_to_owned()?);
        }
        if self.handles.len() > HANDLES_FEW {
            self.handles.clear();
            self.is_many = true;
        }
        Ok(())
    }
}

impl RealDisk {
    /// The bytes and all else of a stage are durable when this returns. `true` if this was so before.
    pub(super) fn flush_stage(&mut self, stage: Stage, file: &OwnedFd) -> io::Result<bool> {
        if !self.unflushed.stages.contains(&stage) {
            return Ok(true);
        }
        if self.unflushed.stages.len() > STAGES_FEW {
            let flushed = fs::syncfs(&self.tree.root);
            self.after_flush(flushed.map_err(io::Error::from))?;
            self.unflushed.stages.clear();
            return Ok(false);
        }
        let flushed = fs::fsync(file);
        self.after_flush(flushed.map_err(io::Error::from))?;
        self.unflushed.stages.remove(&stage);
        Ok(false)
    }

    pub(super) fn settle_all(&mut self) -> io::Result<()> {
        self.batch = None;
        let is_many = self.unflushed.is_many || self.unflushed.stages.len() > STAGES_FEW;
        let flushed = if is_many { fs::syncfs(&self.tree.root).map_err(Into::into) } else { self.flush_each() };
        self.after_flush(flushed)?;
        self.unflushed = Unflushed::default();
        Ok(())
    }

    fn flush_each(&self) -> io::Result<()> {
        for stage in &self.unflushed.stages {
            fs::fdatasync(self.open_stage(*stage, fs::OFlags::RDONLY)?)?;
        }
        for handle in self.unflushed.handles.values() {
            fs::fsync(handle)?;
        }
        Ok(())
    }

    /// After a flush that failed the system takes for clean what it could not write: nothing of it can be trusted.
    pub(super) fn after_flush(&mut self, flushed: io::Result<()>) -> io::Result<()> {
        if flushed.is_err() {
            self.unflushed.is_many = true;
            for stage in std::mem::take(&mut self.unflushed.stages) {
                self.forget_stage(stage)?;
            }
        }
        flushed
    }
}
