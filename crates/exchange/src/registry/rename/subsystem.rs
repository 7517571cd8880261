//! Calls a subsystem of a company otherwise.

use base::{ContentionKey, Keys, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::super::subsystem::GET;
use super::{going, shown};

/// Calls a subsystem otherwise.
pub static RENAME_SUBSYSTEM: Op<RenameSubsystem, ()> = Op::new("exchange.rename_subsystem", rename)
    .keyed(|input| Keys::of(vec![ContentionKey::of("exchange.subsystem", &format!("{}/{}", input.company, input.id))]));

/// Which subsystem, and its name from now on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameSubsystem {
    /// Its id, which is unique within its company.
    pub id: String,
    /// Its company.
    pub company: String,
    /// For people.
    pub name: String,
}

pub(super) static SET: Sql =
    Sql::new("exc_subsystem.set_name", "UPDATE exc_subsystem SET name = ?3 WHERE company = ?1 AND id = ?2");

fn rename(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RenameSubsystem) -> OpResult<()> {
    let RenameSubsystem { id, company, name } = input;
    let row = tx.query_one(&GET, args![company, id])?;
    let before = row.as_ref().map(|row| row.text(0));
    if let Some(before) = going(before, name, || format!("subsystem `{}` of `{}`", shown(id), shown(company)))? {
        tx.write(&SET, args![company, id, name])?;
        cx.fx.journal("exchange.subsystem", id, format!("of `{company}`: called `{name}`, was `{before}`"));
    }
    Ok(())
}
