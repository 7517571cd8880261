//! A directory as its row has it.

use base::{OpError, OpResult, Row, Sql, Tx, args};

use super::numbers::{stored, told};
use crate::codes::{AQUOTA, NDIRECTORY};
use crate::names::Policy;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &SAVE];

static GET: Sql = Sql::new(
    "fld_directory.get",
    "SELECT id, seq, names, anyone, quota_bytes, bytes FROM fld_directory WHERE id = ?1 AND gone = 0",
);
static SAVE: Sql =
    Sql::new("fld_directory.save", "UPDATE fld_directory SET seq = ?2, bytes = bytes + ?3 WHERE id = ?1 AND gone = 0");

/// A directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directory {
    pub(crate) id: String,
    /// Its last commit.
    pub(crate) seq: u64,
    pub(crate) names: Policy,
    /// What keys may do that are no members.
    pub(crate) anyone: String,
    pub(crate) quota_bytes: Option<i64>,
    /// Of what is there now.
    pub(crate) bytes: i64,
}

impl Directory {
    /// The directory, if it is there.
    pub(crate) fn find(tx: &mut dyn Tx, id: &str) -> OpResult<Option<Self>> {
        Ok(tx.query_one(&GET, args![id])?.as_ref().map(Self::read))
    }

    /// The directory; `NDIRECTORY` if there is none.
    pub(crate) fn get(tx: &mut dyn Tx, id: &str) -> OpResult<Self> {
        Self::find(tx, id)?.ok_or_else(|| unknown(id))
    }

    fn read(row: &Row) -> Self {
        Self {
            id: row.text(0).to_owned(),
            seq: told(row.int(1)),
            names: policy(row.text(2)),
            anyone: row.text(3).to_owned(),
            quota_bytes: row.opt_int(4),
            bytes: row.int(5),
        }
    }

    /// Writes the next commit down.
    pub(crate) fn committed(&mut self, tx: &mut dyn Tx, grown: i64) -> OpResult<()> {
        self.seq += 1;
        self.bytes += grown;
        Ok(tx.write(&SAVE, args![&self.id, stored(self.seq), grown])?)
    }

    /// Refuses what would make it hold more than its quota. What does not grow is always taken: else nobody could make room.
    pub(crate) fn check_quota(&self, grown: i64) -> OpResult<()> {
        let after = self.bytes.saturating_add(grown);
        match self.quota_bytes {
            Some(quota) if grown > 0 && after > quota => {
                let text = format!("directory {} would hold {after} bytes, its quota is {quota}", self.id);
                Err(OpError::new(AQUOTA, text))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// How names are compared, as its row says.
pub(crate) fn policy(word: &str) -> Policy {
    if word == "exact" { Policy::Exact } else { Policy::Folded }
}

/// The refusal of a directory that is not there, or that somebody may not know of.
pub(crate) fn unknown(id: &str) -> OpError {
    OpError::new(NDIRECTORY, format!("no directory `{}`", short(id)))
}

/// Data of others is never long in our words.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(80).collect()
}
