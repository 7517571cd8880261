//! What the server has, compared with what devices were told and wrote.

use std::collections::{BTreeMap, BTreeSet};

use base::{Sql, StoreResult, Tx, args};

use super::edit::Texts;

const ROWS: usize = 20_000;
/// In place of an edit: the file was deleted.
const GONE: u64 = u64::MAX;

static VERSIONS: Sql = Sql::new(
    "sim.folders_versions",
    "SELECT v.file, v.version, v.content_version, c.hash, v.deleted FROM fld_version v LEFT JOIN fld_content c ON c.id = v.content \
     WHERE v.kind = 'FILE' AND v.directory = ?1 ORDER BY v.file, v.version LIMIT 20000",
);
static LIVING: Sql = Sql::new(
    "sim.folders_living",
    "SELECT f.id, f.version, f.name, f.parent, f.kind, c.hash FROM fld_file f LEFT JOIN fld_content c ON c.id = f.content \
     WHERE f.deleted = 0 AND f.directory = ?1 ORDER BY f.id LIMIT 20000",
);
static OPEN: Sql = Sql::new(
    "sim.folders_open",
    "SELECT place FROM fld_seat WHERE holder IS NOT NULL UNION SELECT id FROM fld_upload ORDER BY 1 LIMIT 100",
);

/// A version of a file.
pub(super) struct Version {
    file: String,
    version: i64,
    content_version: i64,
    hash: Option<String>,
    deleted: bool,
}

/// A file as everybody should have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Living {
    pub(super) version: u64,
    pub(super) path: String,
    /// The edit whose content it has; none: a folder.
    pub(super) text: Option<u64>,
}

/// What was committed.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) versions: Vec<Version>,
    rows: BTreeMap<String, (u64, String, String, Option<String>)>,
    /// Seats that are taken, and uploads that are not over.
    pub(super) open: Vec<String>,
}

pub(super) fn seen(tx: &mut dyn Tx, directory: &str) -> StoreResult<Seen> {
    let versions = tx.query(&VERSIONS, args![directory], ROWS)?;
    let versions = versions.iter().map(|row| Version {
        file: row.text(0).to_owned(),
        version: row.int(1),
        content_version: row.int(2),
        hash: row.opt_text(3).map(str::to_owned),
        deleted: row.int(4) == 1,
    });
    let versions = versions.collect();
    let rows = tx.query(&LIVING, args![directory], ROWS)?;
    let rows = rows.iter().map(|row| {
        let hash = row.opt_text(5).map(str::to_owned);
        (row.text(0).to_owned(), (row.int(1).unsigned_abs(), row.text(2).to_owned(), row.text(3).to_owned(), hash))
    });
    let rows = rows.collect();
    let open = tx.query(&OPEN, args![], 100)?.iter().map(|row| row.text(0).to_owned()).collect();
    Ok(Seen { versions, rows, open })
}

impl Seen {
    /// Each content was made from the one before it, each is there once, and what was acknowledged is there.
    pub(super) fn check(&self, texts: &Texts) -> Result<(), String> {
        let mut last: BTreeMap<&str, u64> = BTreeMap::new();
        let mut written: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for version in &self.versions {
            if version.deleted {
                // Whoever deleted it knew what it held: an edit that comes later brings the file back, whatever it was made from.
                last.insert(&version.file, GONE);
            }
            let Some(hash) = version.hash.as_ref().filter(|_| version.version == version.content_version) else {
                continue;
            };
            let told = || format!("file {} version {}", version.file, version.version);
            let number = texts.of_hash(hash).ok_or_else(|| format!("{}: nobody wrote {hash}", told()))?;
            let before = last.insert(&version.file, number).unwrap_or(0);
            let over = texts.get(number).map_or(0, |text| text.over);
            if over != before && before != GONE {
                return Err(format!("{}: edit {number} was made from {over} and replaced {before} unseen", told()));
            }
            let files = written.entry(number).or_default();
            files.push(&version.file);
            if files.len() > 1 && texts.get(number).is_some_and(|text| text.is_named) {
                return Err(format!("{}: edit {number} was taken twice", told()));
            }
        }
        texts.acknowledged().try_for_each(|(number, file)| match written.get(&number) {
            Some(found) if found.contains(&file) => Ok(()),
            found => Err(format!("edit {number} was acknowledged as file {file}, and is in {found:?}")),
        })
    }

    /// Every living file by its id.
    pub(super) fn living(&self, texts: &Texts) -> BTreeMap<String, Living> {
        let living = self.rows.iter().map(|(id, (version, _, _, hash))| {
            let text = hash.as_deref().and_then(|hash| texts.of_hash(hash));
            (id.clone(), Living { version: *version, path: self.path(id), text })
        });
        living.collect()
    }

    /// Every living file: where it is, and the hash of what it holds.
    pub(super) fn tree(&self) -> BTreeMap<String, Option<String>> {
        self.rows.iter().map(|(id, (.., hash))| (self.path(id), hash.clone())).collect()
    }

    fn path(&self, id: &str) -> String {
        let (mut parts, mut at, mut passed) = (vec![], id, BTreeSet::new());
        while let Some((_, name, parent, _)) = self.rows.get(at).filter(|_| passed.insert(at.to_owned())) {
            parts.push(name.as_str());
            at = parent;
        }
        parts.reverse();
        parts.join("/")
    }
}
