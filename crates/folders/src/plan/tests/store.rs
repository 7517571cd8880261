//! A directory in memory, with all its past. It carries plans out one row after the other, as a database with a unique index does.

use std::collections::BTreeMap;

use base::OpResult;

use crate::form::{Asked, Kind, Told};
use crate::names::{Policy, slot};
use crate::plan::{Bytes, Entry, Plan, Row, Tree, Verdict, Wanted, plan};

pub(super) const A: &str = "client a";
pub(super) const B: &str = "client b";

pub(super) struct Store {
    pub(super) policy: Policy,
    pub(super) seq: u64,
    /// All versions of each file.
    past: BTreeMap<String, Vec<Entry>>,
    slots: BTreeMap<(String, String), String>,
    /// Who brought what with which try.
    tries: BTreeMap<(String, String, i64), u64>,
    ids: u64,
    client: String,
    /// Rows that were read since the last plan began.
    pub(super) reads: usize,
}

impl Store {
    pub(super) fn new() -> Self {
        let (past, slots, tries) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { policy: Policy::Folded, seq: 0, past, slots, tries, ids: 0, client: String::new(), reads: 0 }
    }

    /// All that was committed was told.
    pub(super) fn told(&self) -> Told {
        Told { seq: self.seq, beyond: vec![] }
    }

    pub(super) fn now(&self, id: &str) -> Entry {
        self.past[id].last().expect("has a version").clone()
    }

    pub(super) fn living(&self) -> Vec<Entry> {
        let newest = self.past.values().filter_map(|versions| versions.last());
        newest.filter(|entry| !entry.deleted).cloned().collect()
    }

    pub(super) fn path(&self, entry: &Entry) -> String {
        let mut parts = vec![entry.name.clone()];
        let mut parent = entry.parent.clone();
        while !parent.is_empty() {
            assert!(parts.len() < 1_000, "a folder is in itself: {parts:?}");
            let folder = self.now(&parent);
            assert!(!folder.deleted && folder.kind == Kind::Folder, "{parts:?} is in a folder that lives");
            parts.push(folder.name);
            parent = folder.parent;
        }
        parts.reverse();
        parts.join("/")
    }

    /// The id of a path.
    pub(super) fn id(&self, path: &str) -> String {
        let found = self.living().into_iter().find(|entry| self.path(entry) == path);
        found.unwrap_or_else(|| panic!("nothing at {path}")).id
    }

    /// Paths, with their contents; folders end in `/`.
    pub(super) fn listing(&self) -> Vec<String> {
        let mut listing: Vec<String> = self.living().iter().map(|entry| line(&self.path(entry), entry)).collect();
        listing.sort();
        listing
    }

    /// Plans without doing.
    pub(super) fn plan(&mut self, client: &str, told: &Told, group: &[Asked]) -> Plan {
        let wanted: Vec<Wanted> = group.iter().map(brought).collect();
        self.plan_wanted(client, told, &wanted)
    }

    pub(super) fn plan_wanted(&mut self, client: &str, told: &Told, wanted: &[Wanted]) -> Plan {
        (self.client, self.reads) = (client.to_owned(), 0);
        plan(self, told, wanted).expect("this store does not fail")
    }

    /// Plans a group, carries it out, and looks whether all is well.
    pub(super) fn commit(&mut self, client: &str, told: &Told, group: &[Asked]) -> Plan {
        let plan = self.plan(client, told, group);
        self.seq += 1;
        let parked: Vec<&Row> = plan.rows.iter().filter(|row| row.parked).collect();
        parked.iter().for_each(|row| self.leave(&row.entry.id));
        plan.rows.iter().for_each(|row| self.write(client, row, group));
        self.is_well();
        plan
    }

    fn write(&mut self, client: &str, row: &Row, group: &[Asked]) {
        let id = row.entry.id.clone();
        assert_eq!(row.is_new, !self.past.contains_key(&id), "{row:?}");
        let version = self.past.get(&id).map_or(0, |versions| versions.len() as u64) + 1;
        assert_eq!(row.entry.version, version, "each version is one more: {row:?}");
        assert!(row.entry.content_version <= version);
        if !row.is_new && !row.parked {
            self.leave(&id);
        }
        if !row.entry.deleted {
            let key = (row.entry.parent.clone(), slot(self.policy, &row.entry.name));
            let before = self.slots.insert(key, id.clone());
            assert_eq!(before, None, "a slot is free when it is taken: {row:?}");
        }
        if let Some(place) = row.place {
            self.tries.insert((client.to_owned(), id.clone(), group[place].try_us), version);
        }
        self.past.entry(id).or_default().push(Entry { seq: self.seq, ..row.entry.clone() });
    }

    fn leave(&mut self, id: &str) {
        self.slots.retain(|_, holder| holder != id);
    }

    fn is_well(&self) {
        let living = self.living();
        assert_eq!(living.len(), self.slots.len(), "each lives in a slot of its own");
        for entry in &living {
            let key = (entry.parent.clone(), slot(self.policy, &entry.name));
            assert_eq!(self.slots.get(&key), Some(&entry.id));
            self.path(entry);
            assert_eq!(entry.kind == Kind::File, entry.content.is_some(), "{entry:?}");
        }
    }

    fn here(&self, entry: Option<&Entry>) -> Option<Entry> {
        let mut entry = entry.cloned()?;
        // Only what is asked for at the top of the past is a tree.
        entry.seq = entry.seq.min(self.seq);
        Some(entry)
    }
}

impl Tree for Store {
    fn names(&self) -> Policy {
        self.policy
    }

    fn entry(&mut self, id: &str) -> OpResult<Option<Entry>> {
        self.reads += 1;
        Ok(self.here(self.past.get(id).and_then(|versions| versions.last())))
    }

    fn at(&mut self, parent: &str, slot: &str) -> OpResult<Option<Entry>> {
        self.reads += 1;
        let id = self.slots.get(&(parent.to_owned(), slot.to_owned()));
        Ok(id.map(|id| self.now(id)))
    }

    fn children(&mut self, parent: &str, most: usize) -> OpResult<Vec<Entry>> {
        let all = self.living().into_iter().filter(|entry| entry.parent == parent);
        let children: Vec<Entry> = all.take(most).collect();
        self.reads += children.len();
        Ok(children)
    }

    fn version(&mut self, id: &str, version: u64) -> OpResult<Option<Entry>> {
        self.reads += 1;
        Ok(self.past.get(id).and_then(|all| all.iter().find(|entry| entry.version == version)).cloned())
    }

    fn as_of(&mut self, id: &str, seq: u64) -> OpResult<Option<Entry>> {
        self.reads += 1;
        Ok(self.past.get(id).and_then(|all| all.iter().rev().find(|entry| entry.seq <= seq)).cloned())
    }

    fn brought(&mut self, id: &str, try_us: i64) -> OpResult<Option<u64>> {
        self.reads += 1;
        Ok(self.tries.get(&(self.client.clone(), id.to_owned(), try_us)).copied())
    }

    fn brought_new(&mut self, name: &str, try_us: i64) -> OpResult<Vec<(String, String)>> {
        self.reads += 1;
        let own = self.past.iter().filter(|(id, _)| {
            self.tries
                .iter()
                .any(|((client, file, at), version)| (client, file, *at, *version) == (&self.client, *id, try_us, 1))
        });
        let first = own.filter_map(|(id, versions)| Some((id, versions.first()?)));
        Ok(first
            .filter(|(_, entry)| entry.name == name)
            .map(|(id, entry)| (id.clone(), entry.parent.clone()))
            .collect())
    }

    fn is_known_anywhere(&mut self, id: &str) -> OpResult<bool> {
        self.reads += 1;
        Ok(self.past.contains_key(id) || id == ELSEWHERE)
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        uuid(self.ids)
    }
}

/// A file of another directory.
pub(super) const ELSEWHERE: &str = "eeeeeeee-0000-4000-8000-000000000000";

pub(super) fn uuid(number: u64) -> String {
    format!("00000000-0000-4000-8000-{number:012x}")
}

pub(super) fn line(path: &str, entry: &Entry) -> String {
    match &entry.content {
        Some(content) => format!("{path}={content}"),
        None if entry.kind == Kind::Folder => format!("{path}/"),
        None => path.to_owned(),
    }
}

/// A change whose bytes came: contents are their own hashes here.
pub(super) fn brought(asked: &Asked) -> Wanted {
    let bytes = match &asked.hash {
        Some(hash) if asked.content_changed && !asked.deleted => {
            Bytes::Brought { content: hash.clone(), hash: Some(hash.clone()), author_hash: None, size: 1 }
        }
        _ => Bytes::Kept,
    };
    Wanted { asked: asked.clone(), bytes, given_id: None }
}

pub(super) fn is_taken(plan: &Plan) -> bool {
    plan.verdicts.iter().all(|said| matches!(said, Verdict::There { .. } | Verdict::Made { .. }))
}

pub(super) fn is_all_there(plan: &Plan) -> bool {
    plan.rows.is_empty() && plan.verdicts.iter().all(|said| matches!(said, Verdict::There { .. }))
}
