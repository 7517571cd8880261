//! Folders of our own, and the end of those that a killed run left behind with their mounts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use tempfile::TempDir;

/// Start of every folder's name, before the pid of its run.
const PREFIX: &str = "fastness-kill-run-";

/// A fresh folder of this run.
///
/// # Errors
/// There is no room for temporary files.
pub fn folder() -> Result<TempDir> {
    Ok(tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", std::process::id())).tempdir()?)
}

/// Unmounts and removes what runs left behind that are no more.
///
/// # Errors
/// The folder of temporary files cannot be read.
pub fn sweep() -> Result<()> {
    for entry in fs::read_dir(std::env::temp_dir())?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            remove(&entry.path());
        }
    }
    Ok(())
}

fn remove(folder: &Path) {
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let below = mounts.lines().filter_map(|line| line.split(' ').nth(1).map(PathBuf::from));
    for mount in below.filter(|mount| mount.starts_with(folder)) {
        let _ = Command::new("umount").arg("-l").arg(mount).stderr(Stdio::null()).status();
    }
    if let Err(error) = fs::remove_dir_all(folder) {
        eprintln!("kill: {}: {error}", folder.display());
    }
}
