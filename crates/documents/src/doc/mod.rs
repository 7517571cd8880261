//! Documents within an operation (DOC-1, DOC-2, DOC-5): got, changed in memory, saved together at the end under one stamp.
//!
//! An operation takes a [`DocSet`], asks it for documents (each is locked and will be the newest; asked twice, it is the same
//! one), changes them, and saves the set as its last act. Nothing is written before; so an operation that fails half-way
//! leaves nothing, and one that changes nothing gives no new version.

mod document;
mod head;
mod item;
mod save;
mod set;
mod told;
mod typed;

pub use document::Doc;
pub(crate) use document::Origin;
pub(crate) use head::{GET_HEAD, PUT_HEAD, StoredHead, head_of};
pub(crate) use item::{
    ERASE, GET_ITEM, GET_WITH_AUTHOR, ITEMS_OF, KEYS_OF, PURGE, PUT_ITEM, StoredItem, WHOLE, find_item,
    find_with_author, item_of, whole,
};
pub use set::{DocSet, Expect};

use base::{OpError, OpResult};

use crate::codes::AITEM;
use crate::limits::KEY_MAX;

/// Whether a text can be the id of a document or the key of an item: 1 to 255 characters, none of them a control character.
///
/// # Errors
/// `AITEM` with what is wrong.
pub(crate) fn check_key(what: &str, key: &str) -> OpResult<()> {
    let count = key.chars().count();
    if count == 0 || count > KEY_MAX {
        return Err(OpError::new(AITEM, format!("{what} has {count} characters, not 1 to {KEY_MAX}")));
    }
    if key.chars().any(char::is_control) {
        return Err(OpError::new(AITEM, format!("{what} {key:?} has a control character in it")));
    }
    Ok(())
}
