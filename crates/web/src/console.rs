//! The console: pages for people, below `/console` (CON-1 to CON-10).
//!
//! A page is a GET handler like any route, with a [`Console`] in place of an [`Api`]; it reads and shows. It never changes anything:
//! its forms are sent by the page's script to the API, which is the one way to change something, for people and for programs.
//! Live parts (`data-live`) are fetched again when the namespace changed, see [`live`].
//!
//! Invariants: a page below `/console/{ns}/` needs a session (or a key) of that namespace, checked before routing as for the API;
//! what its role may not do is not offered, by the same table that would refuse it; nothing that came from outside reaches a page
//! unescaped (CON-9).

mod accounts;
mod administration;
mod dashboard;
mod enter;
mod find;
mod frame;
mod help;
mod keyboard;
mod kit;
mod live;
mod login;
mod nav;
mod page;
mod preferences;
mod queues;
mod rates;
mod refusals;
mod refused;
mod start;
mod stuck;
mod tasks;
mod terminal;
mod visit;
mod watch;
mod who;
pub mod words;

pub use administration::{ShownKey, ShownSection, ShownSource};
pub use nav::{Group, Nav};
pub use page::{Page, PageResult};
pub use rates::rates_chart;
#[doc(hidden)]
pub use stuck::has_words_for_stuck;
pub use tasks::cron_in_words;
pub use visit::{Console, View};
pub use who::who;

pub(crate) use find::{ACTIONS, KINDS};
pub(crate) use page::Pages;
pub(crate) use refused::refused;

/// The console's own pages.
pub(crate) fn pages() -> Vec<Page> {
    let mut pages = vec![];
    pages.extend(enter::pages());
    pages.extend(login::pages());
    pages.extend(preferences::pages());
    pages.extend(live::pages());
    pages.extend(dashboard::pages());
    pages.extend(start::pages());
    pages.extend(find::pages());
    pages.extend(help::pages());
    pages.extend(refusals::pages());
    pages.extend(accounts::pages());
    pages.extend(watch::pages());
    pages.extend(administration::pages());
    pages.extend(tasks::pages());
    pages.extend(queues::pages());
    pages.extend(stuck::pages());
    pages.extend(kit::pages());
    pages
}

/// The part of a path below `/console`; `None` if it does not lie there.
pub(crate) fn below(path: &str) -> Option<&str> {
    path.strip_prefix("/console").filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
