//! Calls a company otherwise.

use base::{ContentionKey, Keys, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::super::COMPANY;
use super::{going, shown};

/// Calls a company otherwise.
pub static RENAME_COMPANY: Op<RenameCompany, ()> = Op::new("exchange.rename_company", rename)
    .keyed(|input| Keys::of(vec![ContentionKey::of("exchange.company", &input.id)]));

/// Which company, and its name from now on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameCompany {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
}

pub(super) static SET: Sql = Sql::new("exc_company.set_name", "UPDATE exc_company SET name = ?2 WHERE id = ?1");

fn rename(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RenameCompany) -> OpResult<()> {
    let row = tx.query_one(&COMPANY, args![&input.id])?;
    let before = row.as_ref().map(|row| row.text(0));
    if let Some(before) = going(before, &input.name, || format!("company `{}`", shown(&input.id)))? {
        tx.write(&SET, args![&input.id, &input.name])?;
        cx.fx.journal("exchange.company", &input.id, format!("called `{}`, was `{before}`", input.name));
    }
    Ok(())
}
