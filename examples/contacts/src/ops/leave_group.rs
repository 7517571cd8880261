//! A contact leaves a group. Its number is not given again.

use base::{OpResult, Tx};
use documents::DocSet;
use kernel::{Op, OpCx};

use super::join_group::JoinGroup;
use super::{WRITERS, membership_keys};
use crate::classes::{CONTACT, GROUP, GROUPS, MEMBER, MEMBER_CARD};

/// A contact leaves a group; one that it is not in is no error.
pub static LEAVE_GROUP: Op<JoinGroup, ()> = Op::new("groups.leave", leave_group)
    .keyed(|input| membership_keys(&input.contact, &input.group))
    .named_for(WRITERS);

fn leave_group(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &JoinGroup) -> OpResult<()> {
    let mut docs = DocSet::new();
    docs.get(tx, cx, CONTACT.name, &input.contact)?.remove_at(&GROUPS, &input.group)?;
    take_out(tx, cx, &mut docs, (&input.contact, &input.group))?;
    docs.save(tx, cx)?;
    Ok(())
}

/// Takes a contact out of a group's document. The copy of its card goes with it, and stays gone.
pub(super) fn take_out(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    docs: &mut DocSet,
    (contact, group): (&str, &str),
) -> OpResult<()> {
    let group = docs.get(tx, cx, GROUP.name, group)?;
    group.remove_at(&MEMBER, contact)?;
    group.remove_at(&MEMBER_CARD, contact)
}
