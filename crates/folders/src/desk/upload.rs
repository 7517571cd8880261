//! What somebody was allowed to write, until it is written or given up.

use std::collections::BTreeSet;

use base::{Heard, OpError, OpResult, Row, Sql, Tx, args, codes};
use kernel::{Hint, OpCx};
use serde::{Deserialize, Serialize};

use super::ask::CHANGES_MAX;
use super::directory::short;
use super::seats;
use crate::codes::NUPLOAD;
use crate::form::{Asked, Who};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &INSERT, &RENEW, &DROP];

static GET: Sql = Sql::new("fld_upload.get", "SELECT id, directory, asked, until FROM fld_upload WHERE id = ?1");
static INSERT: Sql = Sql::new(
    "fld_upload.insert",
    "INSERT INTO fld_upload (id, directory, client, device, asked, until, began_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
static RENEW: Sql = Sql::new("fld_upload.renew", "UPDATE fld_upload SET until = ?2 WHERE id = ?1");
static DROP: Sql = Sql::new("fld_upload.drop", "DELETE FROM fld_upload WHERE id = ?1");

/// What was asked for, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) who: Who,
    /// The changes, in their order.
    pub(crate) files: Vec<KeptFile>,
}

/// One of its changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptFile {
    pub(crate) asked: Asked,
    /// The file, also of one that is new.
    pub(crate) id: String,
    /// Its bytes are wanted.
    pub(crate) wanted: bool,
    /// The id is that of a file which is there and may be the same: it is no id for a new one.
    #[serde(default)]
    pub(crate) joins: bool,
}

/// An upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upload {
    pub(crate) id: String,
    pub(crate) directory: String,
    pub(crate) kept: Kept,
    pub(crate) until: Heard,
}

impl Upload {
    /// The upload, if there is one.
    pub(crate) fn find(tx: &mut dyn Tx, id: &str) -> OpResult<Option<Self>> {
        tx.query_one(&GET, args![id])?.as_ref().map(Self::read).transpose()
    }

    /// The upload, if it did not lapse; `NUPLOAD` if it did, or never was.
    pub(crate) fn get(tx: &mut dyn Tx, now: Heard, id: &str) -> OpResult<Self> {
        let found = Self::find(tx, id)?;
        let gone = || OpError::new(NUPLOAD, format!("upload `{}` lapsed or was rolled back: ask again", short(id)));
        found.filter(|upload| upload.until > now).ok_or_else(gone)
    }

    fn read(row: &Row) -> OpResult<Self> {
        let wrong = |error| OpError::new(codes::BDETECTED, format!("upload {}: {error}", row.text(0)));
        Ok(Self {
            id: row.text(0).to_owned(),
            directory: row.text(1).to_owned(),
            kept: serde_json::from_str(row.text(2)).map_err(wrong)?,
            until: Heard(row.int(3)),
        })
    }

    /// Whether it brings one of these files, too.
    pub(crate) fn is_about(&self, files: &[Asked]) -> bool {
        let own = || self.kept.files.iter().map(|file| &file.asked);
        let ids: BTreeSet<&str> = own().filter_map(|asked| asked.id.as_deref()).collect();
        let paths: BTreeSet<&str> = own().map(|asked| asked.path.as_str()).collect();
        let is_here = |asked: &Asked| asked.id.as_deref().is_some_and(|id| ids.contains(id));
        files.iter().any(|asked| is_here(asked) || paths.contains(asked.path.as_str()))
    }

    pub(crate) fn insert(&self, tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<()> {
        let asked = serde_json::to_string(&self.kept).unwrap_or_default();
        let Who { client, device, .. } = &self.kept.who;
        Ok(tx.write(&INSERT, args![&self.id, &self.directory, client, device, asked, self.until, cx.wall])?)
    }
}

/// An upload, and its seats with it, last until then.
pub(crate) fn renew(tx: &mut dyn Tx, id: &str, until: Heard) -> OpResult<()> {
    Ok(tx.write(&RENEW, args![id, until])?)
}

/// Forgets an upload: all its seats are left, and whoever waits for one is woken.
pub(crate) fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str) -> OpResult<()> {
    seats::leave_unwanted(tx, id)?;
    for place in seats::of_upload(tx, id, 2 * CHANGES_MAX)? {
        place.leave(tx, cx)?;
    }
    tx.write(&DROP, args![id])?;
    cx.fx.wake(Hint::Changed(crate::topic(directory_of(id))));
    Ok(())
}

/// Ids of uploads begin with their directory, so that whatever is done to them can be kept apart by it.
pub(crate) fn directory_of(id: &str) -> &str {
    id.split_once('/').map_or("", |(directory, _)| directory)
}
