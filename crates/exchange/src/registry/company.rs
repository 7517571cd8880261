//! Registers a company.

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Registered, check_new};
use crate::names::{check_label, check_name};

/// Registers a company.
pub static CREATE_COMPANY: Op<NewCompany, Registered> = Op::new("exchange.company", create);

/// A company.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCompany {
    /// Its id: 1 to 40 of `A-Za-z0-9-`.
    pub id: String,
    /// For people.
    pub name: String,
}

pub(super) static INSERT: Sql = Sql::new(
    "exc_company.insert",
    "INSERT INTO exc_company (id, name, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING",
);

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &NewCompany) -> OpResult<Registered> {
    check_name("company", &input.id)?;
    check_label(&input.name)?;
    check_new(tx.execute(&INSERT, args![&input.id, &input.name, cx.wall])?, "company", &input.id)?;
    cx.fx.journal("exchange.company", &input.id, format!("company `{}`", input.name));
    Ok(Registered { id: input.id.clone() })
}
