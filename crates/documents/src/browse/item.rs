//! One item of a document, whole, and who changed it.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::Query;
use replica::ItemKey;

use super::{ItemView, ViewOf};
use crate::class::{ItemDecl, load_in};
use crate::codes::AITEM;
use crate::content::Stored;
use crate::read::{absent, head};

/// An item as people look at it.
pub(crate) static SHOW_ITEM: Query<ItemOf, ItemDetail> = Query::new("doc.show_item", show);

/// The columns of [`super::WHO`], of one item that was not deleted.
pub(crate) static ITEM: Sql = Sql::new(
    "doc_item.one_with_who",
    "SELECT item, key, version, ord, raw, content, who, op, OCTET_LENGTH(content) FROM doc_item \
     WHERE class = ?1 AND id = ?2 AND item = ?3 AND key = ?4 AND content IS NOT NULL",
);

/// Which item.
#[derive(Debug, Clone)]
pub(crate) struct ItemOf {
    /// The document, and who looks.
    pub(crate) document: ViewOf,
    /// The item.
    pub(crate) key: ItemKey,
}

/// An item, there or not.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemDetail {
    /// Version of the document.
    pub(crate) v: i64,
    /// What the class says of such items.
    pub(crate) decl: ItemDecl,
    /// The item, if there is one that this caller may see.
    pub(crate) item: Option<ItemView>,
}

fn show(tx: &mut dyn Tx, of: &ItemOf) -> OpResult<ItemDetail> {
    let ViewOf { class, id, viewer } = &of.document;
    let declared = load_in(tx, class)?;
    let decl = declared.decl.items.get(&of.key.c).cloned();
    let decl = decl.ok_or_else(|| OpError::new(AITEM, format!("class {class} has no items of class {}", of.key.c)))?;
    let head = head(tx, class, id)?.filter(|_| viewer.sees(id)).ok_or_else(|| absent(class, id))?;
    let row = tx.query_one(&ITEM, args![class, id, &of.key.c, &of.key.k])?;
    let item = row.map(|row| {
        let stored = Stored { raw: row.int(4) == 1, text: row.text(5).to_owned() };
        let seen = viewer.seen(id, &of.key, Some(stored.content()?));
        Ok::<_, OpError>(seen.map(|content| ItemView::of(of.key.clone(), &row, content)))
    });
    Ok(ItemDetail { v: head.version.number(), decl, item: item.transpose()?.flatten() })
}
