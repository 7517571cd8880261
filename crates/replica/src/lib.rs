//! Copies of documents that keep in step (DOC-9).
//!
//! A document has one reference (the server's) and many copies that lag: on phones, in other caches, in files. A copy says what
//! it holds ([`Held`]), a source answers with an [`Upgrade`], and the copy is level again. The rule is here once, pure, for the
//! server, for clients and for the simulator: [`decide`] tells which answer, [`DocCopy::upgrade_for`] makes it,
//! [`DocCopy::apply`] takes it in. A copy can itself be the source of one that lags more ([`DocCopy::relay_for`]), and answers
//! that cross each other are judged by [`is_news`].
//!
//! Invariant of every copy: it holds all existing items of its version, and all tombstones newer than its `dt`.

mod copy;
mod rule;
mod wire;

pub use copy::{Content, CopiedItem, DocCopy, Unfit};
pub use rule::{Ahead, Case, Head, decide, is_news};
pub use wire::{Gone, Held, Item, ItemKey, Upgrade};
