//! The tree of a directory as the planner looks into it. What was seen is remembered: the same rows are not read twice in one operation.

use std::collections::BTreeMap;

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::directory::Directory;
use super::file::{self, Found, columns, files};
use super::numbers::{many, stored, told, uuid4};
use crate::names::Policy;
use crate::plan::{Entry, Tree};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&AT, &CHILDREN, &BROUGHT, &BROUGHT_NEW, &AS_OF];

static AT: Sql = Sql::new(
    "fld_file.at",
    concat!(
        "SELECT ",
        columns!(),
        " ",
        files!(),
        " WHERE f.directory = ?1 AND f.parent = ?2 AND f.slot = ?3 AND f.deleted = 0"
    ),
);
static CHILDREN: Sql = Sql::new(
    "fld_file.children",
    concat!(
        "SELECT ",
        columns!(),
        " ",
        files!(),
        " WHERE f.directory = ?1 AND f.parent = ?2 AND f.deleted = 0 ORDER BY f.slot LIMIT ?3"
    ),
);
static BROUGHT: Sql = Sql::new(
    "fld_version.brought",
    "SELECT version FROM fld_version WHERE file = ?1 AND client = ?2 AND try_us = ?3 ORDER BY version DESC LIMIT 1",
);

static BROUGHT_NEW: Sql = Sql::new(
    "fld_version.brought_new",
    "SELECT file, parent FROM fld_version WHERE client = ?1 AND try_us = ?2 AND try_us IS NOT NULL AND directory = ?3 AND name = ?4 \
     AND version = 1 ORDER BY file LIMIT 10",
);

static AS_OF: Sql = Sql::new(
    "fld_version.as_of",
    "SELECT version FROM fld_version WHERE file = ?1 AND seq <= ?2 ORDER BY version DESC LIMIT 1",
);

/// The tree of one directory within an operation.
pub(crate) struct StoredTree<'a, 'b> {
    pub(crate) tx: &'a mut dyn Tx,
    cx: &'a mut OpCx<'b>,
    directory: String,
    names: Policy,
    client: String,
    /// Files that were seen, by id; none: there is no such file here.
    seen: BTreeMap<String, Option<Entry>>,
    /// What is in slots that were seen.
    slots: BTreeMap<(String, String), Option<String>>,
}

impl<'a, 'b> StoredTree<'a, 'b> {
    pub(crate) fn new(tx: &'a mut dyn Tx, cx: &'a mut OpCx<'b>, directory: &Directory, client: &str) -> Self {
        let (seen, slots) = (BTreeMap::new(), BTreeMap::new());
        let (names, client) = (directory.names, client.to_owned());
        Self { tx, cx, directory: directory.id.clone(), names, client, seen, slots }
    }

    /// What was seen, as it was before anything changed.
    pub(crate) fn into_seen(self) -> BTreeMap<String, Entry> {
        self.seen.into_iter().filter_map(|(id, entry)| Some((id, entry?))).collect()
    }

    fn note(&mut self, entry: Entry) -> Entry {
        self.seen.insert(entry.id.clone(), Some(entry.clone()));
        entry
    }
}

impl Tree for StoredTree<'_, '_> {
    fn names(&self) -> Policy {
        self.names
    }

    fn entry(&mut self, id: &str) -> OpResult<Option<Entry>> {
        if let Some(known) = self.seen.get(id) {
            return Ok(known.clone());
        }
        let found = file::find(self.tx, id)?.filter(|found| found.directory == self.directory);
        let entry = found.map(|found| found.entry);
        self.seen.insert(id.to_owned(), entry.clone());
        Ok(entry)
    }

    fn at(&mut self, parent: &str, slot: &str) -> OpResult<Option<Entry>> {
        let key = (parent.to_owned(), slot.to_owned());
        if let Some(known) = self.slots.get(&key) {
            return known.clone().map_or(Ok(None), |id| self.entry(&id));
        }
        let row = self.tx.query_one(&AT, args![&self.directory, parent, slot])?;
        let entry = row.map(|row| self.note(Found::read(&row).entry));
        self.slots.insert(key, entry.as_ref().map(|entry| entry.id.clone()));
        Ok(entry)
    }

    fn children(&mut self, parent: &str, most: usize) -> OpResult<Vec<Entry>> {
        let rows = self.tx.query(&CHILDREN, args![&self.directory, parent, many(most)], most)?;
        Ok(rows.iter().map(|row| self.note(Found::read(row).entry)).collect())
    }

    fn version(&mut self, id: &str, version: u64) -> OpResult<Option<Entry>> {
        let found = file::version(self.tx, id, version)?.filter(|found| found.directory == self.directory);
        Ok(found.map(|found| found.entry))
    }

    fn as_of(&mut self, id: &str, seq: u64) -> OpResult<Option<Entry>> {
        match self.tx.query_one(&AS_OF, args![id, stored(seq)])? {
            Some(row) => self.version(id, told(row.int(0))),
            None => Ok(None),
        }
    }

    /// A client that says no time tells no repeats.
    fn brought(&mut self, id: &str, try_us: i64) -> OpResult<Option<u64>> {
        if try_us == 0 || mutants::on(Mutant::FoldersRepeatMadeAgain) {
            return Ok(None);
        }
        let row = self.tx.query_one(&BROUGHT, args![id, &self.client, try_us])?;
        Ok(row.map(|row| told(row.int(0))))
    }

    fn brought_new(&mut self, name: &str, try_us: i64) -> OpResult<Vec<(String, String)>> {
        if mutants::on(Mutant::FoldersRepeatMadeAgain) {
            return Ok(vec![]);
        }
        let rows = self.tx.query(&BROUGHT_NEW, args![&self.client, try_us, &self.directory, name], 10)?;
        Ok(rows.iter().map(|row| (row.text(0).to_owned(), row.text(1).to_owned())).collect())
    }

    fn is_known_anywhere(&mut self, id: &str) -> OpResult<bool> {
        file::is_known(self.tx, id)
    }

    fn new_id(&mut self) -> String {
        uuid4(self.cx.chance())
    }
}
