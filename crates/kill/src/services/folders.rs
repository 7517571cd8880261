//! Two devices with real daemons: what one makes, the other gets.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::crew::{Crew, Trade};
use crate::check::violation;
use crate::machine::Front;
use crate::server::KEY;

/// A change is on the other device within this time, whatever strikes one node.
const PATIENCE: Duration = Duration::from_secs(110);
/// Between two looks at the other device.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Each fourth folder is renamed.
const RENAMED_EVERY: usize = 4;

/// A folder with its daemon; both end when dropped.
struct Device {
    root: PathBuf,
    log: PathBuf,
    daemon: Child,
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// The devices, and what the first made.
pub(super) struct Pair {
    devices: [Device; 2],
    made: BTreeSet<String>,
    count: usize,
}

impl Pair {
    pub(super) fn open(program: &Path, front: &dyn Front, folder: &Path) -> Result<Self> {
        let url = format!("http://{}", front.address()?);
        let open = |name: &str, word: &str| Device::open(program, &url, &folder.join(name), name, word);
        Ok(Self { devices: [open("laptop", "create")?, open("desk", "link")?], made: BTreeSet::new(), count: 0 })
    }

    pub(super) fn work(mut self, crew: &Crew) -> Result<Self> {
        while !crew.is_over() {
            self.make()?;
            crew.did(Trade::Folders);
        }
        Ok(self)
    }

    /// Makes a folder, renames some, and waits until the other device has it.
    fn make(&mut self) -> Result<()> {
        let name = format!("folder {}", self.count);
        fs::create_dir(self.devices[0].root.join(&name))?;
        self.arrive(&name)?;
        let last =
            if self.count.is_multiple_of(RENAMED_EVERY) { format!("renamed {}", self.count) } else { name.clone() };
        if last != name {
            let root = &self.devices[0].root;
            fs::rename(root.join(&name), root.join(&last))?;
            self.arrive(&last)?;
        }
        self.made.insert(last);
        self.count += 1;
        Ok(())
    }

    fn arrive(&self, name: &str) -> Result<()> {
        let (there, begun) = (self.devices[1].root.join(name), Instant::now());
        while !there.is_dir() {
            let text = || violation(format!("{name} does not arrive\n{}", self.logs()));
            ensure!(begun.elapsed() < PATIENCE, text());
            thread::sleep(LOOK_EVERY); // tidy: sleep — another process changes the disk, and tells nobody
        }
        Ok(())
    }

    fn logs(&self) -> String {
        let last = |device: &Device| {
            let log = fs::read_to_string(&device.log).unwrap_or_default();
            log.lines().rev().take(15).collect::<Vec<_>>().join("\n")
        };
        self.devices.each_ref().map(last).join("\n---\n")
    }

    /// Both have all of it and nothing else; how many.
    pub(super) fn judge(&self) -> Result<usize> {
        for device in &self.devices {
            let begun = Instant::now();
            while names(&device.root)? != self.made {
                let text = || violation(format!("{} has {:?}", device.root.display(), names(&device.root)));
                ensure!(begun.elapsed() < PATIENCE, text());
                thread::sleep(LOOK_EVERY); // tidy: sleep — another process changes the disk, and tells nobody
            }
        }
        Ok(self.made.len())
    }
}

fn names(root: &Path) -> Result<BTreeSet<String>> {
    let entries = fs::read_dir(root)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(entries.filter(|name| name != ".fastness").collect())
}

impl Device {
    fn open(program: &Path, url: &str, at: &Path, name: &str, word: &str) -> Result<Self> {
        let (home, root, log) = (at.join("home"), at.join("plans"), at.join("log"));
        let command = |words: &[&str]| {
            let mut command = Command::new(program);
            command.arg("folders").args(words).env("FASTNESS_FOLDERS_HOME", &home).stdin(Stdio::null());
            command.env("FASTNESS_SERVER", url).env("FASTNESS_KEY", KEY).env("XDG_CONFIG_HOME", at.join("config"));
            command
        };
        let root_text = root.to_str().context("a path")?;
        let linked = command(&[word, "Plans", root_text, "--device", name]).output()?;
        ensure!(linked.status.success(), "{name}: {}", String::from_utf8_lossy(&linked.stderr));
        let to_log = fs::OpenOptions::new().create(true).append(true).open(&log)?;
        let daemon = command(&["run", "--json"]).stdout(to_log.try_clone()?).stderr(to_log).spawn()?;
        Ok(Self { root, log, daemon })
    }
}
