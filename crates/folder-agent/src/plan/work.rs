//! A plan while it is made.

use std::collections::{BTreeMap, BTreeSet};

use synxpo::names;

use super::fate::Fate;
use super::here::{Here, State};
use super::there::There;
use super::{Plan, Step, View};
use crate::model::{Content, FileId, Kind, Local, LocalTree, Remote, RemoteTree, Synced, SyncedTree};

pub(super) struct Work<'a> {
    pub(super) remote: &'a RemoteTree,
    pub(super) synced: &'a SyncedTree,
    pub(super) view: &'a View<'a>,
    pub(super) stuck: &'a BTreeSet<String>,
    pub(super) here: Here<'a>,
    pub(super) there: There<'a>,
    /// Files of which it is not known whether they are here: what may be them is not read yet.
    pub(super) undecided: BTreeSet<FileId>,
    /// What is to become of the living files of the server.
    pub(super) fates: BTreeMap<FileId, Fate>,
    /// Folders that the server deleted and that will be empty once others have left them.
    pub(super) emptying: BTreeSet<usize>,
    /// Who is being placed, to find those who wait for each other.
    pub(super) placing: BTreeSet<FileId>,
    /// Executable bits, to be set once nothing is to be moved: whoever sets one changes the stat that a move would be planned on.
    pub(super) bits: Vec<Step>,
    pub(super) plan: Plan,
}

/// How the bytes of a file that both sides have differ from what was synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bytes {
    /// Both sides have the same.
    Same,
    /// They changed here.
    Here,
    /// They changed there.
    There,
    /// They changed on both sides, differently.
    Both,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        remote: &'a RemoteTree,
        local: &'a LocalTree,
        synced: &'a SyncedTree,
        view: &'a View<'a>,
        stuck: &'a BTreeSet<String>,
    ) -> Self {
        Self {
            remote,
            synced,
            view,
            stuck,
            here: Here::new(local, view.policy),
            there: There::new(remote, view.policy),
            undecided: BTreeSet::new(),
            fates: BTreeMap::new(),
            emptying: BTreeSet::new(),
            placing: BTreeSet::new(),
            bits: vec![],
            plan: Plan::default(),
        }
    }

    /// Whether files of this kind are kept in step.
    pub(super) fn is_seen(&self, kind: Kind) -> bool {
        self.view.links || kind != Kind::Symlink
    }

    pub(super) fn fate(&self, id: FileId) -> Fate {
        self.fates.get(&id).copied().unwrap_or(Fate::Left)
    }

    pub(super) fn remote_of(&self, place: usize) -> Option<&'a Remote> {
        self.remote.get(&self.here.nodes[place].id?)
    }

    pub(super) fn synced_of(&self, place: usize) -> Option<&'a Synced> {
        self.synced.get(&self.here.nodes[place].id?)
    }

    /// What a file here holds: of one that nobody touched, what was synced; the executable bit is always that of the disk.
    pub(super) fn content(&self, place: usize) -> Content {
        let Some(local) = self.here.nodes[place].local else { return Content::Folder };
        match (&local.content, self.synced_of(place)) {
            (Content::File { hash: None, size, executable }, Some(synced)) if synced.stat == local.stat => {
                Content::File { hash: hash_of(&synced.content), size: *size, executable: *executable }
            }
            (content, _) => content.clone(),
        }
    }

    /// Whether what a file here holds is not what was synced.
    pub(super) fn is_edited(&self, place: usize) -> bool {
        let synced = self.synced_of(place);
        synced.is_none_or(|synced| !self.content(place).is_same_bytes(&synced.content))
    }

    /// What changed of a file that lives on both sides.
    pub(super) fn bytes(&self, place: usize, remote: &Remote) -> Bytes {
        let synced = self.synced_of(place);
        let is_there = synced.is_none_or(|synced| is_changed(remote, synced));
        let is_touched = synced.is_none_or(|synced| synced.stat != self.here.nodes[place].stat());
        if (!is_there && !is_touched) || self.content(place).is_same_bytes(&remote.content) {
            return Bytes::Same;
        }
        match (self.is_edited(place), is_there) {
            (false, false) => Bytes::Same,
            (true, false) => Bytes::Here,
            (false, true) => Bytes::There,
            (true, true) => Bytes::Both,
        }
    }

    /// Whether a file of the server is in the place of which a file here is found.
    pub(super) fn is_in_place(&self, place: usize, parent: FileId, name: &str) -> bool {
        let is_folder = self.here.parent_id(place) == Some(parent);
        is_folder && self.here.is_same_name(&self.here.nodes[place].name, name)
    }

    /// A name that devices keep for themselves, at the top: whoever waited there for its place.
    pub(super) fn is_parked(&self, place: usize) -> bool {
        let node = &self.here.nodes[place];
        let rest = node.name.strip_prefix(names::OWN_NAME);
        // `.fastnessignore` is a file like any other.
        node.parent == super::here::TOP && rest.is_some_and(|rest| rest.starts_with('-'))
    }

    pub(super) fn is_read(&self, place: usize) -> bool {
        self.here.nodes[place].state == State::Read
    }
}

/// Whether the server has another content than was synced. Its hash may be unknown: versions tell, too.
fn is_changed(remote: &Remote, synced: &Synced) -> bool {
    let is_other = hash_of(&remote.content).is_some() && !remote.content.is_same_bytes(&synced.content);
    remote.content_version != synced.content_version || is_other
}

fn hash_of(content: &Content) -> Option<crate::model::Hash> {
    match content {
        Content::File { hash, .. } => *hash,
        Content::Folder | Content::Symlink(_) => None,
    }
}

/// The executable bit.
pub(super) fn bit(content: &Content) -> bool {
    match content {
        Content::File { executable, .. } => *executable,
        Content::Folder | Content::Symlink(_) => false,
    }
}

/// Whether a file here, found elsewhere, is the one that was synced; `None`: it must be read first. Inodes are used again, so more than they must agree.
pub(super) fn is_moved(local: &Local, synced: &Synced) -> Option<bool> {
    if local.stat.inode != synced.stat.inode || local.content.kind() != synced.content.kind() {
        return Some(false);
    }
    if local.stat.is_same_but_moved(&synced.stat) {
        return Some(true);
    }
    match &local.content {
        Content::File { hash: None, .. } => None,
        content => Some(content.is_same_bytes(&synced.content)),
    }
}
