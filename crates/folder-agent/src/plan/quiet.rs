//! Nothing differs: by far the most frequent answer, so it is found without building anything but the paths of folders.

use std::collections::BTreeMap;

use super::View;
use crate::model::{Content, FileId, Local, LocalTree, Remote, RemoteTree, Synced, SyncedTree};

/// Whether all three trees are known to be the same. If not, they may still be.
pub(super) fn is_quiet(remote: &RemoteTree, local: &LocalTree, synced: &SyncedTree, view: &View<'_>) -> bool {
    let is_seen = |content: &Content| view.links || !matches!(content, Content::Symlink(_));
    if !view.links && synced.values().any(|synced| !is_seen(&synced.content)) {
        return false;
    }
    let here = local.values().filter(|local| is_seen(&local.content)).count();
    let there = remote.values().filter(|remote| !remote.deleted && is_seen(&remote.content)).count();
    here == synced.len() && there == synced.len() && is_each_level(remote, local, synced)
}

fn is_each_level(remote: &RemoteTree, local: &LocalTree, synced: &SyncedTree) -> bool {
    let mut paths = Paths { synced, folders: BTreeMap::new() };
    let mut path = String::new();
    synced.iter().all(|(id, synced)| {
        let is_there = remote.get(id).is_some_and(|remote| is_level(remote, synced));
        is_there
            && paths.write(synced, &mut path).is_some()
            && local.get(&path).is_some_and(|local| is_kept(local, synced))
    })
}

fn is_level(remote: &Remote, synced: &Synced) -> bool {
    let is_version = (remote.version, remote.content_version) == (synced.version, synced.content_version);
    let is_same = remote.content == synced.content || is_without_hash(&remote.content);
    is_version && !remote.deleted && remote.parent == synced.parent && remote.name == synced.name && is_same
}

/// Versions say that it did not change.
fn is_without_hash(content: &Content) -> bool {
    matches!(content, Content::File { hash: None, .. })
}

fn is_kept(local: &Local, synced: &Synced) -> bool {
    let is_bit = match (&local.content, &synced.content) {
        (Content::File { executable: one, hash, .. }, Content::File { executable: two, hash: known, .. }) => {
            one == two && (hash.is_none() || hash == known)
        }
        (one, two) => one == two,
    };
    is_bit && local.stat == synced.stat
}

/// The paths of what is synced; those of folders are kept.
struct Paths<'a> {
    synced: &'a SyncedTree,
    folders: BTreeMap<FileId, Option<String>>,
}

impl Paths<'_> {
    fn write(&mut self, synced: &Synced, path: &mut String) -> Option<()> {
        path.clear();
        if synced.parent != FileId::TOP {
            path.push_str(self.folder(synced.parent)?);
            path.push('/');
        }
        path.push_str(&synced.name);
        Some(())
    }

    fn folder(&mut self, id: FileId) -> Option<&str> {
        if !self.folders.contains_key(&id) {
            // A folder that is above itself finds this.
            self.folders.insert(id, None);
            let mut path = String::new();
            let found = self.synced.get(&id).and_then(|synced| self.write(synced, &mut path));
            self.folders.insert(id, found.map(|()| path));
        }
        self.folders.get(&id)?.as_deref()
    }
}
