//! Read-only grants (KER-1): one namespace may read documents of one class of another. Given and taken by administrators,
//! asked in memory ([`super::granted`]), and every read is told in the owner's journal.

use base::limits::NAME_MAX;
use base::{OpError, OpResult, Sql, Tx, Wall, args, codes};
use serde::{Deserialize, Serialize};

use super::create_namespace::{Changed, keys};
use super::row;
use crate::cx::OpCx;
use crate::op::{Op, Query};

/// Most grants of all namespaces together: they are kept in memory.
pub const GRANTS_MAX: u32 = 1_000;

/// Gives a grant; one that was given stays.
pub static GIVE_GRANT: Op<Grant, Changed> = Op::new("grant.give", give_grant).keyed(|_| keys());
/// Takes a grant back; one that is not there is no error.
pub static TAKE_GRANT: Op<Grant, Changed> = Op::new("grant.take", take_grant).keyed(|_| keys()).ending();
/// The grants of an owner, by reader and class.
pub static LIST_GRANTS: Query<String, Vec<GivenGrant>> = Query::new("grant.list", list_grants);
/// Tells the owner's journal that somebody read through a grant.
pub static RECORD_GRANTED_READ: Op<GrantedRead, Changed> = Op::new("grant.read", record_granted_read);

/// Who may read what of whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Whose documents.
    pub owner: String,
    /// Who may read them.
    pub reader: String,
    /// Documents of which class.
    pub class: String,
}

/// A grant as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenGrant {
    /// Who may read.
    pub reader: String,
    /// Documents of which class.
    pub class: String,
    /// Since when.
    pub granted_at: Wall,
}

/// A read through a grant.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantedRead {
    /// The namespace that read.
    pub reader: String,
    /// Documents of which class.
    pub class: String,
    /// Which document.
    pub document: String,
}

pub(super) static INSERT: Sql = Sql::new(
    "namespace_grant.insert",
    "INSERT INTO namespace_grant (owner, reader, class, granted_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
);
pub(super) static DELETE: Sql =
    Sql::new("namespace_grant.delete", "DELETE FROM namespace_grant WHERE owner = ?1 AND reader = ?2 AND class = ?3");
pub(super) static COUNT: Sql = Sql::new("namespace_grant.count", "SELECT COUNT(*) FROM namespace_grant");
pub(super) static OF_OWNER: Sql = Sql::new(
    "namespace_grant.of_owner",
    "SELECT reader, class, granted_at FROM namespace_grant WHERE owner = ?1 ORDER BY reader, class LIMIT ?2",
);
pub(super) static GRANTS: Sql = Sql::new(
    "namespace_grant.all",
    "SELECT owner, reader, class FROM namespace_grant ORDER BY owner, reader, class LIMIT ?1",
);

fn give_grant(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Grant) -> OpResult<Changed> {
    check(input)?;
    row::get(tx, &input.owner)?;
    row::get(tx, &input.reader)?;
    if tx.execute(&INSERT, args![&input.owner, &input.reader, &input.class, cx.wall])? == 0 {
        return Ok(Changed {});
    }
    if tx.query_one(&COUNT, args![])?.map_or(0, |row| row.int(0)) > i64::from(GRANTS_MAX) {
        return Err(OpError::new(codes::ALIMIT, format!("there are {GRANTS_MAX} grants, the most that there may be")));
    }
    cx.fx.journal("grant.given", &input.owner, format!("{} may read class {}", input.reader, input.class));
    Ok(Changed {})
}

fn take_grant(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Grant) -> OpResult<Changed> {
    if tx.execute(&DELETE, args![&input.owner, &input.reader, &input.class])? > 0 {
        cx.fx.journal("grant.taken", &input.owner, format!("{} may not read class {}", input.reader, input.class));
    }
    Ok(Changed {})
}

fn list_grants(tx: &mut dyn Tx, owner: &String) -> OpResult<Vec<GivenGrant>> {
    row::get(tx, owner)?;
    let rows = tx.query(&OF_OWNER, args![owner, GRANTS_MAX], GRANTS_MAX as usize)?;
    let given = |row: &base::Row| GivenGrant {
        reader: row.text(0).to_owned(),
        class: row.text(1).to_owned(),
        granted_at: Wall(row.int(2)),
    };
    Ok(rows.iter().map(given).collect())
}

fn record_granted_read(_: &mut dyn Tx, cx: &mut OpCx<'_>, input: &GrantedRead) -> OpResult<Changed> {
    cx.fx.journal("grant.read", &input.document, format!("namespace {} read class {}", input.reader, input.class));
    Ok(Changed {})
}

fn check(grant: &Grant) -> OpResult<()> {
    if grant.owner == grant.reader {
        return Err(OpError::new(codes::ANAMESPACE, format!("`{}` needs no grant for itself", grant.owner)));
    }
    let class = &grant.class;
    if class.is_empty() || class.len() > NAME_MAX || class.chars().any(char::is_control) {
        return Err(OpError::new(codes::ALIMIT, format!("a class has 1 to {NAME_MAX} bytes, no control characters")));
    }
    Ok(())
}
