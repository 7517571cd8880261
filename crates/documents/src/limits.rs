//! Numbers that bound documents.

use base::limits::OP_ROWS_MAX;

/// Characters of an item's key (DOC-2) and of a document's id.
pub const KEY_MAX: usize = 255;
/// Characters of a class's or an item class's name.
pub const NAME_MAX: usize = 32;
/// Items and tombstones of one document: so many can be read and written in one operation.
pub const ITEMS_MAX: i64 = 4_000;
/// Bytes of one item's content.
pub const CONTENT_MAX: usize = 512 * 1024;
/// Bytes of an indexed text: it is part of a key of the store.
pub const INDEXED_TEXT_MAX: usize = 512;
/// Indexed values of one field of one item.
pub const INDEXED_VALUES_MAX: usize = 100;
/// Indexed values of one document: a full one may have every field in each item, and the keys of copies. Only lists can be more.
pub const INDEXED_OF_DOCUMENT_MAX: i64 = ITEMS_MAX * 17;
/// Classes of a namespace.
pub const CLASSES_MAX: usize = 256;
/// Item classes of a class.
pub const ITEM_CLASSES_MAX: usize = 64;
/// Indexed fields of an item class.
pub const INDEXED_FIELDS_MAX: usize = 16;
/// Documents that one synchronisation may name.
pub const SYNCS_MAX: usize = 1_000;
/// Bytes of one synchronisation's answer; what does not fit is told and asked for again.
pub const SYNC_BYTES_MAX: usize = 16 << 20;
/// How long tombstones are kept unless the class says otherwise (DOC-4).
pub const KEEP_DAYS: u32 = 8;
/// Longest time that a class may keep tombstones.
pub const KEEP_DAYS_MAX: u32 = 3_650;

// A document is deleted in one operation: its values and keys of copies, and of each item what is read of it, its row, and what it refers to.
const _: () = assert!(INDEXED_OF_DOCUMENT_MAX + 7 * ITEMS_MAX <= OP_ROWS_MAX as i64);
const _: () = assert!(INDEXED_OF_DOCUMENT_MAX >= ITEMS_MAX * (INDEXED_FIELDS_MAX as i64 + 1));
