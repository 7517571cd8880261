//! Items as their rows hold them.

use base::{OpResult, Row, Sql, Tx, args};
use replica::ItemKey;

use crate::content::Stored;
use crate::limits::ITEMS_MAX;

pub(crate) static GET_ITEM: Sql = Sql::new(
    "doc_item.get",
    "SELECT item, key, version, ord, raw, content FROM doc_item WHERE class = ?1 AND id = ?2 AND item = ?3 AND key = ?4",
);
pub(crate) static GET_WITH_AUTHOR: Sql = Sql::new(
    "doc_item.get_with_author",
    "SELECT item, key, version, ord, raw, content, who FROM doc_item \
     WHERE class = ?1 AND id = ?2 AND item = ?3 AND key = ?4",
);
pub(crate) static WHOLE: Sql = Sql::new(
    "doc_item.whole",
    "SELECT item, key, version, ord, raw, content FROM doc_item WHERE class = ?1 AND id = ?2 ORDER BY item, key",
);
pub(crate) static ITEMS_OF: Sql = Sql::new(
    "doc_item.of_class",
    "SELECT item, key, version, ord, raw, content FROM doc_item WHERE class = ?1 AND id = ?2 AND item = ?3 \
     AND content IS NOT NULL ORDER BY key",
);
pub(crate) static KEYS_OF: Sql = Sql::new(
    "doc_item.keys",
    "SELECT key FROM doc_item WHERE class = ?1 AND id = ?2 AND item = ?3 AND content IS NOT NULL ORDER BY key",
);
pub(crate) static PUT_ITEM: Sql = Sql::new(
    "doc_item.put",
    "INSERT INTO doc_item (class, id, item, key, version, ord, raw, content, who, op) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (class, id, item, key) DO UPDATE SET \
     version = ?5, ord = ?6, raw = ?7, content = ?8, who = ?9, op = ?10",
);
pub(crate) static ERASE: Sql = Sql::new("doc_item.erase", "DELETE FROM doc_item WHERE class = ?1 AND id = ?2");
pub(crate) static PURGE: Sql = Sql::new(
    "doc_item.purge",
    "DELETE FROM doc_item WHERE class = ?1 AND id = ?2 AND content IS NULL AND version < ?3",
);

/// An item's row; without content it is a tombstone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredItem {
    /// Stamp of the operation that updated the document with it.
    pub(crate) version: i64,
    /// Stamp of the operation that updated the item, also by deleting it.
    pub(crate) ord: i64,
    /// What it holds.
    pub(crate) content: Option<Stored>,
}

/// An item from the columns of [`WHOLE`].
pub(crate) fn item_of(row: &Row) -> (ItemKey, StoredItem) {
    let raw = row.int(4) == 1;
    let content = row.opt_text(5).map(|text| Stored { raw, text: text.to_owned() });
    (ItemKey::new(row.text(0), row.text(1)), StoredItem { version: row.int(2), ord: row.int(3), content })
}

/// One item of a document.
pub(crate) fn find_item(tx: &mut dyn Tx, class: &str, id: &str, key: &ItemKey) -> OpResult<Option<StoredItem>> {
    let row = tx.query_one(&GET_ITEM, args![class, id, &key.c, &key.k])?;
    Ok(row.map(|row| item_of(&row).1))
}

/// One item of a document, and who changed it.
pub(crate) fn find_with_author(
    tx: &mut dyn Tx,
    class: &str,
    id: &str,
    key: &ItemKey,
) -> OpResult<Option<(StoredItem, String)>> {
    let row = tx.query_one(&GET_WITH_AUTHOR, args![class, id, &key.c, &key.k])?;
    Ok(row.map(|row| (item_of(&row).1, row.text(6).to_owned())))
}

/// All items and tombstones of a document.
pub(crate) fn whole(tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<Vec<(ItemKey, StoredItem)>> {
    // Twice, so that a limit that is lowered one day does not make documents unreadable.
    let most = usize::try_from(2 * ITEMS_MAX).unwrap_or(usize::MAX);
    Ok(tx.query(&WHOLE, args![class, id], most)?.iter().map(item_of).collect())
}
