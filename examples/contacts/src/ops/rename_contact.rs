//! Renames a contact. Its groups hear of it by themselves: the card is copied to them (DOC-14).

use base::{Keys, OpResult, Tx};
use documents::DocSet;
use kernel::{Op, OpCx};
use serde::Deserialize;

use super::{WRITERS, contact_key};
use crate::classes::{CARD, CONTACT, Card};
use crate::input::check_name;

/// Renames a contact.
pub static RENAME_CONTACT: Op<RenameContact, ()> =
    Op::new("contacts.rename", rename_contact).keyed(|input| Keys::of(vec![contact_key(&input.id)])).named_for(WRITERS);

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
    // One that was made by `doc.commit` may have no card yet.
    let email = contact.read(tx, &CARD)?.and_then(|card| card.email);
    contact.write(&CARD, &Card { name: input.name.clone(), email })?;
    docs.save(tx, cx)?;
    Ok(())
}
