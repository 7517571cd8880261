//! The ledger's operations and queries, one per file.

pub mod add_entry;
pub mod get_account;
pub mod list_entries;
pub mod transfer;
