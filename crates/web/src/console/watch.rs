//! Pages of watching (CON-8): what happened, what is wrong, who sends and who fails.

pub(super) mod alerts;
mod channels;
mod counters;
pub(super) mod journal;
mod messages;
mod subject;

use kernel::Role;

use super::page::Page;

/// Who looks at these pages, beside administrators.
const WATCHERS: &[Role] = &[Role::Operator, Role::Reader];
/// Rows of a page.
const ROWS: u32 = 50;

pub(super) fn pages() -> Vec<Page> {
    let mut pages = vec![];
    pages.extend(journal::pages());
    pages.extend(alerts::pages());
    pages.extend(messages::pages());
    pages.extend(channels::pages());
    pages.extend(counters::pages());
    pages
}
