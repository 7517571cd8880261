//! Finds directories and files by the beginning of their id or name (CON-11). Rights of members are not asked: whoever searches
//! everything (readers, operators, administrators) may look at all directories.

use base::{OpResult, Row, Sql, Tx, args};
use kernel::Home;
use kernel::find::{Found, Sought};

use crate::desk::paths::Paths;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&DIRECTORY, &DIRECTORY_NAME, &NAME_OF, &FILE, &FILE_NAME];

static DIRECTORY: Sql = Sql::new(
    "fld_directory.sought",
    "SELECT id, name FROM fld_directory WHERE id >= ?1 AND id < ?2 AND gone = 0 ORDER BY id LIMIT ?3",
);
static DIRECTORY_NAME: Sql = Sql::new(
    "fld_directory.sought_by_name",
    "SELECT id, name FROM fld_directory WHERE name >= ?1 AND name < ?2 AND gone = 0 ORDER BY name, id LIMIT ?3",
);
static NAME_OF: Sql =
    Sql::new("fld_directory.sought_name", "SELECT name FROM fld_directory WHERE id = ?1 AND gone = 0");
static FILE: Sql = Sql::new(
    "fld_file.sought",
    "SELECT id, name, directory, parent FROM fld_file WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
);
/// A directory compares names in small letters or as they are: both are in `slot`.
static FILE_NAME: Sql = Sql::new(
    "fld_file.sought_by_slot",
    "SELECT id, name, directory, parent FROM fld_file WHERE slot >= ?1 AND slot < ?2 AND deleted = 0 ORDER BY slot, id LIMIT ?3",
);

pub(crate) fn directories(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&DIRECTORY, &DIRECTORY_NAME], |row| {
        let [id, name] = [0, 1].map(|column| row.text(column).to_owned());
        Found { id, name, ..Found::default() }
    })
}

pub(crate) fn files(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    let found = sought.gather(tx, &[&FILE, &FILE_NAME], file)?;
    let mut paths = Paths::default();
    let mut all = vec![];
    for one in found {
        // One of a directory that is being removed is not there any more.
        if let Some(directory) = tx.query_one(&NAME_OF, args![&one.within])? {
            let path = paths.of(tx, &one.about, &one.name)?;
            all.push(Found { about: format!("{}: {path}", directory.text(0)), ..one });
        }
    }
    Ok(all)
}

/// With its directory and its folder, until its path is known.
fn file(row: &Row) -> Found {
    let [id, name, within, about] = [0, 1, 2, 3].map(|column| row.text(column).to_owned());
    Found { id, name, about, within }
}
