//! Changes what people call an access key.

use base::{ContentionKey, Keys, OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::create_key::check_label;
use crate::cx::OpCx;
use crate::op::Op;

/// Changes the label of a key, also of a revoked one: a label may have to be forgotten.
pub static CHANGE_KEY: Op<ChangeKey, Changed> =
    Op::new("key.change", change_key).keyed(|input| Keys::of(vec![ContentionKey::of("key", &input.id)]));

/// Which key, and what it is called from now on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeKey {
    /// Its id.
    pub id: String,
    /// For people; empty for none.
    pub label: String,
}

/// It is called so.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Changed {}

pub(crate) static LABEL: Sql = Sql::new("access_key.label", "SELECT label FROM access_key WHERE id = ?1");
pub(crate) static SET_LABEL: Sql = Sql::new("access_key.set_label", "UPDATE access_key SET label = ?2 WHERE id = ?1");

fn change_key(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ChangeKey) -> OpResult<Changed> {
    check_label(&input.label)?;
    let row = tx.query_one(&LABEL, args![&input.id])?;
    let row = row.ok_or_else(|| OpError::new(codes::NKEY, format!("no key `{}`", input.id)))?;
    let before = row.text(0);
    if before != input.label {
        tx.write(&SET_LABEL, args![&input.id, &input.label])?;
        // What a key may do is judged by its label: who called it what is kept, for as long as the journal is.
        cx.fx.journal("key.changed", &input.id, format!("label `{}`, was `{before}`", input.label));
    }
    Ok(Changed {})
}
