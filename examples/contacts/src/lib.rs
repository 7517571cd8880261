//! An application on documents, whole (DOC-7): contacts, and groups that they belong to.
//!
//! Read it as a tutorial: [`classes`] says what documents look like and who sees what of them, `ops/` holds one operation per
//! file, `queries/` what only reads, and [`CONTACTS`] is the one value that server and tests take. There is no HTTP here: every
//! operation is called by its name, `POST /v1/{ns}/op/contacts.add`, and synchronises the copies of its caller.
//!
//! Invariants:
//! - a contact is in a group if, and only if, both documents say so: they change under one version;
//! - a membership number is given once, over all groups, without gaps: whoever gives one holds the register;
//! - what a group shows of a contact is the contact's card, a little late at most.

pub mod classes;
mod input;
pub mod ops;
pub mod queries;

use kernel::ServiceDef;

/// The service.
pub static CONTACTS: ServiceDef = ServiceDef {
    name: "contacts",
    operations: &[
        &ops::add_contact::ADD_CONTACT,
        &ops::rename_contact::RENAME_CONTACT,
        &ops::add_note::ADD_NOTE,
        &ops::count_call::COUNT_CALL,
        &ops::remove_contact::REMOVE_CONTACT,
        &ops::create_group::CREATE_GROUP,
        &ops::join_group::JOIN_GROUP,
        &ops::leave_group::LEAVE_GROUP,
    ],
    queries: &[&queries::find_contacts::FIND_CONTACTS, &queries::list_members::LIST_MEMBERS],
    offers: &[&classes::CONTACT, &classes::GROUP, &classes::REGISTER],
    ..ServiceDef::EMPTY
};

/// The service, for the server. It needs no routes of its own.
#[must_use]
pub fn service() -> web::Service {
    web::Service::new(&CONTACTS, Vec::new)
}
