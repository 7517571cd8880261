//! Attaches bytes that are stored already to a document, and detaches them (DOC-12).

use base::{Keys, OpError, OpResult, Stamp, Tx};
use kernel::{Op, OpCx, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::attachments::Attachment;
use crate::class::{ATTACHMENT, load_in};
use crate::codes::NATTACHMENT;
use crate::commit::{check_open, key};
use crate::doc::{DocSet, find_item};
use crate::read::{absent, head};

/// Attaches stored bytes; what was there under the key is replaced.
pub(crate) static ATTACH: Op<Attach, Attached> = Op::new("doc.attach", attach).keyed(|input| keys(&input.at));
/// Detaches; tells whether something was attached.
pub(crate) static DETACH: Op<AttachmentPath, Option<Stamp>> = Op::new("doc.detach", detach).keyed(keys);
/// What is attached under a key.
pub(crate) static ATTACHED: Query<AttachmentPath, Attachment> = Query::new("doc.attachment", find);
/// Whether a document can be attached to.
pub(crate) static ATTACHABLE: Query<AttachmentPath, ()> = Query::new("doc.attachable", attachable);

/// Where an attachment is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AttachmentPath {
    pub(crate) class: String,
    pub(crate) id: String,
    pub(crate) key: String,
}

/// What is attached where.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Attach {
    pub(crate) at: AttachmentPath,
    pub(crate) mime: String,
    pub(crate) sha: String,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub(crate) struct Attached {
    /// SHA-256 of the bytes.
    sha: String,
    /// How many there are.
    size: i64,
    /// The document's version now.
    #[schema(value_type = Option<i64>)]
    version: Option<Stamp>,
}

fn keys(at: &AttachmentPath) -> Keys {
    Keys::of(vec![key(&at.class, &at.id)])
}

fn attach(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Attach) -> OpResult<Attached> {
    check_open(cx, &input.at.class)?;
    let attachment = Attachment { mime: input.mime.clone(), sha: input.sha.clone(), size: None };
    let size = kernel::blobs::size(tx, attachment.sha()?)?;
    let value = serde_json::json!({ "mime": attachment.mime, "sha": attachment.sha, "size": size });
    let mut docs = DocSet::new();
    docs.get(tx, cx, &input.at.class, &input.at.id)?.put_json(ATTACHMENT, &input.at.key, value)?;
    Ok(Attached { sha: attachment.sha, size, version: docs.save(tx, cx)? })
}

fn detach(tx: &mut dyn Tx, cx: &mut OpCx<'_>, at: &AttachmentPath) -> OpResult<Option<Stamp>> {
    check_open(cx, &at.class)?;
    let mut docs = DocSet::new();
    docs.get(tx, cx, &at.class, &at.id)?.delete_item(ATTACHMENT, &at.key)?;
    let version = docs.save(tx, cx)?;
    if version.is_none() {
        return Err(not_attached(at));
    }
    Ok(version)
}

fn find(tx: &mut dyn Tx, at: &AttachmentPath) -> OpResult<Attachment> {
    attachable(tx, at)?;
    let item = find_item(tx, &at.class, &at.id, &replica::ItemKey::new(ATTACHMENT, &at.key))?;
    let content = item.and_then(|item| item.content).ok_or_else(|| not_attached(at))?;
    Attachment::of(&content.text)
}

fn attachable(tx: &mut dyn Tx, at: &AttachmentPath) -> OpResult<()> {
    if head(tx, &at.class, &at.id)?.is_none() {
        load_in(tx, &at.class)?;
        return Err(absent(&at.class, &at.id));
    }
    Ok(())
}

fn not_attached(at: &AttachmentPath) -> OpError {
    OpError::new(NATTACHMENT, format!("document {}/{} has no attachment `{}`", at.class, at.id, at.key))
}
