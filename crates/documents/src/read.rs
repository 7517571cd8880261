//! Reads a document whole: for `doc.get`, for the cache, for export.

use base::{OpError, OpResult, Tx, args};
use replica::{CopiedItem, DocCopy, Head};
use serde::Serialize;
use utoipa::ToSchema;

use crate::codes::NDOC;
use crate::doc::{GET_HEAD, StoredHead, StoredItem, head_of, whole};

/// A document as it is stored: its copy, and what only the reference knows.
#[derive(Debug, Clone, PartialEq)]
pub struct FullDoc {
    /// Items and tombstones with their versions.
    pub copy: DocCopy,
    /// Bytes of its items.
    pub v1: i64,
    /// Bytes of its attachments.
    pub v2: i64,
    /// The operation that changed it last.
    pub op: String,
    /// Whose operation.
    pub who: String,
}

/// A document as `doc.get` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Document)]
pub struct DocView {
    /// Class.
    pub c: String,
    /// Id.
    pub id: String,
    /// Version.
    pub v: i64,
    /// Stamp of its creation.
    pub ct: i64,
    /// Tombstones newer than this are all there.
    pub dt: i64,
    /// Bytes of its items.
    pub v1: i64,
    /// Bytes of its attachments.
    pub v2: i64,
    /// Its items.
    #[schema(value_type = Vec<Object>)]
    pub items: Vec<replica::Item>,
    /// Its tombstones.
    #[schema(value_type = Vec<Object>)]
    pub dels: Vec<replica::Gone>,
}

/// The head of a document; `None` if it is not there or deleted.
pub(crate) fn head(tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<Option<StoredHead>> {
    Ok(any_head(tx, class, id)?.filter(StoredHead::exists))
}

/// The head of a document, also of one that was deleted and is remembered.
pub(crate) fn any_head(tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<Option<StoredHead>> {
    Ok(tx.query_one(&GET_HEAD, args![class, id])?.map(|row| head_of(&row, 0)))
}

/// There is no such document.
pub(crate) fn absent(class: &str, id: &str) -> OpError {
    OpError::new(NDOC, format!("no document {class}/{id}"))
}

/// The whole document; `None` if it is not there.
///
/// # Errors
/// The store failed.
pub fn full(tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<Option<FullDoc>> {
    let Some(head) = head(tx, class, id)? else { return Ok(None) };
    let mut copy = DocCopy { c: class.to_owned(), id: id.to_owned(), head: head.on_wire(), items: [].into() };
    for (key, item) in whole(tx, class, id)? {
        copy.items.insert(key, item.copied()?);
    }
    let StoredHead { v1, v2, op, who, .. } = head;
    Ok(Some(FullDoc { copy, v1, v2, op, who }))
}

impl StoredHead {
    /// As copies know it.
    pub(crate) fn on_wire(&self) -> Head {
        Head { v: self.version.number(), ct: self.ctime, dt: self.dtime }
    }
}

impl StoredItem {
    /// As copies hold it.
    pub(crate) fn copied(self) -> OpResult<CopiedItem> {
        let content = self.content.map(crate::content::Stored::content).transpose()?;
        let vop = if content.is_some() { self.ord } else { 0 };
        Ok(CopiedItem { v: self.version, vop, content })
    }
}
