//! Creates a directory (DIRECTORY_CREATE); whoever creates it is its admin.

use base::{OpError, OpResult, Sql, Tx, args, codes, limits::NAME_MAX};
use kernel::{Op, OpCx};

use super::numbers::uuid4;
use super::rights::Right;
use crate::care::member::PUT;
use crate::form::{Create, Created};

/// Creates a directory.
pub static CREATE: Op<Create, Created> = Op::new("folders.create", create);

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT];

static INSERT: Sql = Sql::new(
    "fld_directory.insert",
    "INSERT INTO fld_directory (id, name, seq, names, anyone, quota_bytes, bytes, kept_ms, gone, created_at, created_by) \
     VALUES (?1, ?2, 0, 'folded', 'none', NULL, 0, NULL, 0, ?3, ?4)",
);

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Create) -> OpResult<Created> {
    check_name(&input.name)?;
    let id = uuid4(cx.chance());
    tx.write(&INSERT, args![&id, &input.name, cx.wall, &input.who.key])?;
    tx.write(&PUT, args![&id, &input.who.key, Right::Admin.word()])?;
    cx.fx.journal("folders.created", &id, format!("directory `{}`, by {}", input.name, input.who.key));
    Ok(Created { directory: id })
}

/// Refuses a name that is too long; one for people may be empty.
pub(crate) fn check_name(name: &str) -> OpResult<()> {
    if name.len() > NAME_MAX || name.contains('\0') {
        return Err(OpError::new(codes::ALIMIT, format!("a name has at most {NAME_MAX} bytes, and no NUL")));
    }
    Ok(())
}
