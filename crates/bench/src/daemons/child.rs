//! Programs that this run started: daemons that end with their value, and runs that are waited for.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::documents::{Memory, memory_of};

/// A daemon; what it says goes to a file.
pub struct Daemon {
    child: Child,
    pub name: &'static str,
}

impl Daemon {
    pub fn start(name: &'static str, log: &Path, command: &mut Command) -> Result<Self> {
        let file = File::options().create(true).append(true).open(log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().with_context(|| format!("{command:?}"))?;
        Ok(Self { child, name })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process by its number, as a side shows it.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    pub name: &'static str,
    pub pid: u32,
}

impl Shown {
    pub fn memory(&self) -> Result<Memory> {
        memory_of(self.pid)
    }

    /// Shared pages by their share: what the process adds to the machine.
    pub fn proportional_mib(&self) -> Result<f64> {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid))?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).context("no Pss")?;
        Ok(line.trim_end_matches("kB").trim().parse::<f64>()? / 1024.0)
    }

    /// Whether one of its threads runs or waits for the disk at this moment.
    pub fn is_busy(&self) -> Result<bool> {
        for thread in fs::read_dir(format!("/proc/{}/task", self.pid))? {
            // One that ended since has nothing to do.
            let stat = fs::read_to_string(thread?.path().join("stat")).unwrap_or_default();
            let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
            if matches!(state, Some('R' | 'D')) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Runs a program to its end and gives the most memory that it was seen with; one that takes too long is ended.
pub fn run_within(limit: Duration, log: &Path, command: &mut Command) -> Result<f64> {
    let file = File::create(log)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let begun = Instant::now();
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let mut highest_mib = 0_f64;
    loop {
        // Between its end and this look it has no memory any more.
        highest_mib = memory_of(child.id()).map_or(highest_mib, |memory| memory.highest_mib.max(highest_mib));
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "{command:?} ended with {status}: {}", fs::read_to_string(log)?);
            return Ok(highest_mib);
        }
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("{command:?} took more than {} s", limit.as_secs());
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a program and gives what it printed.
pub fn output_of(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
