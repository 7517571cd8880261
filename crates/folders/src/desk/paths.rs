//! Paths, computed by walking from folder to folder; what was found is remembered for the length of one reading.

use std::collections::BTreeMap;

use base::{OpResult, Sql, Tx, args};

use crate::plan::Entry;

/// Deeper than any file system goes: a loop, which never is, would end here.
const DEPTH_MAX: usize = 1_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&FOLDER];

static FOLDER: Sql = Sql::new("fld_file.folder", "SELECT parent, name FROM fld_file WHERE id = ?1");

/// Paths of folders by their ids.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    paths: BTreeMap<String, String>,
    /// Folder and name of files that were read before.
    seen: BTreeMap<String, (String, String)>,
}

impl Paths {
    /// With files that were read before, the newest last, so that they are not read again.
    pub(crate) fn knowing<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let seen = entries.map(|entry| (entry.id.clone(), (entry.parent.clone(), entry.name.clone()))).collect();
        Self { paths: BTreeMap::new(), seen }
    }

    /// The path of a name in a folder. A folder that was forgotten long ago leaves the path shorter.
    pub(crate) fn of(&mut self, tx: &mut dyn Tx, parent: &str, name: &str) -> OpResult<String> {
        Ok(joined(&self.folder(tx, parent)?, name))
    }

    /// The path of a folder; empty at the top.
    fn folder(&mut self, tx: &mut dyn Tx, id: &str) -> OpResult<String> {
        let (mut way, mut next) = (vec![], id.to_owned());
        while !next.is_empty() && !self.paths.contains_key(&next) && way.len() < DEPTH_MAX {
            let Some((parent, name)) = self.place(tx, &next)? else { break };
            way.push((next, name));
            next = parent;
        }
        let mut path = self.paths.get(&next).cloned().unwrap_or_default();
        for (id, name) in way.into_iter().rev() {
            path = joined(&path, &name);
            self.paths.insert(id, path.clone());
        }
        Ok(path)
    }

    fn place(&self, tx: &mut dyn Tx, id: &str) -> OpResult<Option<(String, String)>> {
        if let Some(seen) = self.seen.get(id) {
            return Ok(Some(seen.clone()));
        }
        Ok(tx.query_one(&FOLDER, args![id])?.map(|row| (row.text(0).to_owned(), row.text(1).to_owned())))
    }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
