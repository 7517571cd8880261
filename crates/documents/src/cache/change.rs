//! The writing side: a document that changes is taken out before COMMIT, and nobody puts it back before its outcome is known.

use std::sync::Arc;

use base::mutants::{self, Mutant};
use kernel::{Hint, OpCx, Settled, Topic};
use replica::Head;

use super::shelf::{Key, Shelf};
use super::{Life, TOPIC};

/// A document is about to change; `head` is what it will have, without `ct` if it will be no more.
pub(crate) fn changing(cx: &mut OpCx<'_>, class: &str, id: &str, head: Head) {
    cx.fx.wake(Hint::Changed(Topic::of(TOPIC)));
    if mutants::on(Mutant::CacheNotDropped) {
        return;
    }
    let (shelf, life) = (cx.home.common::<Shelf>(), cx.home.memory::<Life>());
    let change = Change::begin(shelf, Key::new(life.0, class, id), head);
    cx.fx.when_settled(move |how| change.end(how));
}

/// A change that is under way. It ends when it is dropped: also when its operation panics, which tells nobody.
struct Change {
    shelf: Arc<Shelf>,
    key: Arc<Key>,
    head: Head,
    /// The turn in which it began.
    since: u64,
    settled: Settled,
}

impl Change {
    fn begin(shelf: Arc<Shelf>, key: Arc<Key>, head: Head) -> Self {
        let since = shelf.state().begin_change(&key);
        Self { shelf, key, head, since, settled: Settled::Unknown }
    }

    fn end(mut self, how: Settled) {
        self.settled = how;
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        self.shelf.state().end_change(&self.key, self.since, self.settled, self.head);
    }
}
