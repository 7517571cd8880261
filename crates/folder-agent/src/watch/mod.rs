//! Watching a folder of this machine: which folders below it changed.
//!
//! It may say too much and too early, never too little: what it could not watch it reports as changed. Whoever is told looks for himself.
//!
//! `watches` has which folders are watched, and what an event means; here is the thread, which ends when its owner drops it.

#![expect(
    clippy::disallowed_methods,
    reason = "a thread that has a name, an owner and an end: it waits for the system"
)]

mod watches;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::Errno;

use crate::disk::local_name::LocalNames;
use watches::Watches;

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// Something in these folders (`""`: the root), not in those below them.
    Paths(Vec<String>),
    /// Nobody knows what: too much at once, more folders than can be watched, or the root is gone.
    Everything,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    stop: Arc<OwnedFd>,
    is_whole: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Watches a folder whose file system holds every name. What is changed after this returns is told.
    ///
    /// # Errors
    /// The folder cannot be opened, or the system has no way to watch.
    pub fn start(root: &Path, tell: impl Fn(Changed) + Send + 'static) -> io::Result<Self> {
        Self::start_named(root, LocalNames::Plain, tell)
    }

    /// Watches a folder in which names are kept so.
    ///
    /// # Errors
    /// The folder cannot be opened, or the system has no way to watch.
    pub fn start_named(root: &Path, names: LocalNames, tell: impl Fn(Changed) + Send + 'static) -> io::Result<Self> {
        Self::start_bounded(root, names, usize::MAX, tell)
    }

    fn start_bounded(
        root: &Path,
        names: LocalNames,
        watches_max: usize,
        tell: impl Fn(Changed) + Send + 'static,
    ) -> io::Result<Self> {
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let mut watches = Watches::new(root, names, watches_max)?;
        watches.watch_all();
        let is_whole = Arc::new(AtomicBool::new(watches.is_whole()));
        let (stopped, whole) = (stop.clone(), is_whole.clone());
        let thread = std::thread::Builder::new()
            .name("folder-watch".to_owned())
            .spawn(move || watch(&mut watches, &stopped, &whole, &tell))?;
        Ok(Self { stop, is_whole, thread: Some(thread) })
    }

    /// Whether all folders are watched. If not, the rest must be looked at from time to time.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole.load(Ordering::Acquire)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // Cannot fail: the counter is far from its end.
        let _ = rustix::io::write(&*self.stop, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn watch(watches: &mut Watches, stop: &OwnedFd, is_whole: &AtomicBool, tell: &impl Fn(Changed)) {
    if !watches.is_whole() {
        tell(Changed::Everything);
    }
    while wait(watches, stop) {
        let was_whole = watches.is_whole();
        let changed = watches.read();
        is_whole.store(watches.is_whole(), Ordering::Release);
        // That watches ran out is said once; the folders that are watched go on to be told.
        if was_whole && !watches.is_whole() {
            tell(Changed::Everything);
        } else if let Some(changed) = changed {
            tell(changed);
        }
        if watches.is_root_gone() {
            return;
        }
    }
}

/// Until something happened; `false` if it is time to end.
fn wait(watches: &Watches, stop: &OwnedFd) -> bool {
    loop {
        let mut waiting = [PollFd::new(stop, PollFlags::IN), PollFd::new(watches, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Ok(_) if waiting[0].revents().is_empty() => return true,
            Err(Errno::INTR) => {}
            Ok(_) | Err(_) => return false,
        }
    }
}

impl AsFd for Watches {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify().as_fd()
    }
}

#[cfg(test)]
mod tests;
