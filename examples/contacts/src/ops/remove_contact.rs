//! Removes a contact, out of all its groups first: up to 31 documents under one version.

use base::{Keys, OpResult, Tx};
use documents::DocSet;
use kernel::{Op, OpCx};
use serde::Deserialize;

use super::leave_group::take_out;
use super::{WRITERS, contact_key};
use crate::classes::{CONTACT, GROUPS};

/// Removes a contact.
pub static REMOVE_CONTACT: Op<RemoveContact, ()> =
    Op::new("contacts.remove", remove_contact).keyed(|input| Keys::of(vec![contact_key(&input.id)])).named_for(WRITERS);

/// Whom to remove.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoveContact {
    /// Id of the contact.
    pub id: String,
}

fn remove_contact(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RemoveContact) -> OpResult<()> {
    let mut docs = DocSet::new();
    let groups = docs.get(tx, cx, CONTACT.name, &input.id)?.keys_of(tx, &GROUPS)?;
    for group in &groups {
        take_out(tx, cx, &mut docs, (&input.id, group))?;
    }
    docs.delete(tx, cx, CONTACT.name, &input.id)?;
    docs.save(tx, cx)?;
    Ok(())
}
