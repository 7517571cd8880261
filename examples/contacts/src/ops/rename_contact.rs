//! Renames a contact. Its groups hear of it by themselves: the card is copied to them (DOC-14).

use base::{Keys, OpError, OpResult, Tx, codes};
use documents::{Doc, DocSet};
use kernel::{Op, OpCx};
use serde::Deserialize;

use super::{WRITERS, contact_key};
use crate::classes::{CARD, CONTACT, Card};
use crate::input::check_name;

/// Renames a contact.
pub static RENAME_CONTACT: Op<RenameContact, ()> = Op::new("contacts.rename", rename_contact)
    .keyed(|input| Keys::of(vec![contact_key(&input.id)]))
    .named_for(WRITERS);

/// Which contact, and how it is called from now on.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameContact {
    /// Its id.
    pub id: String,
    /// Its new name.
    pub name: String,
}

fn rename_contact(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RenameContact) -> OpResult<()> {
    check_name("the name", &input.name)?;
    let mut docs = DocSet::new();
    let contact = docs.get(tx, cx, CONTACT.name, &input.id)?;
    let card = card_of(tx, contact)?;
    contact.write(&CARD, &Card { name: input.name.clone(), ..card })?;
    docs.save(tx, cx)?;
    Ok(())
}

/// The card, which a contact may lack if it was made by `doc.commit`.
pub(super) fn card_of(tx: &mut dyn Tx, contact: &mut Doc) -> OpResult<Card> {
    let without = OpError::new(codes::ABODY, format!("contact {} has no card", contact.id()));
    contact.read(tx, &CARD)?.ok_or(without)
}
