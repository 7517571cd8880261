//! Keeps a reply of a database until its commit is confirmed (EXC-13).

use base::{OpError, OpResult, Tx};
use kernel::OpCx;

use super::letter::Letter;
use super::put::NewMessage;
use super::send::check_device;
use crate::codes::{AEXCHANGE, ATAKEN};

/// A reply, and to which process it belongs.
pub(crate) struct Draft<'a> {
    pub(crate) process: &'a str,
    pub(crate) db: &'a str,
    pub(crate) letter: &'a Letter,
}

/// Keeps a reply; says its number.
pub(crate) fn put_draft(tx: &mut dyn Tx, cx: &OpCx<'_>, draft: &Draft<'_>) -> OpResult<i64> {
    let form = draft.letter.form();
    if form.from != draft.db {
        let message = format!("reply `{}` is from `{}`, not from the database", form.id, form.from);
        return Err(OpError::new(AEXCHANGE, message));
    }
    check_device(tx, &form.to, form)?;
    let taken = || OpError::new(ATAKEN, format!("`{}` sent a message `{}` before", form.from, form.id));
    let new = NewMessage { letter: draft.letter, db: draft.db, draft_of: Some(draft.process) };
    new.put(tx, cx)?.ok_or_else(taken)
}
