//! What lies on this disk.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::Agent;
use crate::disk::{Disk, Found};
use crate::ignore::{IGNORE_BYTES_MAX, IGNORE_NAME, Ignores};
use crate::model::{Content, FileId, Local, SyncedTree};

/// After a change others may follow at once.
const DELAY_MS: u64 = 10;

/// The folder of a path; `""` is the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { [folder, "/", name].concat() }
}

/// All paths below a folder, without the folder itself.
pub(super) fn below<'a, V>(
    tree: &'a BTreeMap<String, V>,
    folder: &str,
) -> impl Iterator<Item = &'a String> + use<'a, V> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let from = prefix.clone();
    tree.range(from..).map(|(path, _)| path).take_while(move |path| path.starts_with(&prefix))
}

/// Larger files are not read at all: the server takes 2,000 segments of a content, which are about 40 GiB.
const FILE_MAX: u64 = 36 << 30;

impl<D: Disk> Agent<D> {
    pub(super) fn changed(&mut self, folders: Vec<String>) {
        if self.dirty.is_empty() {
            self.look_at = self.now.ran_ms + DELAY_MS;
        }
        self.dirty.extend(folders);
        self.wakes.insert(self.look_at);
    }

    /// Looks at what is to be looked at.
    pub(super) fn look(&mut self) -> io::Result<()> {
        if self.now.ran_ms >= self.rescan_at {
            self.rescan_at = self.now.ran_ms + self.settings.rescan_ms;
            self.look_everywhere = true;
        }
        self.wakes.insert(self.rescan_at);
        if self.look_everywhere {
            return self.look_at_everything();
        }
        if self.dirty.is_empty() {
            return Ok(());
        }
        if self.now.ran_ms < self.look_at {
            self.wakes.insert(self.look_at);
            return Ok(());
        }
        for folder in std::mem::take(&mut self.dirty) {
            self.look_into(&folder)?;
        }
        self.note_others();
        Ok(())
    }

    fn look_at_everything(&mut self) -> io::Result<()> {
        self.dirty.clear();
        self.frozen.clear();
        let before = std::mem::take(&mut self.local);
        match self.read_ignores("").and_then(|()| self.gather("")) {
            // A map that is made of all at once takes a third less room than one that grew, and leaves no holes in the memory.
            Ok(found) => self.local = found.into_iter().collect(),
            Err(error) => {
                self.local = before;
                return Err(error);
            }
        }
        self.freeze();
        if self.local == before {
            // The same again would lie behind what it replaces, and leave a hole there.
            self.local = before;
        }
        self.is_stale = true;
        self.look_everywhere = false;
        // Whoever wished for it sees by this that it was done.
        self.state.set("looked_us", Some(self.now.wall_us.to_string()));
        self.note_others();
        Ok(())
    }

    /// One folder, and those in it that are new.
    pub(super) fn look_into(&mut self, folder: &str) -> io::Result<()> {
        if !folder.is_empty() && !self.local.contains_key(folder) {
            // Its own folder tells what became of it.
            return if self.frozen.contains_key(folder) { Ok(()) } else { self.look_into(folder_of(folder)) };
        }
        let found = match self.list(folder)? {
            Some(found) => found,
            None if folder.is_empty() => return Err(io::ErrorKind::NotFound.into()),
            None => return self.look_into(folder_of(folder)),
        };
        if found.iter().any(|(name, _)| name == IGNORE_NAME) || self.ignore_texts.contains_key(folder) {
            let before = self.ignore_texts.get(folder).cloned();
            self.read_ignores(folder)?;
            if self.ignore_texts.get(folder) != before.as_ref() {
                return self.look_at_everything();
            }
        }
        let names: BTreeSet<String> = found.iter().map(|(name, _)| join(folder, name)).collect();
        self.drop_missing(folder, &names);
        let mut fresh = vec![];
        for (name, found) in found {
            let path = join(folder, &name);
            let was_folder = self.local.get(&path).is_some_and(|local| local.content == Content::Folder);
            let Some(local) = self.admit(&path, found) else { continue };
            if local.content == Content::Folder && !was_folder {
                fresh.push(path.clone());
            }
            self.put(path, local);
        }
        for path in fresh {
            let found = self.gather(&path)?;
            found.into_iter().for_each(|(path, local)| self.put(path, local));
        }
        self.freeze();
        Ok(())
    }

    fn drop_missing(&mut self, folder: &str, names: &BTreeSet<String>) {
        let is_direct = |path: &&String| folder_of(path) == folder;
        let gone: Vec<String> =
            below(&self.local, folder).filter(is_direct).filter(|path| !names.contains(*path)).cloned().collect();
        for path in gone {
            self.drop_local(&path);
        }
        let gone: Vec<String> =
            below(&self.frozen, folder).filter(is_direct).filter(|path| !names.contains(*path)).cloned().collect();
        for path in gone {
            self.frozen.remove(&path);
            self.is_stale = true;
        }
    }

    /// A path, and all below it, is not there.
    pub(super) fn drop_local(&mut self, path: &str) {
        let inside: Vec<String> = below(&self.local, path).cloned().collect();
        for path in inside.iter().map(String::as_str).chain([path]) {
            self.is_stale |= self.local.remove(path).is_some();
        }
    }

    /// All below a folder, by a stack of its own: folders may lie deep.
    fn gather(&mut self, folder: &str) -> io::Result<Vec<(String, Local)>> {
        let (mut open, mut all, mut gone) = (vec![folder.to_owned()], vec![], BTreeSet::new());
        while let Some(folder) = open.pop() {
            if !folder.is_empty() {
                self.read_ignores(&folder)?;
            }
            let Some(found) = self.list(&folder)? else {
                if folder.is_empty() {
                    return Err(io::ErrorKind::NotFound.into());
                }
                self.drop_local(&folder);
                gone.insert(folder);
                continue;
            };
            for (name, found) in found {
                let path = join(&folder, &name);
                let Some(local) = self.admit(&path, found) else { continue };
                if local.content == Content::Folder {
                    open.push(path.clone());
                }
                all.push((path, local));
            }
        }
        // Once, for all that vanished meanwhile: there may be many of both.
        if !gone.is_empty() {
            all.retain(|(path, _)| !gone.contains(path));
        }
        Ok(all)
    }

    /// `None`: it is not there. One that cannot be read is frozen: what is not seen is not gone.
    fn list(&mut self, folder: &str) -> io::Result<Option<Vec<(String, Found)>>> {
        match self.disk.list(folder) {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) if folder.is_empty() => Err(error),
            Err(error) => {
                self.frozen.insert(folder.to_owned(), format!("cannot be read: {error}"));
                Ok(Some(vec![]))
            }
        }
    }

    /// What lies at a path, if it is to be kept in step.
    fn admit(&mut self, path: &str, found: Found) -> Option<Local> {
        let freeze = match &found {
            Found::Other(why) => Some(why.clone()),
            Found::File(local) => {
                let is_folder = local.content == Content::Folder;
                let is_link = matches!(local.content, Content::Symlink(_));
                match () {
                    () if local.stat.size > FILE_MAX => {
                        Some("larger than 36 GiB, which is more than the server takes".to_owned())
                    }
                    () if self.ignores.is_ignored(path, is_folder) => Some("ignored".to_owned()),
                    () if is_link && !self.settings.links => {
                        Some("symbolic links are not kept in step here".to_owned())
                    }
                    () => None,
                }
            }
        };
        if let Some(why) = freeze {
            self.drop_local(path);
            self.frozen.insert(path.to_owned(), why);
            return None;
        }
        if self.frozen.remove(path).is_some() {
            self.is_stale = true;
        }
        let Found::File(mut local) = found else { return None };
        self.fill_hash(path, &mut local);
        Some(local)
    }

    fn put(&mut self, path: String, local: Local) {
        if self.local.get(&path) == Some(&local) {
            return;
        }
        if local.content != Content::Folder {
            self.drop_local(&path);
        }
        self.local.insert(path, local);
        self.is_stale = true;
    }

    /// What was set aside of the very same file is what it holds.
    pub(super) fn fill_hash(&self, path: &str, local: &mut Local) {
        let Content::File { hash, .. } = &mut local.content else { return };
        *hash = self.state.asides().get(path).filter(|put| put.aside.stat == local.stat).map(|put| put.aside.hash);
    }

    fn read_ignores(&mut self, folder: &str) -> io::Result<()> {
        let path = join(folder, IGNORE_NAME);
        let text = match self.disk.look(&path)? {
            Some(Found::File(Local { content: Content::File { .. }, .. })) => {
                match self.disk.read_file(&path, 0, IGNORE_BYTES_MAX) {
                    Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                    // What it would have said is not known: it goes on saying what it said.
                    Err(_) => return Ok(()),
                }
            }
            Some(_) | None => None,
        };
        if self.ignore_texts.get(folder) == text.as_ref() {
            return Ok(());
        }
        match text {
            Some(text) => self.ignore_texts.insert(folder.to_owned(), text),
            None => self.ignore_texts.remove(folder),
        };
        self.ignores = Ignores::new(self.ignore_texts.iter().map(|(folder, text)| (folder.as_str(), text.as_str())));
        Ok(())
    }

    /// What was synced at or below a frozen path counts as unchanged: it is not gone because we do not look.
    fn freeze(&mut self) {
        if self.frozen.is_empty() {
            return;
        }
        let frozen: Vec<(String, Local)> = paths_of(self.state.synced())
            .into_iter()
            .filter(|(_, path)| self.is_frozen(path))
            .filter_map(|(id, path)| {
                let synced = self.state.synced().get(&id)?;
                Some((path, Local { stat: synced.stat, content: synced.content.clone() }))
            })
            .collect();
        for (path, local) in frozen.into_iter().collect::<BTreeMap<_, _>>() {
            // Whatever lay in a folder that is gone is gone with it.
            if folder_of(&path).is_empty() || self.local.contains_key(folder_of(&path)) {
                self.local.entry(path).or_insert(local);
            }
        }
    }

    /// Whether a path is not kept in step.
    pub(super) fn is_frozen(&self, path: &str) -> bool {
        if self.frozen.is_empty() {
            return false;
        }
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.into_iter().any(|end| self.frozen.contains_key(&path[..end])) || self.ignores.is_ignored(path, false)
    }

    fn note_others(&mut self) {
        let others = self.frozen.iter().filter(|(_, why)| *why != "ignored");
        let others: BTreeMap<String, String> = others.map(|(path, why)| (path.clone(), why.clone())).collect();
        self.state.set_others(&others);
    }
}

/// Where each file was when it was synced.
pub(super) fn paths_of(synced: &SyncedTree) -> BTreeMap<FileId, String> {
    let mut paths = BTreeMap::new();
    for id in synced.keys() {
        if let Some(path) = path_of(synced, *id) {
            paths.insert(*id, path);
        }
    }
    paths
}

/// Where a file was when it was synced.
pub(super) fn path_of(synced: &SyncedTree, id: FileId) -> Option<String> {
    let (mut names, mut at) = (vec![], id);
    while at != FileId::TOP {
        let node = synced.get(&at)?;
        names.push(&*node.name);
        at = node.parent;
        if names.len() > synxpo::names::PATH_PARTS_MAX {
            return None;
        }
    }
    names.reverse();
    Some(names.join("/"))
}
