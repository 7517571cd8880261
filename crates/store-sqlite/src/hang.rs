//! A deadlock on demand, to see whether the watchdog notices. Only in builds with debug assertions, and only for those
//! that set `FASTNESS_TEST_HANG`: the writer stops for ever when a file `store.hang` appears beside its database.
#![expect(clippy::disallowed_methods, reason = "an engine owns the files beside its database")]

use std::fs;
use std::path::{Path, PathBuf};

/// Where the writer may be told to hang.
pub(crate) struct Hang(Option<PathBuf>);

impl Hang {
    pub(crate) fn beside(database: &Path) -> Self {
        let wished = cfg!(debug_assertions) && std::env::var_os("FASTNESS_TEST_HANG").is_some();
        Self(wished.then(|| database.with_extension("hang")))
    }

    /// The file is removed first, so that the next process goes on.
    pub(crate) fn here(&self) {
        if self.0.as_ref().is_some_and(|path| fs::remove_file(path).is_ok()) {
            tracing::error!("the writer hangs, as it was told to");
            loop {
                std::thread::park();
            }
        }
    }
}
