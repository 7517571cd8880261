//! A device's disk as people know it: full paths, and things done one after the other. What was done is found out by comparing.

use std::collections::BTreeMap;

use super::store::Store;
use crate::form::{Asked, Kind};
use crate::names::slot;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// Of a file that was synchronised.
    id: Option<String>,
    kind: Kind,
    content: Option<String>,
}

pub(super) struct Disk {
    nodes: BTreeMap<String, Node>,
    /// As it was when it was level with the server.
    synced: BTreeMap<String, (String, Node)>,
    contents: u64,
    name: String,
}

impl Disk {
    /// Level with a server.
    pub(super) fn level(name: &str, store: &Store, contents: u64) -> Self {
        let mut disk = Self { nodes: BTreeMap::new(), synced: BTreeMap::new(), contents, name: name.to_owned() };
        for entry in store.living() {
            let node = Node { id: Some(entry.id.clone()), kind: entry.kind, content: entry.content.clone() };
            disk.synced.insert(entry.id.clone(), (store.path(&entry), node.clone()));
            disk.nodes.insert(store.path(&entry), node);
        }
        disk
    }

    pub(super) fn paths(&self) -> Vec<String> {
        self.nodes.keys().cloned().collect()
    }

    pub(super) fn listing(&self) -> Vec<String> {
        let line = |(path, node): (&String, &Node)| match (&node.content, node.kind) {
            (Some(content), _) => format!("{path}={content}"),
            (None, Kind::Folder) => format!("{path}/"),
            (None, _) => path.clone(),
        };
        let mut listing: Vec<String> = self.nodes.iter().map(line).collect();
        listing.sort();
        listing
    }

    fn new_content(&mut self) -> String {
        self.contents += 1;
        format!("{}{}", self.name, self.contents)
    }

    fn is_folder(&self, path: &str) -> bool {
        path.is_empty() || self.nodes.get(path).is_some_and(|node| node.kind == Kind::Folder)
    }

    /// The path that has the slot of this one: its own, or a twin's.
    fn twin(&self, store: &Store, path: &str) -> Option<String> {
        let key =
            |path: &str| (parent(path).to_owned(), slot(store.policy, path.rsplit('/').next().unwrap_or_default()));
        self.nodes.keys().find(|other| key(other) == key(path)).cloned()
    }

    pub(super) fn create(&mut self, store: &Store, path: &str, kind: Kind) {
        if self.is_folder(parent(path)) && self.twin(store, path).is_none() {
            let content = (kind == Kind::File).then(|| self.new_content());
            self.nodes.insert(path.to_owned(), Node { id: None, kind, content });
        }
    }

    pub(super) fn edit(&mut self, path: &str) {
        let content = self.new_content();
        if let Some(node) = self.nodes.get_mut(path).filter(|node| node.kind == Kind::File) {
            node.content = Some(content);
        }
    }

    /// As editors do: a new file takes the place of the old one.
    pub(super) fn save(&mut self, path: &str) {
        self.edit(path);
        if let Some(node) = self.nodes.get_mut(path).filter(|node| node.kind == Kind::File) {
            node.id = None;
        }
    }

    pub(super) fn delete(&mut self, path: &str) {
        self.nodes.retain(|other, _| !is_within(other, path));
    }

    /// As `rename(2)`: over a file, or over an empty folder, and never into itself.
    pub(super) fn rename(&mut self, store: &Store, from: &str, to: &str) {
        let Some(node) = self.nodes.get(from) else { return };
        let kind = node.kind;
        let target = self.twin(store, to).filter(|target| target != from);
        let is_free = target.as_ref().is_none_or(|target| {
            let is_alone = self.nodes.keys().filter(|other| is_within(other, target)).count() == 1;
            self.nodes[target].kind == kind && is_alone
        });
        if !is_free || is_within(to, from) && to != from || !self.is_folder(parent(to)) {
            return;
        }
        target.iter().for_each(|target| self.delete(target));
        let moved: Vec<String> = self.nodes.keys().filter(|other| is_within(other, from)).cloned().collect();
        let nodes: Vec<(String, Node)> = moved.iter().filter_map(|path| self.nodes.remove_entry(path)).collect();
        self.nodes.extend(nodes.into_iter().map(|(path, node)| (format!("{to}{}", &path[from.len()..]), node)));
    }

    /// What was done. `each`: a client that does not know the tree tells every path that changed; `tells_overwritten`: it tells that
    /// a file is gone in whose place another was put.
    pub(super) fn changes(&self, each: bool, tells_overwritten: bool, try_us: i64) -> Vec<Asked> {
        let mut changes = vec![];
        let mut found = BTreeMap::new();
        for (path, node) in &self.nodes {
            match &node.id {
                Some(id) => drop(found.insert(id.clone(), (path, node))),
                None => changes.push(asked(None, path, node, true, try_us)),
            }
        }
        for (id, (path, node)) in &self.synced {
            match found.get(id) {
                Some((now, node_now)) => {
                    let is_edited = node.content != node_now.content;
                    if is_edited || self.is_renamed(path, now, each) {
                        changes.push(asked(Some(id), now, node_now, is_edited, try_us));
                    }
                }
                None if !tells_overwritten && self.is_overwritten(path) => {}
                None => changes.push(Asked { deleted: true, ..asked(Some(id), path, node, false, try_us) }),
            }
        }
        changes
    }

    fn is_renamed(&self, before: &str, now: &str, each: bool) -> bool {
        let folder = |path: &str, all: bool| match all {
            true => self.synced.values().find(|(one, _)| one == parent(path)).and_then(|(_, node)| node.id.clone()),
            false => self.nodes.get(parent(path)).and_then(|node| node.id.clone()),
        };
        let is_same_name = before.rsplit('/').next() == now.rsplit('/').next();
        let has_new_folder = !parent(now).is_empty() && folder(now, false).is_none();
        let is_only_above = is_same_name && folder(before, true) == folder(now, false) && !has_new_folder;
        before != now && (each || !is_only_above)
    }

    /// Another one that was synchronised is where this was.
    fn is_overwritten(&self, path: &str) -> bool {
        let was_file = |node: &Node| self.synced.values().any(|(at, was)| at == path && was.kind == node.kind);
        self.nodes.get(path).is_some_and(|node| node.id.is_some() && was_file(node))
    }
}

fn asked(id: Option<&String>, path: &str, node: &Node, content_changed: bool, try_us: i64) -> Asked {
    Asked {
        id: id.cloned(),
        kind: node.kind,
        path: path.to_owned(),
        deleted: false,
        content_changed: content_changed && node.kind == Kind::File,
        try_us,
        base: None,
        size: None,
        hash: node.content.clone(),
        mtime_us: None,
        executable: None,
        target: None,
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
