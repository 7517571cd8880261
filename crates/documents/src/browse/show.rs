//! One document with all that is in it, and who changed what.

use base::{OpResult, Row, Sql, Tx, args};
use kernel::Query;
use replica::{Content, ItemKey};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::view::moment;
use super::{ViewOf, Viewer};
use crate::attachments::Attachment;
use crate::class::{ATTACHMENT, load_in};
use crate::content::Stored;
use crate::doc::StoredHead;
use crate::filter::seen_content;
use crate::limits::{CONTENT_MAX, ITEMS_MAX};
use crate::read::{absent, head};

/// A document as people look at it.
pub static SHOW: Query<ViewOf, DocDetail> = Query::new("doc.show", show);

/// Bytes of a document up to which all contents are shown.
const WHOLE_MAX: i64 = 8 << 20;
/// Bytes up to which contents of a larger document are shown: so that the answer is bounded, as the number of items is.
const PART_MAX: usize = 2 << 10;

/// The last columns: who and by what, and how many bytes; the content only up to so many bytes.
pub(crate) static WHO: Sql = Sql::new(
    "doc_item.with_who",
    "SELECT item, key, version, ord, raw, CASE WHEN OCTET_LENGTH(content) <= ?3 THEN content ELSE NULL END, who, op, \
     COALESCE(OCTET_LENGTH(content), -1) FROM doc_item WHERE class = ?1 AND id = ?2 ORDER BY item, key",
);

/// A document with its items, and who changed them.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = DocumentDetail)]
pub struct DocDetail {
    /// Class.
    pub c: String,
    /// Id.
    pub id: String,
    /// Version.
    pub v: i64,
    /// Version in which this life of it began.
    pub ct: i64,
    /// When it was changed last.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub changed_at: String,
    /// When this life of it began.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub created_at: String,
    /// The operation that changed it last.
    #[schema(example = "doc.commit")]
    pub op: String,
    /// Whose operation: a key's id, or a part of the server.
    pub who: String,
    /// Bytes of its items.
    pub bytes: i64,
    /// Bytes of its attachments.
    pub attachments_bytes: i64,
    /// Whether the last changes of it are written down.
    pub history: bool,
    /// Its items.
    pub items: Vec<ItemView>,
    /// What is attached to it.
    pub attachments: Vec<AttachmentView>,
    /// Traces of items that were deleted.
    pub tombstones: Vec<TombstoneView>,
}

/// An item, and who changed it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = DocumentItem)]
pub struct ItemView {
    /// Class.
    pub c: String,
    /// Key; none for a singleton.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub k: String,
    /// Version of the document that it came with.
    pub v: i64,
    /// Version of the operation that made its content: an earlier one for copies.
    pub vop: i64,
    /// When it was changed.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub changed_at: String,
    /// Who changed it; of a copy, who changed its source. Empty if that was not written down then.
    pub who: String,
    /// By which operation.
    pub op: String,
    /// Bytes of its content.
    pub bytes: i64,
    /// Its JSON. A long one of a large document is left out: get it by `doc.get`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub j: Option<Value>,
    /// Its opaque text; likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub s: Option<String>,
}

/// What is attached, and who did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DocumentAttachment)]
pub struct AttachmentView {
    /// Key.
    pub key: String,
    /// Media type.
    pub mime: String,
    /// How many bytes.
    pub size: i64,
    /// SHA-256 of the bytes.
    pub sha: String,
    /// Version of the document that it came with.
    pub v: i64,
    /// When it was attached.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub changed_at: String,
    /// Who attached it.
    pub who: String,
    /// By which operation.
    pub op: String,
}

/// An item that was deleted, and who did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DocumentTombstone)]
pub struct TombstoneView {
    /// Class.
    pub c: String,
    /// Key; none for a singleton.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub k: String,
    /// Version of the document in which it went.
    pub v: i64,
    /// When it went.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub changed_at: String,
    /// Who deleted it.
    pub who: String,
    /// By which operation.
    pub op: String,
}

fn show(tx: &mut dyn Tx, of: &ViewOf) -> OpResult<DocDetail> {
    let class = load_in(tx, &of.class)?;
    let found = head(tx, &of.class, &of.id)?.filter(|_| of.viewer.sees(&of.id));
    let head = found.ok_or_else(|| absent(&of.class, &of.id))?;
    let shown_max = if head.v1 <= WHOLE_MAX { CONTENT_MAX } else { PART_MAX };
    let mut detail = DocDetail::empty(of, &head, class.decl.history);
    let (most, shown_max) =
        (usize::try_from(2 * ITEMS_MAX).unwrap_or(usize::MAX), i64::try_from(shown_max).unwrap_or(0));
    for row in &tx.query(&WHO, args![&of.class, &of.id, shown_max], most)? {
        detail.add(&of.viewer, row)?;
    }
    Ok(detail)
}

impl DocDetail {
    fn empty(of: &ViewOf, head: &StoredHead, history: bool) -> Self {
        let v = head.version.number();
        Self {
            c: of.class.clone(),
            id: of.id.clone(),
            v,
            ct: head.ctime,
            changed_at: moment(v),
            created_at: moment(head.ctime),
            op: head.op.clone(),
            who: head.who.clone(),
            bytes: head.v1,
            attachments_bytes: head.v2,
            history,
            items: vec![],
            attachments: vec![],
            tombstones: vec![],
        }
    }

    fn add(&mut self, viewer: &Viewer, row: &Row) -> OpResult<()> {
        let (key, v, bytes) = (ItemKey::new(row.text(0), row.text(1)), row.int(2), row.int(8));
        let (changed_at, who, op) = (moment(v), row.text(6).to_owned(), row.text(7).to_owned());
        if bytes < 0 {
            if !viewer.sees_key(&self.id, &key) {
                return Ok(());
            }
            let ItemKey { c, k } = key;
            self.tombstones.push(TombstoneView { c, k, v, changed_at, who, op });
            return Ok(());
        }
        let stored = row.opt_text(5).map(|text| Stored { raw: row.int(4) == 1, text: text.to_owned() });
        let content = stored.map(Stored::content).transpose()?;
        let Some(content) = viewer.seen(&self.id, &key, content) else { return Ok(()) };
        if key.c == ATTACHMENT {
            let text = content.as_ref().map(as_text).unwrap_or_default();
            let Attachment { mime, sha, size } = Attachment::of(&text)?;
            let size = size.unwrap_or(0);
            self.attachments.push(AttachmentView { key: key.k, mime, size, sha, v, changed_at, who, op });
            return Ok(());
        }
        self.items.push(ItemView::of(key, row, content));
        Ok(())
    }
}

impl ItemView {
    /// From the columns of [`WHO`], with the content as the caller may see it.
    pub(super) fn of(key: ItemKey, row: &Row, content: Option<Content>) -> Self {
        let (j, s) = match content {
            Some(Content::Json(value)) => (Some(value), None),
            Some(Content::Raw(text)) => (None, Some(text)),
            None => (None, None),
        };
        let (v, who, op) = (row.int(2), row.text(6).to_owned(), row.text(7).to_owned());
        Self { c: key.c, k: key.k, v, vop: row.int(3), changed_at: moment(v), who, op, bytes: row.int(8), j, s }
    }
}

fn as_text(content: &Content) -> String {
    match content {
        Content::Json(value) => value.to_string(),
        Content::Raw(text) => text.clone(),
    }
}

impl Viewer {
    fn sees_key(&self, id: &str, key: &ItemKey) -> bool {
        self.filter.is_none_or(|filter| (filter.0.item)(&self.asking(id), key))
    }

    /// The content as the caller may see it, `Some(None)` if it is too long to be shown; `None` if it may not see it. What cannot be
    /// judged because it was not read is hidden where there is a filter.
    pub(super) fn seen(&self, id: &str, key: &ItemKey, content: Option<Content>) -> Option<Option<Content>> {
        match (self.filter, content) {
            (None, content) => Some(content),
            (Some(_), None) => None,
            (Some(filter), Some(content)) => seen_content(&filter.0, &self.asking(id), key, &content).map(Some),
        }
    }
}
