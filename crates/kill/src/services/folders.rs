//! Two devices with real daemons: what one makes, the other gets, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::bytes::{content, digest};
use super::caller::{download, told};
use super::crew::{Crew, Trade};
use crate::check::violation;
use crate::machine::Front;
use crate::server::KEY;

/// A change is on the other device within this time, whatever strikes one node.
const PATIENCE: Duration = Duration::from_secs(110);
/// Between two looks at the other device.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Each fourth folder is renamed, and in each third the other device changes the file.
const RENAMED_EVERY: u64 = 4;
const CHANGED_EVERY: u64 = 3;
/// Contents of changed files are others than those of new ones.
const CHANGED_FROM: u64 = 1_000_001;
/// The file of a folder.
const FILE: &str = "plan.bin";

/// Folders by name, each with the digest of its one file.
type Tree = BTreeMap<String, String>;

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
    made: Tree,
    count: u64,
}

impl Pair {
    pub(super) fn open(program: &Path, front: &dyn Front, folder: &Path) -> Result<Self> {
        let url = format!("http://{}", front.address()?);
        let open = |name: &str, word: &str| Device::open(program, &url, &folder.join(name), name, word);
        Ok(Self { devices: [open("laptop", "create")?, open("desk", "link")?], made: Tree::new(), count: 0 })
    }

    pub(super) fn work(mut self, crew: &Crew) -> Result<Self> {
        while !crew.is_over() {
            self.make()?;
            crew.did(Trade::Folders);
        }
        Ok(self)
    }

    /// Makes a folder with a file, renames some, lets the other device change some, and waits until each has what the other did.
    fn make(&mut self) -> Result<()> {
        let [laptop, desk] = &self.devices;
        let (number, mut name, mut bytes) = (self.count, format!("folder {}", self.count), content(self.count));
        fs::create_dir(laptop.root.join(&name))?;
        laptop.write(&name, &bytes)?;
        self.arrive(desk, &name, &bytes)?;
        if number.is_multiple_of(RENAMED_EVERY) {
            let before = std::mem::replace(&mut name, format!("renamed {number}"));
            fs::rename(laptop.root.join(before), laptop.root.join(&name))?;
            self.arrive(desk, &name, &bytes)?;
        }
        if number.is_multiple_of(CHANGED_EVERY) {
            bytes = content(CHANGED_FROM + number);
            desk.write(&name, &bytes)?;
            self.arrive(laptop, &name, &bytes)?;
        }
        self.made.insert(name, digest(&bytes));
        self.count += 1;
        Ok(())
    }

    fn arrive(&self, device: &Device, name: &str, bytes: &[u8]) -> Result<()> {
        let (there, begun) = (device.root.join(name).join(FILE), Instant::now());
        while !holds(&there, bytes) {
            let text = || violation(format!("{} is not {} bytes\n{}", there.display(), bytes.len(), self.logs()));
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

    /// Both devices and the server have all of it and nothing else; how many.
    pub(super) fn judge(&self, front: &dyn Front) -> Result<usize> {
        for device in &self.devices {
            let begun = Instant::now();
            while device.tree()? != self.made {
                let text = || violation(format!("{}: {}", device.root.display(), self.unlike(device.tree())));
                ensure!(begun.elapsed() < PATIENCE, text());
                thread::sleep(LOOK_EVERY); // tidy: sleep — another process changes the disk, and tells nobody
            }
        }
        let kept = tree_of_server(front)?;
        ensure!(kept == self.made, violation(format!("the server: {}", self.unlike(Ok(kept)))));
        Ok(self.made.len())
    }

    /// What is in one and not in the other.
    fn unlike(&self, found: Result<Tree>) -> String {
        let found = found.unwrap_or_default();
        let missing: Vec<_> = self.made.iter().filter(|(name, digest)| found.get(*name) != Some(digest)).collect();
        let other: Vec<_> = found.iter().filter(|(name, digest)| self.made.get(*name) != Some(digest)).collect();
        format!("{missing:?} was made, {other:?} is there")
    }
}

/// Whether a file has this content.
fn holds(file: &Path, bytes: &[u8]) -> bool {
    let is_long_enough = fs::metadata(file).is_ok_and(|found| found.len() == bytes.len() as u64);
    is_long_enough && fs::read(file).is_ok_and(|found| found == bytes)
}

/// What is in a folder of a disk, but for what the daemon keeps there.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(entries.filter(|name| name != ".fastness").collect())
}

/// By its pages and its bytes, whichever node answers.
fn tree_of_server(front: &dyn Front) -> Result<Tree> {
    let directories = told(front, "GET", "/v1/main/folders/directories", &Value::Null)?;
    let directory = directories["items"][0]["id"].as_str().context("a directory")?;
    let mut tree = Tree::new();
    for folder in listed(front, directory, "")? {
        let name = folder["name"].as_str().context("a name")?;
        let files = listed(front, directory, name)?;
        let [file] = &files[..] else { return Err(violation(format!("{name} has {files:?}"))) };
        let bytes =
            download(front, &format!("/v1/main/folders/files/{}/content", file["id"].as_str().context("an id")?))?;
        tree.insert(name.to_owned(), digest(&bytes));
    }
    Ok(tree)
}

/// What is in one folder of the server.
fn listed(front: &dyn Front, directory: &str, folder: &str) -> Result<Vec<Value>> {
    let (mut all, mut after) = (vec![], String::new());
    let path = folder.replace(' ', "%20");
    loop {
        let page = format!("/v1/main/folders/directories/{directory}/files?limit=1000&path={path}{after}");
        let page = told(front, "GET", &page, &Value::Null)?;
        all.extend(page["items"].as_array().into_iter().flatten().cloned());
        let Some(next) = page["next"].as_str() else { return Ok(all) };
        after = format!("&after={next}");
    }
}

impl Device {
    fn write(&self, folder: &str, bytes: &[u8]) -> Result<()> {
        Ok(fs::write(self.root.join(folder).join(FILE), bytes)?)
    }

    /// Folders, each with the digest of its file; one that holds anything else has none.
    fn tree(&self) -> Result<Tree> {
        let of = |name: String| {
            let folder = self.root.join(&name);
            let is_alone = names(&folder).is_ok_and(|names| names == [FILE]);
            let digest = fs::read(folder.join(FILE)).map(|bytes| digest(&bytes)).unwrap_or_default();
            (name, if is_alone { digest } else { String::new() })
        };
        Ok(names(&self.root)?.into_iter().map(of).collect())
    }

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
