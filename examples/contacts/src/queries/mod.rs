//! What only reads. Queries see committed state and wait for nobody; they do not know who asks, so what a filter hides is not in
//! them.

pub mod find_contacts;
pub mod list_members;

use kernel::Role;

/// Who may ask them by name, beside administrators.
const READERS: &[Role] = &[Role::Operator, Role::App, Role::Reader];
