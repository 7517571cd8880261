//! Adds a private note to a contact. Who may not see it does not get it, by whatever way it asks (DOC-10).

use base::{Keys, OpResult, Tx};
use documents::DocSet;
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::{WRITERS, contact_key};
use crate::classes::{CONTACT, NOTE, Note};
use crate::input::check_text;

const TEXT_MAX: usize = 4_096;

/// Adds a note.
pub static ADD_NOTE: Op<AddNote, Noted> =
    Op::new("contacts.note", add_note).keyed(|input| Keys::of(vec![contact_key(&input.id)])).named_for(WRITERS);

/// The note to add.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddNote {
    /// Of this contact.
    pub id: String,
    /// What to note.
    pub text: String,
}

/// The note that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// Its key within the contact.
    pub key: String,
}

fn add_note(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &AddNote) -> OpResult<Noted> {
    check_text("the note", &input.text, TEXT_MAX)?;
    let key = cx.id().to_string();
    let mut docs = DocSet::new();
    let contact = docs.get(tx, cx, CONTACT.name, &input.id)?;
    contact.write_at(&NOTE, &key, &Note { text: input.text.clone() })?;
    docs.save(tx, cx)?;
    Ok(Noted { key })
}
