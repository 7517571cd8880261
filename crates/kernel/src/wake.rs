//! Wake-ups after COMMIT (KER-13): they only save time and may be lost, doubled or late without harm. Whoever waits for one
//! also looks by itself.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use base::{Store, Wall};

/// Other nodes are told of tasks that are due within this time; their scan comes as often.
const SOON_MS: i64 = 60_000;

/// What may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// A task of this queue may be started from then on.
    Tasks {
        /// Its queue.
        queue: i64,
        /// When.
        start_at: Wall,
    },
    /// There are new events, numbered or not.
    Events,
    /// Something of this topic changed.
    Changed(Topic),
}

/// What a service calls out changes of. Two may share a number by chance; that costs a look in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(u64);

impl Topic {
    /// The topic of a name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self(base::ContentionKey::of("topic", name).0)
    }
}

impl Hint {
    /// The word for new events.
    pub(crate) const EVENTS: &'static str = "events";

    /// The hint as a word for other nodes. Equal words are called out once and only so many wait, so a task that is due says no
    /// time, one that is due soon says full seconds, and of one that is due later nothing is said: every node's own look finds
    /// it.
    #[must_use]
    pub fn word(self, now: Wall) -> Option<Cow<'static, str>> {
        match self {
            Self::Tasks { queue, start_at } if start_at <= now => Some(format!("tasks {queue}").into()),
            Self::Tasks { queue, start_at } if start_at.0.saturating_sub(now.0) <= SOON_MS => {
                Some(format!("tasks {queue} {}", full_second(start_at).0).into())
            }
            Self::Tasks { .. } => None,
            Self::Events => Some(Self::EVENTS.into()),
            Self::Changed(topic) => Some(format!("changed {}", topic.0).into()),
        }
    }

    /// The hint of a word; `None` for a word that only newer nodes know.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let parts: Vec<&str> = word.split(' ').collect();
        match parts[..] {
            [Self::EVENTS] => Some(Self::Events),
            ["changed", topic] => Some(Self::Changed(Topic(topic.parse().ok()?))),
            ["tasks", queue] => Some(Self::Tasks { queue: queue.parse().ok()?, start_at: Wall(i64::MIN) }),
            ["tasks", queue, start_at] => {
                Some(Self::Tasks { queue: queue.parse().ok()?, start_at: Wall(start_at.parse().ok()?) })
            }
            _ => None,
        }
    }

    /// Wakes those who listen on this node and on others.
    pub(crate) fn tell(self, wakes: &Wakes, store: &dyn Store, now: Wall) {
        wakes.send(self);
        self.word(now).into_iter().for_each(|word| store.notify(&word));
    }
}

/// The next full second, which never lies before.
fn full_second(at: Wall) -> Wall {
    Wall(at.0.div_euclid(1_000).saturating_add(i64::from(at.0.rem_euclid(1_000) > 0)).saturating_mul(1_000))
}

type Ear = Arc<dyn Fn(Hint) + Send + Sync>;

/// Those who want to be woken in one namespace.
#[derive(Default)]
pub struct Wakes {
    ears: RwLock<Vec<Ear>>,
    /// Those who watch the namespace as a whole.
    watchers: RwLock<Vec<Watcher>>,
    /// Whether there are any: without them a commit costs one look at this.
    watched: AtomicBool,
}

type Watcher = Box<dyn Fn() + Send + Sync>;

impl Wakes {
    /// Tells `ear` of every hint from now on. It is called by whichever thread committed and must return at once.
    pub fn listen(&self, ear: impl Fn(Hint) + Send + Sync + 'static) {
        self.ears.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(ear));
    }

    /// Tells `watcher` of every operation of this node that committed from now on. Like an ear, it must return at once.
    pub fn watch_commits(&self, watcher: impl Fn() + Send + Sync + 'static) {
        self.watchers.write().unwrap_or_else(PoisonError::into_inner).push(Box::new(watcher));
        self.watched.store(true, Ordering::Release);
    }

    /// An operation committed.
    pub(crate) fn committed(&self) {
        if self.watched.load(Ordering::Acquire) {
            self.watchers.read().unwrap_or_else(PoisonError::into_inner).iter().for_each(|watcher| watcher());
        }
    }

    /// Wakes everybody.
    pub fn send(&self, hint: Hint) {
        let ears = self.ears.read().unwrap_or_else(PoisonError::into_inner).clone();
        ears.iter().for_each(|ear| ear(hint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_13_a_hint_reaches_another_node_as_a_word() {
        let now = Wall(100_500);
        for hint in
            [Hint::Events, Hint::Changed(Topic::of("documents")), Hint::Tasks { queue: 2, start_at: Wall(102_000) }]
        {
            assert_eq!(Hint::of_word(&hint.word(now).unwrap()), Some(hint));
        }
        for word in ["", "events 1", "tasks", "tasks x", "tasks x 1", "tasks 1 2 3", "news"] {
            assert_eq!(Hint::of_word(word), None, "{word}");
        }
    }

    #[test]
    fn ker_13_many_tasks_have_few_words() {
        let now = Wall(100_500);
        let word = |start_at: i64| Hint::Tasks { queue: 1, start_at: Wall(start_at) }.word(now);
        let due: std::collections::BTreeSet<_> = (0..=100_500).map(word).collect();
        assert_eq!(due.into_iter().flatten().collect::<Vec<_>>(), ["tasks 1"]);
        assert!(matches!(Hint::of_word("tasks 1"), Some(Hint::Tasks { queue: 1, start_at }) if start_at <= Wall(0)));
        let soon: std::collections::BTreeSet<_> = (100_501..1_000_000).filter_map(word).collect();
        assert!(soon.len() <= 61, "{}", soon.len());
        assert_eq!(word(101_001), Some("tasks 1 102000".into()), "never before its time");
        assert_eq!(word(i64::MAX), None);
    }
}
