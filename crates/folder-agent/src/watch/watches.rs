//! Which folders are watched, and what an event means.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::Changed;
use crate::disk::join;
use crate::disk::local_name::LocalNames;
use crate::disk::real::look::is_own;
use crate::disk::real::open_root;
use crate::disk::real::tree::{Seen, Tree, look, names_in, seen};

/// So much is read of the queue at once; every event of it is told together.
const QUEUE_BYTES: usize = 64 * 1_024;

pub(super) struct Watches {
    inotify: OwnedFd,
    /// By path, and not open: of a folder that is open nobody is told that it was removed.
    root: PathBuf,
    /// Its device and inode.
    root_id: ((u32, u32), u64),
    names: LocalNames,
    /// Path by watch and watch by path; a folder that was renamed keeps its watch.
    paths: BTreeMap<i32, String>,
    numbers: BTreeMap<String, i32>,
    watches_max: usize,
    is_whole: bool,
    is_root_gone: bool,
}

/// An event, as far as it is looked at.
struct Event {
    watch: i32,
    flags: ReadFlags,
    name: Option<std::ffi::CString>,
}

impl Watches {
    pub(super) fn new(root: &Path, names: LocalNames, watches_max: usize) -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let root_id = id(&seen(open_root(root)?)?);
        Ok(Self {
            inotify,
            root: root.to_owned(),
            root_id,
            names,
            paths: BTreeMap::new(),
            numbers: BTreeMap::new(),
            watches_max,
            is_whole: true,
            is_root_gone: false,
        })
    }

    pub(super) fn inotify(&self) -> &OwnedFd {
        &self.inotify
    }

    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub(super) fn is_root_gone(&self) -> bool {
        self.is_root_gone
    }

    /// The root, as long as it is the same folder.
    fn tree(&self) -> Option<Tree> {
        let tree = Tree::new(open_root(&self.root).ok()?, self.names).ok()?;
        let is_same = id(&seen(&tree.root).ok()?) == self.root_id;
        is_same.then_some(tree)
    }

    /// Watches the root and all below it.
    pub(super) fn watch_all(&mut self) {
        self.watch_below("", &mut BTreeSet::new());
    }

    /// Watches a folder and all below it. Each is watched first and then looked into, so that nothing made in between is missed; and since something
    /// may have been made before, each is told.
    fn watch_below(&mut self, top: &str, changed: &mut BTreeSet<String>) {
        let Some(tree) = self.tree() else {
            self.is_root_gone = true;
            return;
        };
        let mut next = vec![top.to_owned()];
        while let Some(path) = next.pop() {
            let Ok(folder) = tree.folder(&parts_of(&path)) else { continue };
            if !self.watch(&path, &folder) {
                continue;
            }
            for name in names_in(&folder).unwrap_or_default() {
                let is_folder = look(&folder, name.as_c_str()).is_ok_and(|seen| seen.kind == FileType::Directory);
                next.extend(self.named(&path, &name).filter(|_| is_folder));
            }
            changed.insert(path);
        }
    }

    /// `false` if it cannot be watched.
    fn watch(&mut self, path: &str, folder: &OwnedFd) -> bool {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        // The folder that is open, and not what its path may lead to by now.
        let handle = format!("/proc/self/fd/{}", folder.as_raw_fd());
        let is_full = self.paths.len() >= self.watches_max;
        match if is_full { Err(Errno::NOSPC) } else { inotify::add_watch(&self.inotify, handle, flags) } {
            Ok(number) => self.note(path, number),
            // It was removed meanwhile, and its own folder tells so.
            Err(Errno::NOENT | Errno::NOTDIR) if Path::new("/proc/self/fd").exists() => return false,
            Err(_) => {
                self.is_whole = false;
                return false;
            }
        }
        true
    }

    fn note(&mut self, path: &str, number: i32) {
        if let Some(was) = self.paths.insert(number, path.to_owned()).filter(|was| was != path) {
            self.numbers.remove(&was);
        }
        self.numbers.insert(path.to_owned(), number);
    }

    /// A folder went away, with all below it: whatever is made at its path is another one.
    fn forget_below(&mut self, path: &str) {
        let below = format!("{path}/");
        let gone = self.numbers.range(below.clone()..).take_while(|(path, _)| path.starts_with(&below));
        let gone: Vec<String> = gone.map(|(path, _)| path.clone()).chain([path.to_owned()]).collect();
        for path in gone {
            if let Some(number) = self.numbers.remove(&path) {
                self.paths.remove(&number);
                // It may be gone by itself.
                let _ = inotify::remove_watch(&self.inotify, number);
            }
        }
    }

    /// The path of a name in a folder; `None` for what is our own, and for what is never looked at.
    fn named(&self, folder: &str, name: &CStr) -> Option<String> {
        let is_ours = folder.is_empty() && is_own(name);
        let name = name.to_str().ok().filter(|_| !is_ours)?;
        Some(join(folder, &self.names.from_local(name)?))
    }

    /// What happened since the last time.
    pub(super) fn read(&mut self) -> Option<Changed> {
        let mut changed = BTreeSet::new();
        let mut is_lost = false;
        for event in self.events() {
            is_lost |= self.take(&event, &mut changed);
        }
        if is_lost {
            // Folders may have been made of which nothing was told.
            self.watch_below("", &mut changed);
        }
        match (is_lost || self.is_root_gone, changed.is_empty()) {
            (true, _) => Some(Changed::Everything),
            (false, true) => None,
            (false, false) => Some(Changed::Paths(changed.into_iter().collect())),
        }
    }

    fn events(&self) -> Vec<Event> {
        let mut queue = vec![MaybeUninit::uninit(); QUEUE_BYTES];
        let mut reader = Reader::new(&self.inotify, &mut queue);
        let mut events = Vec::new();
        while let Ok(event) = reader.next() {
            let name = event.file_name().map(CStr::to_owned);
            events.push(Event { watch: event.wd(), flags: event.events(), name });
            if reader.is_buffer_empty() {
                break;
            }
        }
        events
    }

    /// `true` if nobody knows what changed.
    fn take(&mut self, event: &Event, changed: &mut BTreeSet<String>) -> bool {
        if event.flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            return true;
        }
        // Of a watch that was given up something may still come.
        let Some(folder) = self.paths.get(&event.watch).cloned() else { return false };
        if event
            .flags
            .intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT | ReadFlags::IGNORED)
        {
            self.gone(&folder, event);
            return false;
        }
        let Some(name) = &event.name else {
            // The folder itself: its permissions.
            changed.insert(folder);
            return false;
        };
        if folder.is_empty() && is_own(name) {
            // Without what is our own it is not the folder that was linked.
            return event.flags.intersects(ReadFlags::DELETE | ReadFlags::MOVED_FROM);
        }
        let below = self.named(&folder, name).filter(|_| event.flags.contains(ReadFlags::ISDIR));
        changed.insert(folder);
        if let Some(below) = below {
            self.take_folder(&below, event.flags, changed);
        }
        false
    }

    fn take_folder(&mut self, path: &str, flags: ReadFlags, changed: &mut BTreeSet<String>) {
        if flags.intersects(ReadFlags::MOVED_FROM | ReadFlags::DELETE) {
            self.forget_below(path);
        } else if flags.intersects(ReadFlags::MOVED_TO | ReadFlags::CREATE) {
            self.watch_below(path, changed);
        }
    }

    /// A watched folder is no longer where it was; of those below the root their own folder tells.
    fn gone(&mut self, folder: &str, event: &Event) {
        if folder.is_empty() {
            self.is_root_gone = true;
        } else if event.flags.intersects(ReadFlags::IGNORED) {
            self.paths.remove(&event.watch);
            self.numbers.remove(folder);
        }
    }
}

fn id(seen: &Seen) -> ((u32, u32), u64) {
    (seen.device, seen.stat.inode)
}

fn parts_of(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}
