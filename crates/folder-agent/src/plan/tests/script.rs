//! Three trees, written down in a line per file.

use synxpo::names::Policy;

use crate::model::{Content, FileId, Local, LocalTree, Remote, RemoteTree, Stat, Synced, SyncedTree, Version};
use crate::plan::{Ask, Fetch, Plan, Step, View, plan};

/// Three trees. Contents are words: equal words are equal bytes. Ids are small numbers.
#[derive(Default)]
pub(super) struct Trees {
    pub(super) remote: RemoteTree,
    pub(super) local: LocalTree,
    pub(super) synced: SyncedTree,
}

pub(super) const VIEW: View<'_> = View { policy: Policy::Folded, device: "box", date: "today", links: true };

/// A word; `/` is a folder, `->x` a link, a `*` at the end makes it executable.
pub(super) fn content(word: &str) -> Content {
    if word == "/" {
        return Content::Folder;
    }
    if let Some(target) = word.strip_prefix("->") {
        return Content::Symlink(target.to_owned());
    }
    let (bytes, executable) = word.strip_suffix('*').map_or((word, false), |bytes| (bytes, true));
    let mut hash = [0; 32];
    hash.iter_mut().zip(bytes.bytes()).for_each(|(to, from)| *to = from);
    Content::File { hash: Some(hash), size: bytes.len() as u64, executable }
}

/// What a file of this inode and content looks like.
pub(super) fn stat(inode: u64, word: &str) -> Stat {
    let time = word.bytes().fold(0, |sum: i64, byte| sum * 31 % 1_000_003 + i64::from(byte));
    match content(word) {
        Content::Folder => Stat { inode, ..Stat::default() },
        Content::File { size, .. } => Stat { inode, size, mtime_ns: time, ctime_ns: time },
        Content::Symlink(_) => Stat { inode, size: 1, mtime_ns: time, ctime_ns: time },
    }
}

impl Trees {
    /// A file that all three have, with its id as inode.
    pub(super) fn level(self, id: u64, parent: u64, name: &str, word: &str) -> Self {
        let path = self.path(FileId(parent.into()), name);
        self.there(id, parent, name, word, 1, 1).was(id, parent, name, word).here(&path, id, word)
    }

    pub(super) fn there(
        mut self,
        id: u64,
        parent: u64,
        name: &str,
        word: &str,
        version: u64,
        content_version: u64,
    ) -> Self {
        let (parent, name, content) = (FileId(parent.into()), name.into(), content(word));
        let of = Version { parent, name, version, content_version, content };
        self.remote.insert(FileId(id.into()), Remote { of: of.into(), deleted: false, mtime_us: None });
        self
    }

    pub(super) fn was(mut self, id: u64, parent: u64, name: &str, word: &str) -> Self {
        let (parent, name, stat) = (FileId(parent.into()), name.into(), stat(id, word));
        let of = Version { parent, name, version: 1, content_version: 1, content: content(word) };
        self.synced.insert(FileId(id.into()), Synced { of: of.into(), stat });
        self
    }

    pub(super) fn here(mut self, path: &str, inode: u64, word: &str) -> Self {
        self.local.insert(path.to_owned(), Local { stat: stat(inode, word), content: content(word) });
        self
    }

    /// Nobody has read it yet.
    pub(super) fn unread(mut self, path: &str) -> Self {
        if let Some(Content::File { hash, .. }) = self.local.get_mut(path).map(|local| &mut local.content) {
            *hash = None;
        }
        self
    }

    pub(super) fn lost_here(mut self, path: &str) -> Self {
        self.local.retain(|other, _| other != path && !other.starts_with(&format!("{path}/")));
        self
    }

    /// As a person does it: with all that is in it, and the inode stays.
    pub(super) fn moved_here(mut self, from: &str, to: &str) -> Self {
        let mut all = std::mem::take(&mut self.local);
        all.remove(to);
        let is_within = |path: &String| path == from || path.starts_with(&format!("{from}/"));
        let name = |path: String| if is_within(&path) { format!("{to}{}", &path[from.len()..]) } else { path };
        self.local = all.into_iter().map(|(path, local)| (name(path), local)).collect();
        self
    }

    pub(super) fn deleted_there(mut self, id: u64) -> Self {
        if let Some(remote) = self.remote.get_mut(&FileId(id.into())) {
            (remote.deleted, remote.version) = (true, remote.version + 1);
        }
        self
    }

    pub(super) fn edited_there(mut self, id: u64, word: &str) -> Self {
        if let Some(remote) = self.remote.get_mut(&FileId(id.into())) {
            remote.version += 1;
            (remote.content, remote.content_version) = (content(word), remote.version);
        }
        self
    }

    pub(super) fn ran_there(mut self, id: u64) -> Self {
        if let Some(remote) = self.remote.get_mut(&FileId(id.into())) {
            remote.version += 1;
            if let Content::File { executable, .. } = &mut remote.content {
                *executable = true;
            }
        }
        self
    }

    pub(super) fn moved_there(mut self, id: u64, parent: u64, name: &str) -> Self {
        if let Some(remote) = self.remote.get_mut(&FileId(id.into())) {
            remote.version += 1;
            (remote.parent, remote.name) = (FileId(parent.into()), name.into());
        }
        self
    }

    fn path(&self, parent: FileId, name: &str) -> String {
        match self.synced.get(&parent) {
            Some(folder) => format!("{}/{name}", self.path(folder.parent, &folder.name)),
            None => name.to_owned(),
        }
    }

    pub(super) fn plan(&self) -> Plan {
        self.plan_as(&VIEW)
    }

    pub(super) fn plan_as(&self, view: &View<'_>) -> Plan {
        plan(&self.remote, &self.local, &self.synced, view)
    }

    #[track_caller]
    pub(super) fn check(&self, expected: &[&str]) {
        assert_eq!(told(&self.plan()), expected);
    }
}

/// A plan in a line for each thing to do.
pub(super) fn told(plan: &Plan) -> Vec<String> {
    let aside = plan.aside.iter().map(|path| format!("aside {path}"));
    let steps = plan.steps.iter().map(step);
    aside.chain(steps).chain(plan.fetches.iter().map(fetch)).chain(plan.asks.iter().map(ask)).collect()
}

fn step(step: &Step) -> String {
    match step {
        Step::Adopt { id, path } => format!("adopt {} {path}", id.0),
        Step::Forget { id } => format!("forget {}", id.0),
        Step::MakeFolder { id, path } => format!("folder {} {path}", id.0),
        Step::MakeLink { id, path, target, expected } => {
            format!("link {} {path} -> {target}{}", id.0, over(expected))
        }
        Step::SetExecutable { id, path, executable, .. } => format!("executable {} {path} {executable}", id.0),
        Step::Move { id, from, to, .. } => format!("move {} {from} -> {to}", id.0),
        Step::Remove { id, path, .. } => format!("remove {} {path}", id.0),
        Step::Copy { from, to, .. } => format!("copy {from} -> {to}"),
    }
}

fn over(expected: &crate::disk::Expected) -> String {
    match expected {
        crate::disk::Expected::Nothing => String::new(),
        crate::disk::Expected::File(stat) => format!(" over {}", stat.inode),
    }
}

fn fetch(fetch: &Fetch) -> String {
    format!("fetch {} {} = {}{}", fetch.id.0, fetch.path, word(&fetch.content), over(&fetch.expected))
}

fn ask(ask: &Ask) -> String {
    let who = ask.id.map_or("new".to_owned(), |id| id.0.to_string());
    let what = match (ask.deleted, ask.content_changed) {
        (true, _) => "delete",
        (false, true) => "edit",
        (false, false) => "put",
    };
    format!("ask {what} {who} {} = {} on {}", ask.path, word(&ask.content), ask.base)
}

pub(super) fn word(content: &Content) -> String {
    match content {
        Content::Folder => "/".to_owned(),
        Content::Symlink(target) => format!("->{target}"),
        Content::File { hash, executable, .. } => {
            let bytes: Vec<u8> = hash.unwrap_or_default().into_iter().filter(|byte| *byte != 0).collect();
            format!("{}{}", String::from_utf8_lossy(&bytes), if *executable { "*" } else { "" })
        }
    }
}
