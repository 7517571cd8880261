//! Pages of administration (CON-8): who may do what, and how it is set up. For administrators alone.

pub(super) mod accounts;
mod configuration;
mod grants;
pub(super) mod keys;
mod moves;
mod namespace;
pub(super) mod namespaces;

pub use configuration::{ShownKey, ShownSection, ShownSource};

use super::page::Page;

/// Rows of a page.
const ROWS: u32 = 50;

pub(super) fn pages() -> Vec<Page> {
    let mut pages = vec![];
    pages.extend(accounts::pages());
    pages.extend(keys::pages());
    pages.extend(namespaces::pages());
    pages.extend(namespace::pages());
    pages.extend(configuration::pages());
    pages
}
