//! Small disks, and the ends of mounts.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// How long a file system may stay busy after its last user has ended.
const BUSY_MAX: Duration = Duration::from_secs(10);

/// A file system of a few megabytes, gone when dropped. Needs root.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// An empty one of this size (`40m`), mounted at `path`.
    ///
    /// # Errors
    /// No right to mount.
    pub fn mount(path: &Path, size: &str) -> Result<Self> {
        fs::create_dir_all(path).context("no mount point")?;
        let options = format!("size={size}");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(path).status();
        ensure!(mount.context("no program `mount`")?.success(), "mounting a tmpfs needs root");
        Ok(Self(path.to_owned()))
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Fills it up but for `left` bytes. Removing the file gives the room back.
    ///
    /// # Errors
    /// There is less room than that already.
    pub fn fill(&self, left: usize) -> Result<PathBuf> {
        let (ballast, rest) = (self.0.join("ballast"), self.0.join("rest"));
        fs::write(&ballast, vec![1; left]).context("no room to leave")?;
        let mut file = fs::File::create(&rest)?;
        while file.write(&[1; 4096]).is_ok_and(|written| written == 4096) {}
        fs::remove_file(ballast)?;
        Ok(rest)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        if let Err(error) = unmount(&self.0) {
            eprintln!("kill: {error:#}");
        }
    }
}

/// Unmounts, waiting for the kernel to let go of what ended processes had open; after that at once and for ever.
///
/// # Errors
/// It was busy to the end.
pub fn unmount(path: &Path) -> Result<()> {
    let until = Instant::now() + BUSY_MAX;
    while !run_umount(&[], path)? {
        if Instant::now() > until {
            run_umount(&["-l"], path)?;
            bail!("{} stayed busy", path.display());
        }
        thread::sleep(Duration::from_millis(10)); // tidy: sleep — the kernel tells nobody when a mount is free
    }
    Ok(())
}

fn run_umount(flags: &[&str], path: &Path) -> Result<bool> {
    let mut command = Command::new("umount");
    command.args(flags).arg(path).stderr(Stdio::null());
    Ok(command.status().context("no program `umount`")?.success())
}
