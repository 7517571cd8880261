//! Registers a subsystem of a company.

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Registered, check_company, check_new};
use crate::names::{check_label, check_name};

/// Registers a subsystem.
pub static CREATE_SUBSYSTEM: Op<NewSubsystem, Registered> = Op::new("exchange.subsystem", create);

/// A subsystem.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSubsystem {
    /// Its id: 1 to 40 of `A-Za-z0-9-`.
    pub id: String,
    /// Of which company.
    pub company: String,
    /// For people.
    pub name: String,
}

pub(super) static INSERT: Sql = Sql::new(
    "exc_subsystem.insert",
    "INSERT INTO exc_subsystem (company, id, name, created_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (company, id) DO NOTHING",
);
pub(super) static GET: Sql =
    Sql::new("exc_subsystem.get", "SELECT name FROM exc_subsystem WHERE company = ?1 AND id = ?2");

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &NewSubsystem) -> OpResult<Registered> {
    check_name("subsystem", &input.id)?;
    check_label(&input.name)?;
    check_company(tx, &input.company)?;
    let row = args![&input.company, &input.id, &input.name, cx.wall];
    check_new(tx.execute(&INSERT, row)?, "subsystem", &input.id)?;
    cx.fx.journal("exchange.subsystem", &input.id, format!("subsystem `{}` of `{}`", input.name, input.company));
    Ok(Registered { id: input.id.clone() })
}
