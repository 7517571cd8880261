//! Adds a contact with its card and telephone numbers.

use std::collections::BTreeMap;

use base::{Keys, OpResult, Tx};
use documents::DocSet;
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::{WRITERS, contact_key};
use crate::classes::{CARD, CONTACT, Card, PHONE, Phone};
use crate::input::check_name;

/// Adds a contact.
pub static ADD_CONTACT: Op<AddContact, Added> = Op::new("contacts.add", add_contact).keyed(keys).named_for(WRITERS);

/// The contact to add.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddContact {
    /// Its id; one is made if none is given.
    #[serde(default)]
    pub id: Option<String>,
    /// Its name.
    pub name: String,
    /// Where letters reach it.
    #[serde(default)]
    pub email: Option<String>,
    /// Its telephone numbers, by what they are for.
    #[serde(default)]
    pub phones: BTreeMap<String, String>,
}

/// The contact that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// Its id.
    pub id: String,
}

fn keys(input: &AddContact) -> Keys {
    Keys::of(input.id.iter().map(|id| contact_key(id)).collect())
}

fn add_contact(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &AddContact) -> OpResult<Added> {
    check_name("the name", &input.name)?;
    input.email.iter().try_for_each(|email| check_name("the email", email))?;
    input.phones.values().try_for_each(|number| check_name("the number", number))?;
    // The same in every attempt, and after a repeat with the same Idempotency-Key.
    let id = input.id.clone().unwrap_or_else(|| cx.id().to_string());
    let mut docs = DocSet::new();
    let contact = docs.create(tx, cx, CONTACT.name, &id)?;
    contact.write(&CARD, &Card { name: input.name.clone(), email: input.email.clone() })?;
    for (what_for, number) in &input.phones {
        contact.write_at(&PHONE, what_for, &Phone { number: number.clone() })?;
    }
    docs.save(tx, cx)?;
    Ok(Added { id })
}
