//! What is synced after the server took a change or gave a content, and after a file was moved.
//!
//! The answer may tell more than what was asked for: somebody else renamed the file meanwhile, or wrote it. Only what this disk has is synced; the rest is
//! a change of the server, for the next plan. Otherwise the next plan would take it for a change of this disk, and undo it.

use super::{Ask, Fetch, Step};
use crate::model::{Content, FileId, Remote, RemoteTree, Stat, Synced, SyncedTree, Version};

/// The server took a change, as this file. `remote` has its answer already.
pub fn accept(remote: &RemoteTree, synced: &mut SyncedTree, ask: &Ask, id: FileId) {
    let Some(row) = remote.get(&id) else { return };
    if row.deleted && ask.deleted {
        synced.remove(&id);
    }
    let is_other = ask.content_changed && is_known_other(&ask.content, &row.content);
    let Some(stat) = ask.stat.filter(|_| !row.deleted && !ask.deleted && !is_other) else { return };
    let before = synced.get(&id);
    let Some((parent, name)) = place(remote, id, row, &ask.path, before) else { return };
    let known = before.filter(|before| !ask.content_changed && before.content_version != row.content_version);
    // A content that is not here yet is still the server's change.
    let (version, content_version) = match known {
        Some(known) => (known.version, known.content_version),
        None => (row.version, row.content_version),
    };
    let content = known.map_or_else(|| ask.content.clone(), |known| known.content.clone());
    let stat = known.map_or(stat, |known| known.stat);
    let of = Version { parent, name, version, content_version, content };
    synced.insert(id, Synced { of: of.into(), stat });
}

/// A content was brought and lies on this disk as this file.
pub fn fetched(remote: &RemoteTree, synced: &mut SyncedTree, fetch: &Fetch, content: Content, stat: Stat) {
    let Some(row) = remote.get(&fetch.id) else { return };
    let Some((parent, name)) = place(remote, fetch.id, row, &fetch.path, synced.get(&fetch.id)) else { return };
    let content_version = row.content_version.min(fetch.version);
    let of = Version { parent, name, version: fetch.version, content_version, content };
    synced.insert(fetch.id, Synced { of: of.into(), stat });
}

/// A file was moved on this disk, as a step said; its stat is now another.
pub fn moved(synced: &mut SyncedTree, step: &Step, before: Stat, now: Stat) {
    let Step::Move { id, to, into, .. } = step else { return };
    let Some(synced) = synced.get_mut(id) else { return };
    if synced.stat == before {
        synced.stat = now;
    }
    if let Some(parent) = into {
        let name = to.rsplit('/').next().unwrap_or_default();
        (synced.parent, synced.name) = (*parent, name.into());
    }
}

/// Where both have it: the server's place if this disk has it there, else where both had it before.
fn place(
    remote: &RemoteTree,
    id: FileId,
    row: &Remote,
    path: &str,
    before: Option<&Synced>,
) -> Option<(FileId, Box<str>)> {
    if is_at(remote, id, path) {
        return Some((row.parent, row.name.clone()));
    }
    before.map(|before| (before.parent, before.name.clone()))
}

/// Whether the server has a file at a path.
fn is_at(remote: &RemoteTree, id: FileId, path: &str) -> bool {
    let mut at = id;
    for name in path.rsplit('/') {
        let Some(row) = remote.get(&at).filter(|row| *row.name == *name) else { return false };
        at = row.parent;
    }
    at == FileId::TOP
}

fn is_known_other(one: &Content, other: &Content) -> bool {
    !matches!(other, Content::File { hash: None, .. }) && !one.is_same_bytes(other)
}
