//! Who may do what in a directory (FLD-25).
//!
//! Keys that have every right in the namespace have it here too. A member's role is that of its key; a role of its device lowers it, or stands
//! alone where the key has none. Whoever is no member may what `anyone` says. A directory that somebody may not read is not there for them.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::directory::{Directory, unknown};
use crate::form::Who;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&ROLES];

static ROLES: Sql = Sql::new(
    "fld_member.roles",
    "SELECT who, role FROM fld_member WHERE directory = ?1 AND (who = ?2 OR who = ?3) ORDER BY who",
);

/// What somebody may do, each with all before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = FolderRole)]
pub enum Right {
    /// Nothing.
    None,
    /// Look and download.
    Read,
    /// Change files.
    Write,
    /// Change the directory itself and who its members are.
    Admin,
}

impl Right {
    /// As rows and JSON have it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// The right of a word; nothing for every other word.
    #[must_use]
    pub fn of_word(word: &str) -> Self {
        [Self::Read, Self::Write, Self::Admin].into_iter().find(|right| right.word() == word).unwrap_or(Self::None)
    }
}

/// What somebody may do in a directory.
pub(crate) fn right(tx: &mut dyn Tx, directory: &Directory, who: &Who) -> OpResult<Right> {
    if who.is_admin {
        return Ok(Right::Admin);
    }
    let rows = tx.query(&ROLES, args![&directory.id, &who.key, &who.device], 2)?;
    let role = |name: &str| rows.iter().find(|row| row.text(0) == name).map(|row| Right::of_word(row.text(1)));
    Ok(decide(role(&who.key), role(&who.device), Right::of_word(&directory.anyone)))
}

fn decide(key: Option<Right>, device: Option<Right>, anyone: Right) -> Right {
    match (key, device) {
        (Some(key), Some(device)) => key.min(device),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => anyone,
    }
}

/// The directory, if somebody may do this in it.
///
/// `NDIRECTORY`: there is none, or they may not even read it; `SROLE`: they may only read, or not change the directory itself.
pub(crate) fn enter(tx: &mut dyn Tx, id: &str, who: &Who, needed: Right) -> OpResult<Directory> {
    let directory = Directory::get(tx, id)?;
    let has = right(tx, &directory, who)?;
    if has == Right::None {
        return Err(unknown(id));
    }
    if has < needed {
        let text = format!("{} may {} in directory {id}, this needs {}", who.key, has.word(), needed.word());
        return Err(OpError::new(codes::SROLE, text));
    }
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_25_a_device_lowers_what_its_key_may_and_strangers_may_what_anyone_may() {
        use Right::{Admin, None as Nothing, Read, Write};
        assert_eq!(decide(Some(Write), None, Nothing), Write);
        assert_eq!(decide(Some(Write), Some(Read), Admin), Read);
        assert_eq!(decide(Some(Read), Some(Admin), Nothing), Read);
        assert_eq!(decide(None, Some(Nothing), Write), Nothing, "a device that was shut out");
        assert_eq!(decide(None, None, Read), Read);
        for right in [Nothing, Read, Write, Admin] {
            assert_eq!(Right::of_word(right.word()), right);
        }
    }
}
