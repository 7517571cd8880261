//! The kernel's own operations, one per file.

pub mod bootstrap_key;
pub mod change_key;
pub mod create_key;
pub mod forget_requests;
pub mod list_keys;
pub mod revoke_key;
pub mod rotate_key;
