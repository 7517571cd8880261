//! What a file is to be brought back to.

use base::{OpResult, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use crate::desk::file::{self, Found};
use crate::desk::numbers::told;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&AT, &NOT_BY, &FIRST];

static AT: Sql = Sql::new(
    "fld_version.at",
    "SELECT version FROM fld_version WHERE file = ?1 AND changed_at <= ?2 ORDER BY version DESC LIMIT 1",
);
static NOT_BY: Sql = Sql::new(
    "fld_version.not_by",
    "SELECT version FROM fld_version WHERE file = ?1 AND NOT (device = ?2 AND changed_at >= ?3) ORDER BY version DESC LIMIT 1",
);
static FIRST: Sql = Sql::new("fld_version.first", "SELECT MIN(version) FROM fld_version WHERE file = ?1");

/// To what a directory is brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// As it was then, below a path; empty: all of it.
    At {
        /// When.
        at: Wall,
        /// Where.
        path: String,
    },
    /// Without what a device did since then.
    Without {
        /// Which.
        device: String,
        /// Since when.
        since: Wall,
    },
}

/// What a file was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// This version.
    Version(Box<Found>),
    /// It was not there yet.
    Nothing,
    /// Nobody knows: its past was let go.
    Unknown,
}

/// What a file was at a moment. What others did after a device stays.
pub(crate) fn target(tx: &mut dyn Tx, file: &str, moment: &Moment) -> OpResult<Target> {
    let row = match moment {
        Moment::At { at, .. } => tx.query_one(&AT, args![file, *at])?,
        Moment::Without { device, since } => tx.query_one(&NOT_BY, args![file, device, *since])?,
    };
    if let Some(row) = row {
        let found = file::version(tx, file, told(row.int(0)))?;
        return Ok(found.map_or(Target::Unknown, |found| Target::Version(Box::new(found))));
    }
    let first = tx.query_one(&FIRST, args![file])?.and_then(|row| row.opt_int(0));
    Ok(if first == Some(1) { Target::Nothing } else { Target::Unknown })
}
