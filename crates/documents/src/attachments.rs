//! Attachments (DOC-12): items of class `P` that name bytes by their SHA-256. The bytes are a blob, stored once per namespace and kept
//! while an item names it, and some time longer.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Sha, Tx, args, codes};
use kernel::OpCx;
use kernel::blobs::{self, Owner};
use serde::{Deserialize, Serialize};

use crate::class::ATTACHMENT;
use crate::codes::AITEM;
use crate::content::Stored;
use crate::doc::{ITEMS_OF, item_of};
use crate::limits::ITEMS_MAX;

/// What an attachment's item holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Media type; ends in `.g` if the bytes are gzipped, `.c` if encrypted, `.gc` if both.
    pub mime: String,
    /// SHA-256 of the bytes.
    pub sha: String,
    /// How many bytes; filled in from what is stored.
    #[serde(default)]
    pub size: Option<i64>,
}

/// Who refers to bytes.
pub(crate) const OWNER_KIND: &str = "document.item";
/// Longest media type.
const MIME_MAX: usize = 255;

impl Attachment {
    /// What an item holds.
    ///
    /// # Errors
    /// `AITEM`: it is no attachment.
    pub fn of(text: &str) -> OpResult<Self> {
        let wrong = |error| OpError::new(AITEM, format!("an attachment is {{mime, sha, size?}}: {error}"));
        let attachment: Self = serde_json::from_str(text).map_err(wrong)?;
        let mime = &attachment.mime;
        let fits = !mime.is_empty() && mime.len() <= MIME_MAX && mime.chars().all(|c| c.is_ascii_graphic() || c == ' ');
        if fits { Ok(attachment) } else { Err(OpError::new(AITEM, format!("{mime:?} is not a media type"))) }
    }

    /// Its hash.
    ///
    /// # Errors
    /// `AITEM`: it is none.
    pub fn sha(&self) -> OpResult<Sha> {
        self.sha.parse().map_err(|invalid| OpError::new(AITEM, format!("attachment: {invalid}")))
    }
}

/// The item with the size that its bytes have.
///
/// # Errors
/// `AITEM`, `ASHA` if the size is another, `NBLOB` if the bytes are not stored.
pub(crate) fn completed(tx: &mut dyn Tx, content: &Stored) -> OpResult<Stored> {
    let attachment = Attachment::of(&content.text)?;
    let size = blobs::size(tx, attachment.sha()?)?;
    if let Some(said) = attachment.size.filter(|said| *said != size) {
        let text = format!("the attachment {} has {size} bytes, not {said}", attachment.sha);
        return Err(OpError::new(codes::ASHA, text));
    }
    let whole = Attachment { size: Some(size), ..attachment };
    let value = serde_json::to_value(whole).map_err(|error| OpError::new(codes::BDETECTED, error.to_string()))?;
    Stored::json(&value)
}

/// Moves references from what an item named to what it names; tells by how much the bytes grew.
pub(crate) fn change(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    (class, id, key): (&str, &str, &str),
    before: Option<&Stored>,
    after: Option<&Stored>,
) -> OpResult<i64> {
    let owner_id = owner_id(class, id, key);
    let owner = Owner { kind: OWNER_KIND, id: &owner_id };
    let before = before.map(|content| Attachment::of(&content.text)).transpose()?;
    let after = after.map(|content| Attachment::of(&content.text)).transpose()?;
    if let Some(new) = after.as_ref().filter(|_| !mutants::on(Mutant::AttachmentNotCounted)) {
        blobs::refer(tx, cx, new.sha()?, &owner)?;
    }
    if let Some(old) = before.iter().find(|old| after.as_ref().is_none_or(|new| new.sha != old.sha)) {
        blobs::unrefer(tx, cx, old.sha()?, &owner)?;
    }
    let size = |attachment: Option<&Attachment>| attachment.and_then(|attachment| attachment.size).unwrap_or(0);
    Ok(size(after.as_ref()) - size(before.as_ref()))
}

/// A document's life ends: it names nothing any more.
pub(crate) fn end_all(tx: &mut dyn Tx, cx: &mut OpCx<'_>, class: &str, id: &str) -> OpResult<()> {
    let most = usize::try_from(2 * ITEMS_MAX).unwrap_or(usize::MAX);
    for row in &tx.query(&ITEMS_OF, args![class, id, ATTACHMENT], most)? {
        let (key, item) = item_of(row);
        change(tx, cx, (class, id, &key.k), item.content.as_ref(), None)?;
    }
    Ok(())
}

/// No id or key has a control character, so that parts cannot be mistaken for each other.
pub(crate) fn owner_id(class: &str, id: &str, key: &str) -> String {
    format!("{class}\u{1f}{id}\u{1f}{key}")
}
