//! Members of a directory: keys and devices with their roles (FLD-25).

use base::{OpError, OpResult, Sql, Tx, args, codes, limits::NAME_MAX};
use kernel::{Op, OpCx, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::desk::rights::{Right, enter};
use crate::form::Who;

use super::list::OfDirectory;

/// Gives a key or a device a role.
pub static PUT_MEMBER: Op<Member, ()> =
    Op::new("folders.put_member", put).keyed(|input| crate::key_of(&input.directory));
/// Takes a key or a device its role.
pub static DROP_MEMBER: Op<OfMember, ()> =
    Op::new("folders.drop_member", drop_member).keyed(|input| crate::key_of(&input.directory));
/// The members of a directory.
pub static MEMBERS: Query<OfDirectory, Vec<MemberView>> = Query::new("folders.members", members);

/// Members of a directory.
const MEMBERS_MAX: usize = 1_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&PUT, &DROP, &LIST, &COUNT];

pub(crate) static PUT: Sql = Sql::new(
    "fld_member.put",
    "INSERT INTO fld_member (directory, who, role) VALUES (?1, ?2, ?3) ON CONFLICT (directory, who) DO UPDATE SET role = excluded.role",
);
static DROP: Sql = Sql::new("fld_member.drop", "DELETE FROM fld_member WHERE directory = ?1 AND who = ?2");
static LIST: Sql =
    Sql::new("fld_member.list", "SELECT who, role FROM fld_member WHERE directory = ?1 ORDER BY who LIMIT 1000");
static COUNT: Sql = Sql::new("fld_member.count", "SELECT COUNT(*) FROM fld_member WHERE directory = ?1");

/// A role to be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// By whom.
    pub by: Who,
    /// In which directory.
    pub directory: String,
    /// The id of a key, or the name of a device.
    pub who: String,
    /// What it may do.
    pub role: Right,
}

/// A role to be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfMember {
    /// By whom.
    pub by: Who,
    /// In which directory.
    pub directory: String,
    /// The id of a key, or the name of a device.
    pub who: String,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderMember)]
pub struct MemberView {
    /// The id of a key, or the name of a device.
    pub who: String,
    /// What it may do.
    pub role: Right,
}

fn put(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Member) -> OpResult<()> {
    enter(tx, &input.directory, &input.by, Right::Admin)?;
    if input.who.is_empty() || input.who.len() > NAME_MAX {
        return Err(OpError::new(codes::ALIMIT, format!("a member has a name of 1 to {NAME_MAX} bytes")));
    }
    let many = tx.query_one(&COUNT, args![&input.directory])?.map_or(0, |row| row.int(0));
    if usize::try_from(many).is_ok_and(|many| many >= MEMBERS_MAX) {
        return Err(OpError::new(codes::ALIMIT, format!("a directory has at most {MEMBERS_MAX} members")));
    }
    tx.write(&PUT, args![&input.directory, &input.who, input.role.word()])?;
    let text = format!("{} may {}, says {}", input.who, input.role.word(), input.by.key);
    cx.fx.journal("folders.member", &input.directory, text);
    Ok(())
}

fn drop_member(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &OfMember) -> OpResult<()> {
    enter(tx, &input.directory, &input.by, Right::Admin)?;
    tx.write(&DROP, args![&input.directory, &input.who])?;
    let text = format!("{} is no member any more, says {}", input.who, input.by.key);
    cx.fx.journal("folders.member", &input.directory, text);
    Ok(())
}

fn members(tx: &mut dyn Tx, of: &OfDirectory) -> OpResult<Vec<MemberView>> {
    enter(tx, &of.directory, &of.who, Right::Read)?;
    let rows = tx.query(&LIST, args![&of.directory], MEMBERS_MAX)?;
    Ok(rows.iter().map(|row| MemberView { who: row.text(0).to_owned(), role: Right::of_word(row.text(1)) }).collect())
}
