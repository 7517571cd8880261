//! What is kept in memory of documents (KER-12), and who is told when they change.

use kernel::{Hint, OpCx, Topic};

/// What changes of documents are called out under.
pub(crate) const TOPIC: &str = "documents";

/// A document is about to change.
pub(crate) fn changing(cx: &mut OpCx<'_>, _class: &str, _id: &str) {
    cx.fx.wake(Hint::Changed(Topic::of(TOPIC)));
}
