//! Directories, as people see them.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::desk::directory::{Directory, unknown};
use crate::desk::numbers::{many, told};
use crate::desk::rights::{Right, enter, right};
use crate::form::Who;

/// Directories that somebody may read, in the order of their ids.
pub static DIRECTORIES: Query<DirectoriesOf, (Vec<DirectoryView>, Option<String>)> =
    Query::new("folders.directories", directories);
/// One of them.
pub static DIRECTORY: Query<OfDirectory, DirectoryView> = Query::new("folders.directory", directory);

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LIST, &SHOW];

static LIST: Sql = Sql::new(
    "fld_directory.list",
    "SELECT id, name, seq, names, anyone, quota_bytes, bytes, kept_ms, created_at, created_by FROM fld_directory WHERE gone = 0 AND id > ?1 \
     ORDER BY id LIMIT ?2",
);
static SHOW: Sql = Sql::new(
    "fld_directory.show",
    "SELECT id, name, seq, names, anyone, quota_bytes, bytes, kept_ms, created_at, created_by FROM fld_directory WHERE gone = 0 AND id = ?1",
);

/// Which page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoriesOf {
    /// Who asks.
    pub who: Who,
    /// Only those after this id.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// Which directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfDirectory {
    /// Who asks.
    pub who: Who,
    /// Which.
    pub directory: String,
}

/// A directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderDirectory)]
pub struct DirectoryView {
    /// Its id, a uuid4.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// The number of its last commit.
    pub seq: u64,
    /// How names are compared: `folded` or `exact`.
    pub names: String,
    /// What keys may do that are no members: `none`, `read` or `write`.
    pub anyone: String,
    /// The most bytes that it may hold.
    #[schema(nullable)]
    pub quota_bytes: Option<i64>,
    /// Bytes of all that is there now; older versions do not count.
    pub bytes: i64,
    /// How long older versions are kept; null: as long as the server keeps them.
    #[schema(nullable)]
    pub kept_ms: Option<i64>,
    /// When it was created.
    pub created_at: String,
    /// By which key.
    pub created_by: String,
    /// What whoever asks may do in it.
    pub role: Right,
}

fn directories(tx: &mut dyn Tx, of: &DirectoriesOf) -> OpResult<(Vec<DirectoryView>, Option<String>)> {
    let limit = of.limit as usize;
    let rows = tx.query(&LIST, args![&of.after, many(limit + 1)], limit + 1)?;
    let mut views = vec![];
    for row in rows.iter().take(limit) {
        let role = match Directory::find(tx, row.text(0))? {
            Some(directory) => right(tx, &directory, &of.who)?,
            None => Right::None,
        };
        views.extend((role >= Right::Read).then(|| view(row, role)));
    }
    let next = rows.get(limit).and_then(|_| rows.get(limit - 1)).map(|row| row.text(0).to_owned());
    Ok((views, next))
}

fn directory(tx: &mut dyn Tx, of: &OfDirectory) -> OpResult<DirectoryView> {
    let found = enter(tx, &of.directory, &of.who, Right::Read)?;
    let role = right(tx, &found, &of.who)?;
    let row = tx.query_one(&SHOW, args![&of.directory])?.ok_or_else(|| unknown(&of.directory))?;
    Ok(view(&row, role))
}

fn view(row: &Row, role: Right) -> DirectoryView {
    DirectoryView {
        id: row.text(0).to_owned(),
        name: row.text(1).to_owned(),
        seq: told(row.int(2)),
        names: row.text(3).to_owned(),
        anyone: row.text(4).to_owned(),
        quota_bytes: row.opt_int(5),
        bytes: row.int(6),
        kept_ms: row.opt_int(7),
        created_at: Wall(row.int(8)).rfc3339(),
        created_by: row.text(9).to_owned(),
        role,
    }
}
