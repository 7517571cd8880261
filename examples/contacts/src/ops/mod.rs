//! What changes contacts and groups: one operation per file.

pub mod add_contact;
pub mod add_note;
pub mod count_call;
pub mod create_group;
pub mod join_group;
pub mod leave_group;
pub mod remove_contact;
pub mod rename_contact;

use base::{ContentionKey, Keys};
use kernel::Role;

use crate::classes::{CONTACT, GROUP, MEMBERS, REGISTER};

/// Who may call them by name, beside administrators.
const WRITERS: &[Role] = &[Role::Operator, Role::App];

/// What operations on a contact do not overlap with.
fn contact_key(id: &str) -> ContentionKey {
    documents::key(CONTACT.name, id)
}

/// What operations on a contact and a group, which hold the register, do not overlap with.
fn membership_keys(contact: &str, group: &str) -> Keys {
    let register = documents::key(REGISTER.name, MEMBERS);
    Keys::of(vec![contact_key(contact), documents::key(GROUP.name, group), register])
}
