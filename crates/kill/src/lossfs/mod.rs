//! A disk that forgets what was not synced.
//!
//! `kill -9` ends a process but leaves the page cache, so it never shows a missing sync. This file system (FUSE, in
//! memory) does: [`LossDisk::cut`] is a power cut. It also fails syncs the way ext4 does, by forgetting.
//!
//! Needs root and `/dev/fuse`. Deliberately not here: a sync that lies, which no program can survive on one disk.

mod file;
mod fuse;
mod planes;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use fuser::{BackgroundSession, Config, MountOption};

use crate::disk::unmount;
use crate::rng::Rng;
pub use file::{Loss, Survival};
use fuse::LossFs;
pub use planes::Event;
use planes::Planes;

/// A mounted disk; gone when dropped.
pub struct LossDisk {
    path: PathBuf,
    planes: Arc<Mutex<Planes>>,
    session: Option<BackgroundSession>,
}

impl LossDisk {
    /// An empty disk, mounted at `path`.
    ///
    /// # Errors
    /// There is no FUSE here, or no right to mount.
    pub fn mount(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).context("no mount point")?;
        let planes = Arc::new(Mutex::new(Planes::new()));
        let mut disk = Self { path: path.to_owned(), planes, session: None };
        disk.attach()?;
        Ok(disk)
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes every name durable that is there now, as they are when the folders have been there for a while.
    pub fn keep_names(&self) {
        self.planes().keep_all_names();
    }

    /// The next so many syncs of files fail and forget.
    pub fn fail_syncs(&self, count: u64) {
        self.planes().fail_syncs(count);
    }

    /// Cuts and failed syncs from now on.
    #[must_use]
    pub fn listen(&self) -> Receiver<Event> {
        self.planes().listen()
    }

    /// Cuts the power after so many further writes, syncs and changes of names; from there on everything fails.
    pub fn cut_after(&self, changes: u64, survival: Survival, rng: Rng) {
        self.planes().arm(changes, survival, rng);
    }

    /// Cuts the power if it has not gone yet, and gives it back. Nobody may have a file open here.
    ///
    /// # Errors
    /// Somebody has, or it cannot be mounted again.
    pub fn cut(&mut self, survival: Survival, rng: Rng) -> Result<Loss> {
        // Unmounted and mounted again: the kernel's own copies must go too.
        self.detach()?;
        let loss = self.planes().restart(survival, rng);
        self.attach()?;
        Ok(loss)
    }

    fn planes(&self) -> MutexGuard<'_, Planes> {
        self.planes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attach(&mut self) -> Result<()> {
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("fastness-lossfs".into()), MountOption::NoAtime];
        let session = fuser::spawn_mount(LossFs(self.planes.clone()), &self.path, &config);
        self.session = Some(session.context("the FUSE file system cannot be mounted")?);
        Ok(())
    }

    fn detach(&mut self) -> Result<()> {
        unmount(&self.path)?;
        match self.session.take() {
            Some(session) => session.join().context("the FUSE file system ended badly"),
            None => Ok(()),
        }
    }
}

impl Drop for LossDisk {
    fn drop(&mut self) {
        if let Err(error) = self.detach() {
            eprintln!("kill: {}: {error:#}", self.path.display());
        }
    }
}
