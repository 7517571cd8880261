//! The tree of this disk, as it will be after the steps that are planned so far.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use synxpo::names::{self, Policy};

use crate::model::{FileId, Kind, Local, LocalTree, Stat};

/// The root.
pub(super) const TOP: usize = 0;

/// How much is known of a file here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// What it holds.
    Read,
    /// Not what it holds: it is to be set aside first.
    Unread,
    /// It is to be left alone.
    Left,
    /// The steps remove it.
    Removed,
}

/// A file here.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// Where the look found it; `""` for what a step makes, and for the root.
    pub(super) path: &'a str,
    pub(super) name: Cow<'a, str>,
    pub(super) parent: usize,
    /// None for the root and for what a step makes.
    pub(super) local: Option<&'a Local>,
    /// Which file of the server it is; none: it is new.
    pub(super) id: Option<FileId>,
    pub(super) state: State,
}

impl Node<'_> {
    pub(super) fn kind(&self) -> Kind {
        self.local.map_or(Kind::Folder, |local| local.content.kind())
    }

    pub(super) fn stat(&self) -> Stat {
        self.local.map(|local| local.stat).unwrap_or_default()
    }
}

/// All files here. Those that the look found come in the order of their paths, folders before what is in them.
pub(super) struct Here<'a> {
    policy: Policy,
    pub(super) nodes: Vec<Node<'a>>,
    /// Who lies in a slot of a folder: on some disks twins do.
    pub(super) slots: BTreeMap<(usize, String), Vec<usize>>,
    /// Where each file of the server lies.
    pub(super) at: BTreeMap<FileId, usize>,
}

impl<'a> Here<'a> {
    pub(super) fn new(local: &'a LocalTree, policy: Policy) -> Self {
        let top = FileId::TOP;
        let root = Node { path: "", name: "".into(), parent: TOP, local: None, id: Some(top), state: State::Left };
        let at = BTreeMap::from([(top, TOP)]);
        let mut here = Self { policy, nodes: vec![root], slots: BTreeMap::new(), at };
        let mut last = ("", TOP);
        for (path, found) in local {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            // Most lie in the folder of the one before.
            let parent = if folder == last.0 { Some(last.1) } else { here.find_path("", folder) };
            assert!(parent.is_some(), "the folder of `{path}` was not looked at");
            let (parent, name) = (parent.unwrap_or(TOP), Cow::Borrowed(name));
            last = (folder, parent);
            here.add(Node { path, name, parent, local: Some(found), id: None, state: State::Read });
        }
        here
    }

    /// Who lay in a folder under a name when it was looked at.
    fn find_path(&self, folder: &str, name: &str) -> Option<usize> {
        self.nodes.binary_search_by(|node| compare(node.path, folder, name)).ok()
    }

    pub(super) fn add(&mut self, node: Node<'a>) -> usize {
        let place = self.nodes.len();
        self.slots.entry((node.parent, self.slot(&node.name))).or_default().push(place);
        self.nodes.push(node);
        place
    }

    pub(super) fn slot(&self, name: &str) -> String {
        names::slot(self.policy, name)
    }

    /// Who lies in a slot.
    pub(super) fn in_slot(&self, parent: usize, name: &str) -> &[usize] {
        self.slots.get(&(parent, self.slot(name))).map_or(&[], Vec::as_slice)
    }

    /// The file of a name: that very name first, then another composition of it. Of folders another case will do, too: nobody can tell which was meant.
    /// Only before the first step: by the paths of the look.
    pub(super) fn find(&self, parent: usize, name: &str, kind: Kind) -> Option<usize> {
        if let Some(exact) = self.find_path(self.nodes[parent].path, name) {
            return Some(exact);
        }
        let mut twins = self.in_slot(parent, name).iter().copied();
        twins.find(|place| self.is_same_name(&self.nodes[*place].name, name) || kind == Kind::Folder)
    }

    pub(super) fn is_same_name(&self, one: &str, other: &str) -> bool {
        names::is_same(self.policy, one, other)
    }

    /// Says which file of the server a file here is.
    pub(super) fn assign(&mut self, id: FileId, place: usize) {
        self.nodes[place].id = Some(id);
        self.at.insert(id, place);
    }

    /// It is a new file from now on.
    pub(super) fn unassign(&mut self, place: usize) {
        if let Some(id) = self.nodes[place].id.take() {
            self.at.remove(&id);
        }
    }

    /// The id of the folder that a file lies in; none: that folder is new.
    pub(super) fn parent_id(&self, place: usize) -> Option<FileId> {
        self.nodes[self.nodes[place].parent].id
    }

    /// The path at this stage of the plan.
    pub(super) fn path(&self, place: usize) -> String {
        let mut names: Vec<&str> = vec![];
        let mut at = place;
        while at != TOP {
            names.push(&self.nodes[at].name);
            at = self.nodes[at].parent;
        }
        names.reverse();
        names.join("/")
    }

    /// The path of a name in a folder.
    pub(super) fn path_in(&self, parent: usize, name: &str) -> String {
        match parent {
            TOP => name.to_owned(),
            parent => format!("{}/{name}", self.path(parent)),
        }
    }

    pub(super) fn rename(&mut self, place: usize, parent: usize, name: &str) {
        self.leave_slot(place);
        let node = &mut self.nodes[place];
        (node.parent, node.name) = (parent, Cow::Owned(name.to_owned()));
        let slot = self.slot(name);
        self.slots.entry((parent, slot)).or_default().push(place);
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.leave_slot(place);
        self.nodes[place].state = State::Removed;
        self.unassign(place);
    }

    fn leave_slot(&mut self, place: usize) {
        let node = &self.nodes[place];
        let key = (node.parent, self.slot(&node.name));
        if let Some(twins) = self.slots.get_mut(&key) {
            twins.retain(|twin| *twin != place);
        }
    }

    /// Whether a file is a folder, or lies somewhere in it.
    pub(super) fn is_within(&self, place: usize, folder: usize) -> bool {
        let mut at = place;
        while at != folder && at != TOP {
            at = self.nodes[at].parent;
        }
        at == folder
    }
}

/// Compares a path with that of a name in a folder, without putting the latter together.
fn compare(path: &str, folder: &str, name: &str) -> Ordering {
    if folder.is_empty() {
        return path.cmp(name);
    }
    let (path, folder) = (path.as_bytes(), folder.as_bytes());
    let (head, rest) = path.split_at(path.len().min(folder.len()));
    let slash = || rest.first().cmp(&Some(&b'/'));
    head.cmp(folder).then_with(slash).then_with(|| rest[1..].cmp(name.as_bytes()))
}
