//! Keeps a reply of a database until its commit is confirmed (EXC-13).

use base::{OpError, OpResult, Tx, args};
use kernel::OpCx;

use super::form::Form;
use super::put::NewMessage;
use super::send::{FIND, check_device};
use crate::codes::{AEXCHANGE, ATAKEN};
use crate::rules::Rules;

/// A reply, and to which process it belongs.
pub(crate) struct Draft<'a> {
    pub(crate) process: &'a str,
    pub(crate) db: &'a str,
    pub(crate) text: &'a str,
}

/// Keeps a reply; says its number and id.
pub(crate) fn put_draft(tx: &mut dyn Tx, cx: &OpCx<'_>, draft: &Draft<'_>) -> OpResult<(i64, String)> {
    let form = Form::read(draft.text, cx.home.common::<Rules>().get().message_bytes)?;
    if form.from != draft.db {
        let message = format!("reply `{}` is from `{}`, not from the database", form.id, form.from);
        return Err(OpError::new(AEXCHANGE, message));
    }
    check_device(tx, &form.to, &form)?;
    if tx.query_one(&FIND, args![&form.from, &form.id])?.is_some() {
        return Err(OpError::new(ATAKEN, format!("`{}` sent a message `{}` before", form.from, form.id)));
    }
    let new = NewMessage { form: &form, text: draft.text, db: draft.db, draft_of: Some(draft.process) };
    Ok((new.put(tx, cx)?, form.id))
}
