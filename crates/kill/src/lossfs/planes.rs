//! Files with two planes: what programs see, and what is on the disk.
//!
//! A sync copies the changed pages of one file from the first plane to the second; a folder's sync does so for its
//! names. When the power goes, what was changed and not synced is gone, or half of it is: any page may have reached the
//! disk by itself, whole or in part, as on a real one. A sync that fails forgets: its pages count as clean afterwards and
//! are never written, as ext4 does.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::file::{File, Loss, Survival};
use crate::rng::Rng;

/// The folder that everything is in.
pub(super) const ROOT: u64 = 1;

#[derive(Default)]
struct Folder {
    seen: BTreeMap<OsString, u64>,
    kept: BTreeMap<OsString, u64>,
}

enum Node {
    File(File),
    Folder(Folder),
}

/// What may stand behind a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// Why something cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NotThere,
    Exists,
    NotEmpty,
    WrongKind,
    /// The disk is gone, or a sync failed.
    Broken,
}

type Done<T> = Result<T, Refusal>;

/// Something that happened to the disk by order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The power went.
    Cut,
    /// A sync failed.
    SyncFailed,
}

/// A cut that waits for its moment.
struct Armed {
    changes_left: u64,
    survival: Survival,
    rng: Rng,
}

/// All files and folders.
pub(super) struct Planes {
    nodes: BTreeMap<u64, Node>,
    next: u64,
    /// Whether the disk has power. Without, nothing is answered but errors.
    powered: bool,
    armed: Option<Armed>,
    loss: Loss,
    failing_syncs: u64,
    listeners: Vec<Sender<Event>>,
}

impl Planes {
    pub(super) fn new() -> Self {
        let nodes = BTreeMap::from([(ROOT, Node::Folder(Folder::default()))]);
        let (armed, loss) = (None, Loss::default());
        Self { nodes, next: ROOT + 1, powered: true, armed, loss, failing_syncs: 0, listeners: vec![] }
    }

    pub(super) fn kind(&self, node: u64) -> Done<Kind> {
        Ok(match self.node(node)? {
            Node::File(_) => Kind::File,
            Node::Folder(_) => Kind::Folder,
        })
    }

    pub(super) fn size(&self, node: u64) -> Done<usize> {
        Ok(match self.node(node)? {
            Node::File(file) => file.seen().len(),
            Node::Folder(_) => 0,
        })
    }

    pub(super) fn find(&self, folder: u64, name: &OsStr) -> Done<u64> {
        self.folder(folder)?.seen.get(name).copied().ok_or(Refusal::NotThere)
    }

    pub(super) fn names(&self, folder: u64) -> Done<Vec<(OsString, u64)>> {
        Ok(self.folder(folder)?.seen.iter().map(|(name, node)| (name.clone(), *node)).collect())
    }

    pub(super) fn make(&mut self, folder: u64, name: &OsStr, kind: Kind) -> Done<u64> {
        self.change()?;
        if self.find(folder, name).is_ok() {
            return Err(Refusal::Exists);
        }
        let node = self.next;
        self.folder_mut(folder)?.seen.insert(name.to_owned(), node);
        self.next += 1;
        let made = match kind {
            Kind::File => Node::File(File::default()),
            Kind::Folder => Node::Folder(Folder::default()),
        };
        self.nodes.insert(node, made);
        Ok(node)
    }

    pub(super) fn remove(&mut self, folder: u64, name: &OsStr, kind: Kind) -> Done<()> {
        self.change()?;
        let node = self.find(folder, name)?;
        match self.node(node)? {
            Node::Folder(inner) if kind == Kind::Folder && !inner.seen.is_empty() => return Err(Refusal::NotEmpty),
            Node::Folder(_) if kind == Kind::File => return Err(Refusal::WrongKind),
            Node::File(_) if kind == Kind::Folder => return Err(Refusal::WrongKind),
            Node::Folder(_) | Node::File(_) => {}
        }
        self.folder_mut(folder)?.seen.remove(name);
        Ok(())
    }

    pub(super) fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr)) -> Done<()> {
        self.change()?;
        let node = self.find(from.0, from.1)?;
        self.folder(to.0)?;
        self.folder_mut(from.0)?.seen.remove(from.1);
        self.folder_mut(to.0)?.seen.insert(to.1.to_owned(), node);
        Ok(())
    }

    pub(super) fn read(&self, node: u64, from: usize, length: usize) -> Done<&[u8]> {
        let Node::File(file) = self.node(node)? else { return Err(Refusal::WrongKind) };
        let seen = file.seen();
        let from = from.min(seen.len());
        Ok(&seen[from..(from + length).min(seen.len())])
    }

    pub(super) fn write(&mut self, node: u64, from: usize, bytes: &[u8]) -> Done<()> {
        self.change()?;
        self.file_mut(node)?.write(from, bytes);
        Ok(())
    }

    pub(super) fn truncate(&mut self, node: u64, size: usize) -> Done<()> {
        self.change()?;
        self.file_mut(node)?.resize(size);
        Ok(())
    }

    /// Syncs a file's content or a folder's names.
    pub(super) fn sync(&mut self, node: u64) -> Done<()> {
        self.change()?;
        if self.failing_syncs > 0 && matches!(self.node(node)?, Node::File(_)) {
            self.failing_syncs -= 1;
            self.file_mut(node)?.forget();
            self.tell(Event::SyncFailed);
            return Err(Refusal::Broken);
        }
        match self.node_mut(node)? {
            Node::File(file) => file.keep_all(),
            Node::Folder(folder) => folder.kept.clone_from(&folder.seen),
        }
        Ok(())
    }

    /// The next so many syncs of files fail and forget.
    pub(super) fn fail_syncs(&mut self, count: u64) {
        self.failing_syncs = count;
    }

    /// What happens by order from now on.
    pub(super) fn listen(&mut self) -> Receiver<Event> {
        let (tell, told) = channel();
        self.listeners.push(tell);
        told
    }

    fn tell(&mut self, event: Event) {
        self.listeners.retain(|listener| listener.send(event).is_ok());
    }

    /// Makes every name durable.
    pub(super) fn keep_all_names(&mut self) {
        for node in self.nodes.values_mut() {
            if let Node::Folder(folder) = node {
                folder.kept.clone_from(&folder.seen);
            }
        }
    }

    /// Cuts the power after so many further changes.
    pub(super) fn arm(&mut self, changes: u64, survival: Survival, rng: Rng) {
        self.armed = Some(Armed { changes_left: changes, survival, rng });
    }

    /// Gives the power back: what is seen is what was kept. Cuts it first if that has not happened yet.
    pub(super) fn restart(&mut self, survival: Survival, rng: Rng) -> Loss {
        if self.powered {
            self.cut(survival, rng);
        }
        self.powered = true;
        self.armed = None;
        self.failing_syncs = 0;
        self.loss
    }

    fn cut(&mut self, survival: Survival, mut rng: Rng) {
        self.powered = false;
        self.tell(Event::Cut);
        self.loss = Loss::default();
        if rng.percent(survival.0) {
            self.keep_all_names();
        }
        for node in self.nodes.values_mut() {
            match node {
                Node::File(file) => file.lose(survival, &mut rng, &mut self.loss),
                Node::Folder(folder) => folder.seen.clone_from(&folder.kept),
            }
        }
        self.forget_unreachable();
    }

    fn forget_unreachable(&mut self) {
        let (mut reached, mut todo) = (BTreeSet::from([ROOT]), vec![ROOT]);
        while let Some(Node::Folder(folder)) = todo.pop().and_then(|node| self.nodes.get(&node)) {
            reached.extend(folder.seen.values());
            let folders = |node: &&u64| matches!(self.nodes.get(node), Some(Node::Folder(_)));
            todo.extend(folder.seen.values().filter(folders));
        }
        self.nodes.retain(|node, _| reached.contains(node));
    }

    /// Every change goes through here: it may be the one at which the power goes.
    fn change(&mut self) -> Done<()> {
        match &mut self.armed {
            Some(armed) if armed.changes_left == 0 => {
                let (survival, rng) = (armed.survival, armed.rng.clone());
                self.armed = None;
                self.cut(survival, rng);
            }
            Some(armed) => armed.changes_left -= 1,
            None => {}
        }
        if self.powered { Ok(()) } else { Err(Refusal::Broken) }
    }

    fn node(&self, node: u64) -> Done<&Node> {
        if !self.powered {
            return Err(Refusal::Broken);
        }
        self.nodes.get(&node).ok_or(Refusal::NotThere)
    }

    fn node_mut(&mut self, node: u64) -> Done<&mut Node> {
        self.nodes.get_mut(&node).ok_or(Refusal::NotThere)
    }

    fn folder(&self, node: u64) -> Done<&Folder> {
        match self.node(node)? {
            Node::Folder(folder) => Ok(folder),
            Node::File(_) => Err(Refusal::WrongKind),
        }
    }

    fn folder_mut(&mut self, node: u64) -> Done<&mut Folder> {
        match self.node_mut(node)? {
            Node::Folder(folder) => Ok(folder),
            Node::File(_) => Err(Refusal::WrongKind),
        }
    }

    fn file_mut(&mut self, node: u64) -> Done<&mut File> {
        match self.node_mut(node)? {
            Node::File(file) => Ok(file),
            Node::Folder(_) => Err(Refusal::WrongKind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::PAGE;
    use super::*;

    fn named(planes: &mut Planes, name: &str, kind: Kind) -> u64 {
        planes.make(ROOT, OsStr::new(name), kind).unwrap()
    }

    fn content(planes: &Planes, name: &str) -> Option<Vec<u8>> {
        let node = planes.find(ROOT, OsStr::new(name)).ok()?;
        Some(planes.read(node, 0, 1 << 20).unwrap().to_vec())
    }

    #[test]
    fn what_was_synced_stays_and_the_rest_goes() {
        let mut planes = Planes::new();
        let file = named(&mut planes, "a", Kind::File);
        planes.write(file, 0, b"first").unwrap();
        planes.sync(file).unwrap();
        planes.sync(ROOT).unwrap();
        planes.write(file, 3, b"lost, and longer").unwrap();
        named(&mut planes, "b", Kind::File);
        let loss = planes.restart(Survival(0), Rng::new(1));
        assert_eq!(loss, Loss { unsynced: 1, survived: 0 });
        assert_eq!((content(&planes, "a"), content(&planes, "b")), (Some(b"first".to_vec()), None));
    }

    #[test]
    fn a_name_needs_its_folders_sync() {
        let mut planes = Planes::new();
        let file = named(&mut planes, "a", Kind::File);
        planes.write(file, 0, b"x").unwrap();
        planes.sync(file).unwrap();
        planes.restart(Survival(0), Rng::new(1));
        assert_eq!(content(&planes, "a"), None);
    }

    #[test]
    fn a_failed_sync_forgets_and_the_next_one_does_not_bring_it_back() {
        let mut planes = Planes::new();
        let file = named(&mut planes, "a", Kind::File);
        planes.sync(ROOT).unwrap();
        planes.write(file, 0, &[1; PAGE]).unwrap();
        planes.fail_syncs(1);
        let told = planes.listen();
        assert_eq!(planes.sync(file), Err(Refusal::Broken));
        planes.write(file, PAGE, &[2; PAGE]).unwrap();
        planes.sync(file).unwrap();
        assert_eq!(content(&planes, "a").unwrap()[..2], [1, 1], "it is still seen");
        planes.restart(Survival(100), Rng::new(1));
        let kept = content(&planes, "a").unwrap();
        assert_eq!((kept[0], kept[PAGE]), (0, 2));
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [Event::SyncFailed, Event::Cut]);
    }

    #[test]
    fn the_power_goes_at_the_change_it_was_told() {
        let mut planes = Planes::new();
        let file = named(&mut planes, "a", Kind::File);
        planes.sync(ROOT).unwrap();
        planes.arm(1, Survival(0), Rng::new(1));
        planes.write(file, 0, b"x").unwrap();
        assert_eq!(planes.sync(file), Err(Refusal::Broken));
        assert!(planes.read(file, 0, 1).is_err());
        planes.restart(Survival(0), Rng::new(1));
        assert_eq!(content(&planes, "a"), Some(vec![]));
    }

    #[test]
    fn a_shorter_file_is_shorter_only_after_a_sync() {
        let mut planes = Planes::new();
        let file = named(&mut planes, "a", Kind::File);
        planes.write(file, 0, &[1; 3 * PAGE]).unwrap();
        planes.sync(file).unwrap();
        planes.sync(ROOT).unwrap();
        planes.truncate(file, 10).unwrap();
        assert_eq!(planes.size(file), Ok(10));
        planes.restart(Survival(0), Rng::new(1));
        assert_eq!(content(&planes, "a"), Some(vec![1; 3 * PAGE]));
        planes.truncate(file, 10).unwrap();
        planes.sync(file).unwrap();
        planes.restart(Survival(0), Rng::new(1));
        assert_eq!(content(&planes, "a"), Some(vec![1; 10]));
    }

    #[test]
    fn names_are_moved_and_removed() {
        let mut planes = Planes::new();
        let folder = named(&mut planes, "f", Kind::Folder);
        named(&mut planes, "a", Kind::File);
        planes.rename((ROOT, OsStr::new("a")), (folder, OsStr::new("b"))).unwrap();
        assert_eq!(planes.remove(ROOT, OsStr::new("f"), Kind::Folder), Err(Refusal::NotEmpty));
        planes.remove(folder, OsStr::new("b"), Kind::File).unwrap();
        planes.remove(ROOT, OsStr::new("f"), Kind::Folder).unwrap();
        assert_eq!(planes.names(ROOT), Ok(vec![]));
    }
}
