//! Notification tasks through a queue of a broker (SEN-12): it carries ids of tasks only, and the row decides.
//!
//! With it a task is wished a few seconds late, and its id is published after COMMIT; whichever node is told first begins it at
//! once. A message that is lost, doubled or late costs nothing but time: the task begins by itself when its time has come, and one that
//! runs or is gone is not begun.

use std::sync::{Arc, PoisonError, RwLock};

use base::{Delivery, Id, Publisher, Settle, Sink, Taken};
use kernel::tasks::Dispatcher;
use kernel::{NewTask, OpCx};

use crate::notify::NOTIFY;

/// How long a task waits for a node that is told of it.
pub const HEAD_START_MS: i64 = 5_000;

/// Where ids of tasks are published (`home.common::<Announcer>()`); nowhere unless told.
#[derive(Default)]
pub struct Announcer(RwLock<Option<Arc<Queue>>>);

struct Queue {
    name: String,
    publisher: Arc<dyn Publisher>,
}

impl Announcer {
    /// From now on to this queue.
    pub fn publish_to(&self, queue: &str, publisher: Arc<dyn Publisher>) {
        let queue = Queue { name: queue.to_owned(), publisher };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(queue));
    }

    fn queue(&self) -> Option<Arc<Queue>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Wishes a task; where ids are published, a little later.
pub(crate) fn wish(cx: &mut OpCx<'_>, task: NewTask) {
    let Some(queue) = cx.home.common::<Announcer>().queue() else { return cx.fx.task(task) };
    let word = word(&cx.home.namespace, task.id);
    // A commit that nobody can tell of may be one.
    cx.fx.when_settled(move |how| {
        if how != kernel::Settled::Undone {
            queue.tell(word);
        }
    });
    cx.fx.task(task.after_ms(HEAD_START_MS));
}

impl Queue {
    fn tell(&self, word: String) {
        // Whoever is not told waits a few seconds: no reason to speak of it.
        self.publisher.send(&self.name, word.into_bytes(), Box::new(|_| {}));
    }
}

fn word(namespace: &str, id: Id) -> String {
    format!("{namespace} {id}")
}

/// The namespace and the task that a message of the queue names.
#[doc(hidden)]
#[must_use]
pub fn read(word: &[u8]) -> Option<(&str, Id)> {
    let (namespace, id) = std::str::from_utf8(word).ok()?.split_once(' ')?;
    Some((namespace, id.parse().ok()?))
}

/// Begins the tasks whose ids come.
pub struct Starter(Dispatcher);

impl Starter {
    /// On this node.
    #[must_use]
    pub fn new(dispatcher: Dispatcher) -> Arc<Self> {
        Arc::new(Self(dispatcher))
    }
}

impl Sink for Starter {
    fn take(&self, batch: Arc<[Delivery]>, settle: Settle) {
        for (namespace, id) in batch.iter().filter_map(|delivery| read(&delivery.body)) {
            self.0.begin(namespace, NOTIFY.op, id);
        }
        settle(vec![Taken::Done; batch.len()]);
    }

    fn level(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Wall;

    #[test]
    fn sen_12_a_word_names_namespace_and_task() {
        let id = Id::new(Wall(7), [3; 10]);
        assert_eq!(read(word("main", id).as_bytes()), Some(("main", id)));
        for odd in ["", "main", "main ", "main x", "main  7", "\u{FF}"] {
            assert_eq!(read(odd.as_bytes()), None, "{odd}");
        }
        assert_eq!(read(&[255, 32, 255]), None);
    }
}
