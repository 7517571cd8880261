//! A contact joins a group: two documents and the register under one version.
//!
//! It makes the first copy of the card itself; from then on the copy follows its source without us (DOC-14).

use base::limits::OP_DOCUMENTS_MAX;
use base::{OpError, OpResult, Tx, codes};
use documents::codes::AITEM;
use documents::{Doc, DocSet};
use kernel::{Op, OpCx};
use serde::Deserialize;

use super::{WRITERS, membership_keys};
use crate::classes::{
    CARD, CONTACT, Card, GROUP, GROUPS, LAST, Last, MEMBER, MEMBER_CARD, MEMBERS, Membership, REGISTER,
};

/// Groups of one contact: leaving all of them is one operation, together with the contact itself.
pub const GROUPS_MAX: usize = OP_DOCUMENTS_MAX - 2;

/// A contact joins a group.
pub static JOIN_GROUP: Op<JoinGroup, Membership> =
    Op::new("groups.join", join_group).keyed(|input| membership_keys(&input.contact, &input.group)).named_for(WRITERS);

/// Who joins what.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinGroup {
    /// Id of the contact.
    pub contact: String,
    /// Id of the group.
    pub group: String,
}

fn join_group(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &JoinGroup) -> OpResult<Membership> {
    let mut docs = DocSet::new();
    let contact = docs.get(tx, cx, CONTACT.name, &input.contact)?;
    // Joining twice changes nothing, not even a version.
    if let Some(known) = contact.read_at(tx, &GROUPS, &input.group)? {
        return Ok(known);
    }
    check_room(contact.keys_of(tx, &GROUPS)?.len(), &input.contact)?;
    let card = card_of(tx, contact)?;
    let membership = Membership { number: next_number(tx, cx, &mut docs)? };
    docs.get(tx, cx, CONTACT.name, &input.contact)?.write_at(&GROUPS, &input.group, &membership)?;
    let group = docs.get(tx, cx, GROUP.name, &input.group)?;
    group.write_at(&MEMBER, &input.contact, &membership)?;
    group.write_at(&MEMBER_CARD, &input.contact, &card)?;
    docs.save(tx, cx)?;
    Ok(membership)
}

fn check_room(groups: usize, contact: &str) -> OpResult<()> {
    if groups < GROUPS_MAX {
        return Ok(());
    }
    Err(OpError::new(codes::ALIMIT, format!("contact {contact} is in {groups} groups, at most {GROUPS_MAX}")))
}

/// The card, which a contact may lack if it was made by `doc.commit`.
fn card_of(tx: &mut dyn Tx, contact: &mut Doc) -> OpResult<Card> {
    let card = contact.read(tx, &CARD)?;
    card.ok_or_else(|| OpError::new(AITEM, format!("contact {} has no card to show in a group", contact.id())))
}

/// The next number of the register, which is held from here to the end of the operation: nobody else gives one meanwhile (DOC-15).
fn next_number(tx: &mut dyn Tx, cx: &mut OpCx<'_>, docs: &mut DocSet) -> OpResult<u64> {
    let register = docs.get_or_new(tx, cx, REGISTER.name, MEMBERS)?;
    let last = register.read(tx, &LAST)?.unwrap_or_default();
    let number = last.number + 1;
    register.write(&LAST, &Last { number })?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_in_no_more_groups_than_one_operation_can_leave() {
        assert!(check_room(GROUPS_MAX - 1, "a").is_ok());
        assert_eq!(check_room(GROUPS_MAX, "a").unwrap_err().code, codes::ALIMIT);
    }
}
