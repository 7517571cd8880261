//! The versions of a file, newest first.

use base::{OpResult, Sql, Tx, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::care::{FileView, OfFile};
use crate::desk::file::{self, Found};
use crate::desk::numbers::{many, stored};
use crate::desk::paths::Paths;
use crate::desk::rights::{Right, enter};

/// The versions of a file, newest first.
pub static HISTORY: Query<HistoryOf, Vec<VersionView>> = Query::new("folders.history", history);

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LIST];

static LIST: Sql = Sql::new(
    "fld_version.list",
    "SELECT f.file, f.directory, f.parent, f.name, f.kind, f.version, f.content_version, f.deleted, f.content, f.size, f.mtime_us, \
     f.executable, f.target, f.seq, f.client, c.hash, c.checked, f.changed_at, f.device FROM fld_version f \
     LEFT JOIN fld_content c ON c.id = f.content WHERE f.file = ?1 AND f.version < ?2 ORDER BY f.version DESC LIMIT ?3",
);

/// Which page of which file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryOf {
    /// Which file.
    pub of: OfFile,
    /// Only versions before this one.
    pub before: u64,
    /// At most so many.
    pub limit: u32,
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderVersion)]
pub struct VersionView {
    /// The file as it was; its path is that of its folder now.
    #[serde(flatten)]
    pub file: FileView,
    /// The commit that made it.
    pub seq: u64,
    /// The device that brought it.
    pub device: String,
    /// The client that brought it.
    pub client: String,
}

fn history(tx: &mut dyn Tx, wanted: &HistoryOf) -> OpResult<Vec<VersionView>> {
    let of = &wanted.of;
    enter(tx, &of.directory, &of.who, Right::Read)?;
    let found = file::find(tx, &of.file)?.filter(|found| found.directory == of.directory);
    found.ok_or_else(|| crate::care::no_file(&of.file))?;
    let limit = wanted.limit as usize;
    let rows = tx.query(&LIST, args![&of.file, stored(wanted.before), many(limit)], limit)?;
    let (mut paths, mut views) = (Paths::default(), vec![]);
    for row in &rows {
        let found = Found::read(row);
        let path = paths.of(tx, &found.entry.parent, &found.entry.name)?;
        let (seq, client, device) = (found.entry.seq, found.client.clone(), row.text(18).to_owned());
        views.push(VersionView { file: FileView::of(&found, path), seq, device, client });
    }
    Ok(views)
}
