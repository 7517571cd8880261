//! Directories and files, twice: as they are shown now, and as a power cut would find them.
//!
//! Of a name that was changed since its directory was synced, each state it had since may be the one on the plates,
//! independently of other names. One thing holds all the same, as journals see to it: a file that was durable under one
//! name and was renamed is under the old name, under the new one or under both, but not under none; unless the new name
//! lies in a directory that was itself never durable.

use std::collections::{BTreeMap, BTreeSet};

use super::content::Content;
use crate::rng::Rng;

/// Number of a file or directory.
pub(super) type Id = u64;

/// The directory above all.
pub(super) const ROOT: Id = 0;

#[derive(Debug, Clone)]
pub(super) enum Node {
    File(Content),
    Directory(Names),
}

impl Node {
    fn content(&mut self) -> Option<&mut Content> {
        match self {
            Self::File(content) => Some(content),
            Self::Directory(_) => None,
        }
    }

    fn names(&self) -> Option<&Names> {
        match self {
            Self::Directory(names) => Some(names),
            Self::File(_) => None,
        }
    }
}

/// The names in one directory.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub(super) shown: BTreeMap<String, Id>,
    durable: BTreeMap<String, Id>,
    /// States of names since the last sync, oldest first.
    pending: BTreeMap<String, Vec<Option<Id>>>,
}

impl Names {
    fn settled(names: BTreeMap<String, Id>) -> Self {
        Self { shown: names.clone(), durable: names, pending: BTreeMap::new() }
    }

    fn set(&mut self, name: &str, id: Option<Id>) {
        put(&mut self.shown, name, id);
        self.pending.entry(name.to_owned()).or_default().push(id);
    }

    fn sync(&mut self) {
        for name in std::mem::take(&mut self.pending).into_keys() {
            put(&mut self.durable, &name, self.shown.get(&name).copied());
        }
    }

    fn after_cut(&self, rng: &mut Rng) -> BTreeMap<String, Id> {
        let mut names = self.durable.clone();
        for (name, states) in &self.pending {
            let mut possible = vec![self.durable.get(name).copied()];
            possible.extend(states);
            put(&mut names, name, *rng.pick(&possible));
        }
        names
    }
}

fn put(names: &mut BTreeMap<String, Id>, name: &str, id: Option<Id>) {
    match id {
        Some(id) => names.insert(name.to_owned(), id),
        None => names.remove(name),
    };
}

/// All of a disk.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: BTreeMap<Id, Node>,
    next: Id,
    /// Files whose old name is durably gone, and whose new one is not durable yet.
    moved: BTreeSet<Id>,
    /// A file that a cut left under several names is one node per name, so that what is promised of a renamed file holds
    /// for each name; these tell which nodes are one file.
    twins: BTreeMap<Id, Id>,
}

type Planes = BTreeMap<Id, BTreeMap<String, Id>>;

impl Tree {
    pub(super) fn new() -> Self {
        let root = Node::Directory(Names::default());
        Self { nodes: BTreeMap::from([(ROOT, root)]), next: ROOT + 1, moved: BTreeSet::new(), twins: BTreeMap::new() }
    }

    pub(super) fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(&id)
    }

    pub(super) fn ids(&self) -> Vec<Id> {
        self.nodes.keys().copied().collect()
    }

    /// The names in a directory; a file has none.
    pub(super) fn names(&self, id: Id) -> Option<&Names> {
        self.nodes.get(&id)?.names()
    }

    fn names_mut(&mut self, id: Id) -> Option<&mut Names> {
        match self.nodes.get_mut(&id)? {
            Node::Directory(names) => Some(names),
            Node::File(_) => None,
        }
    }

    pub(super) fn content_mut(&mut self, id: Id) -> Option<&mut Content> {
        self.nodes.get_mut(&id)?.content()
    }

    /// A new file or directory under a name.
    pub(super) fn add(&mut self, directory: Id, name: &str, node: Node) -> Id {
        let id = self.next;
        self.next += 1;
        self.nodes.insert(id, node);
        self.set(directory, name, Some(id));
        id
    }

    /// Whether two nodes are one file.
    pub(super) fn are_twins(&self, one: Id, two: Id) -> bool {
        let file = |id| self.twins.get(&id).copied().unwrap_or(id);
        file(one) == file(two)
    }

    /// Changes what a name stands for.
    pub(super) fn set(&mut self, directory: Id, name: &str, id: Option<Id>) {
        if let Some(names) = self.names_mut(directory) {
            names.set(name, id);
        }
    }

    /// Makes the names in a directory durable.
    pub(super) fn sync_names(&mut self, directory: Id) {
        let Some(names) = self.names_mut(directory) else { return };
        let before: BTreeSet<Id> = names.durable.values().copied().collect();
        names.sync();
        let after: BTreeSet<Id> = names.durable.values().copied().collect();
        self.moved.extend(before.difference(&after));
        self.moved.retain(|id| !after.contains(id));
    }

    /// The power is cut and comes back.
    pub(super) fn cut(&mut self, rng: &mut Rng) {
        let mut kept: Planes = self.plane(|names| names.after_cut(rng));
        self.keep_moved(&mut kept);
        let there = reachable(&kept);
        self.nodes.retain(|id, _| there.contains(id));
        kept.retain(|id, _| there.contains(id));
        for content in self.nodes.values_mut().filter_map(Node::content) {
            *content = Content::settled(content.after_cut(rng));
        }
        self.part_twins(&mut kept);
        for (id, names) in kept {
            self.nodes.insert(id, Node::Directory(Names::settled(names)));
        }
        self.moved.clear();
    }

    /// Gives each further name of a file a node of its own.
    fn part_twins(&mut self, kept: &mut Planes) {
        let mut named = BTreeSet::new();
        for id in kept.values_mut().flat_map(BTreeMap::values_mut) {
            if named.insert(*id) {
                continue;
            }
            if let Some(node) = self.nodes.get(id).cloned() {
                let file = self.twins.get(id).copied().unwrap_or(*id);
                *id = self.next;
                self.next += 1;
                self.nodes.insert(*id, node);
                self.twins.insert(*id, file);
            }
        }
    }

    /// Gives each file that must not be lost and is under no name its newest one.
    fn keep_moved(&self, kept: &mut Planes) {
        let shown = self.plane(|names| names.shown.clone());
        let durable = reachable(&self.plane(|names| names.durable.clone()));
        loop {
            let there = reachable(kept);
            let places = shown.iter().flat_map(|(at, names)| names.iter().map(move |(name, id)| (at, name, id)));
            let lost = |id: &Id| !there.contains(id) && (durable.contains(id) || self.moved.contains(id));
            let place = places.filter(|(at, ..)| there.contains(at)).find(|(.., id)| lost(id));
            let Some((at, name, id)) = place else { return };
            kept.entry(*at).or_default().insert(name.clone(), *id);
        }
    }

    fn plane(&self, mut names: impl FnMut(&Names) -> BTreeMap<String, Id>) -> Planes {
        let directories = self.nodes.iter().filter_map(|(id, node)| Some((*id, node.names()?)));
        directories.map(|(id, of)| (id, names(of))).collect()
    }
}

/// All that can be reached from the root.
fn reachable(plane: &Planes) -> BTreeSet<Id> {
    let (mut there, mut open) = (BTreeSet::from([ROOT]), vec![ROOT]);
    while let Some(id) = open.pop() {
        let below = plane.get(&id).into_iter().flat_map(BTreeMap::values);
        open.extend(below.copied().filter(|id| there.insert(*id)));
    }
    there
}
