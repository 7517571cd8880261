#![expect(clippy::disallowed_methods, reason = "the user's side of a real folder is made with the plain calls")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::{Changed, Watcher};
use crate::disk::local_name::LocalNames;

const PATIENCE: Duration = Duration::from_secs(20);

struct Watched {
    told: Receiver<Changed>,
    watcher: Option<Watcher>,
    folder: tempfile::TempDir,
}

impl Watched {
    fn new(before: impl Fn(&Path)) -> Self {
        Self::bounded(usize::MAX, before)
    }

    fn bounded(watches_max: usize, before: impl Fn(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        before(folder.path());
        let (tell, told) = channel();
        let tell = move |changed| drop(tell.send(changed));
        let watcher = Watcher::start_bounded(folder.path(), LocalNames::Plain, watches_max, tell).unwrap();
        Self { told, watcher: Some(watcher), folder }
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    /// Waits until all of these folders were told; all that was told.
    fn expect(&self, folders: &[&str]) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        while !folders.iter().all(|folder| seen.contains(*folder)) {
            match self.told.recv_timeout(PATIENCE) {
                Ok(Changed::Paths(paths)) => seen.extend(paths),
                other => panic!("{other:?} after {seen:?}, not {folders:?}"),
            }
        }
        seen
    }

    fn expect_everything(&self) {
        while self.told.recv_timeout(PATIENCE).unwrap() != Changed::Everything {}
    }
}

#[test]
fn fld_22_every_kind_of_change_is_told() {
    let watched = Watched::new(|root| {
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/old"), b"x").unwrap();
    });
    fs::write(watched.at("file"), b"x").unwrap();
    assert_eq!(watched.expect(&[""]), BTreeSet::from([String::new()]));
    fs::write(watched.at("a/b/old"), b"y").unwrap();
    watched.expect(&["a/b"]);
    fs::rename(watched.at("a/b/old"), watched.at("a/new")).unwrap();
    watched.expect(&["a", "a/b"]);
    let mut permissions = fs::metadata(watched.at("a/new")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(watched.at("a/new"), permissions).unwrap();
    watched.expect(&["a"]);
    fs::remove_file(watched.at("a/new")).unwrap();
    watched.expect(&["a"]);
}

#[test]
fn fld_22_new_folders_are_followed_and_what_was_in_them_is_told() {
    let watched = Watched::new(|_| ());
    fs::create_dir_all(watched.at("new/deep/deeper")).unwrap();
    fs::write(watched.at("new/deep/deeper/file"), b"x").unwrap();
    watched.expect(&["", "new", "new/deep", "new/deep/deeper"]);
    fs::write(watched.at("new/deep/deeper/later"), b"x").unwrap();
    watched.expect(&["new/deep/deeper"]);
}

#[test]
fn fld_22_a_folder_that_comes_from_elsewhere_is_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    let watched = Watched::new(|_| ());
    fs::create_dir_all(elsewhere.path().join("x/y")).unwrap();
    fs::rename(elsewhere.path().join("x"), watched.at("x")).unwrap();
    watched.expect(&["", "x", "x/y"]);
    fs::write(watched.at("x/y/file"), b"").unwrap();
    watched.expect(&["x/y"]);
}

#[test]
fn fld_22_a_renamed_folder_is_told_by_its_new_path() {
    let watched = Watched::new(|root| fs::create_dir_all(root.join("a/b")).unwrap());
    fs::rename(watched.at("a"), watched.at("c")).unwrap();
    watched.expect(&["", "c", "c/b"]);
    fs::write(watched.at("c/b/file"), b"").unwrap();
    let seen = watched.expect(&["c/b"]);
    assert!(!seen.iter().any(|path| path.starts_with('a')), "{seen:?}");
    fs::create_dir(watched.at("a")).unwrap();
    watched.expect(&["a"]);
    fs::write(watched.at("a/file"), b"").unwrap();
    watched.expect(&["a"]);
}

#[test]
fn fld_22_what_is_our_own_is_not_told() {
    let watched = Watched::new(|root| fs::create_dir_all(root.join(".fastness/stage")).unwrap());
    fs::write(watched.at(".fastness/stage/1"), b"x").unwrap();
    fs::write(watched.at(".fastness/marker"), b"x").unwrap();
    fs::create_dir(watched.at("end")).unwrap();
    let seen = watched.expect(&["end"]);
    assert!(!seen.iter().any(|path| path.contains("fastness")), "{seen:?}");
}

#[test]
fn fld_22_links_are_not_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    let watched = Watched::new(|root| std::os::unix::fs::symlink(elsewhere.path(), root.join("before")).unwrap());
    std::os::unix::fs::symlink(elsewhere.path(), watched.at("after")).unwrap();
    fs::write(elsewhere.path().join("file"), b"x").unwrap();
    fs::create_dir(watched.at("end")).unwrap();
    assert_eq!(watched.expect(&["end"]), BTreeSet::from([String::new(), "end".to_owned()]));
}

#[test]
fn fld_22_when_watches_run_out_it_is_said_once() {
    let watched = Watched::bounded(2, |root| fs::create_dir_all(root.join("a/b")).unwrap());
    assert_eq!(watched.told.recv_timeout(PATIENCE).unwrap(), Changed::Everything);
    assert!(!watched.watcher.as_ref().is_some_and(Watcher::is_whole));
    fs::write(watched.at("a/file"), b"x").unwrap();
    watched.expect(&["a"]);
    let growing = Watched::bounded(2, |_| ());
    assert!(growing.watcher.as_ref().is_some_and(Watcher::is_whole));
    fs::create_dir_all(growing.at("a/b")).unwrap();
    growing.expect_everything();
    assert!(!growing.watcher.as_ref().is_some_and(Watcher::is_whole));
}

#[test]
fn fld_13_a_root_that_is_gone_is_told() {
    let watched = Watched::new(|_| ());
    fs::rename(watched.folder.path(), watched.folder.path().with_extension("moved")).unwrap();
    watched.expect_everything();
    fs::remove_dir_all(watched.folder.path().with_extension("moved")).unwrap();
    let watched = Watched::new(|_| ());
    fs::remove_dir(watched.folder.path()).unwrap();
    watched.expect_everything();
    // The daemon has it open, and so only what is its own tells.
    let watched = Watched::new(|root| fs::create_dir(root.join(".fastness")).unwrap());
    let _open = fs::File::open(watched.folder.path()).unwrap();
    fs::remove_dir_all(watched.folder.path()).unwrap();
    watched.expect_everything();
}

#[test]
fn it_ends_when_it_is_dropped() {
    let mut watched = Watched::new(|_| ());
    drop(watched.watcher.take());
    assert!(watched.told.recv().is_err(), "the thread is gone, and with it who tells");
}
