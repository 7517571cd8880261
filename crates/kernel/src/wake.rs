//! Wake-ups after COMMIT (KER-13): they only save time and may be lost, doubled or late without harm. Whoever waits for one
//! also looks by itself.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use base::{Store, Wall};

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
    /// The hint as a word for other nodes.
    #[must_use]
    pub fn word(self) -> Cow<'static, str> {
        match self {
            Self::Tasks { queue, start_at } => format!("tasks {queue} {}", start_at.0).into(),
            Self::Events => "events".into(),
            Self::Changed(topic) => format!("changed {}", topic.0).into(),
        }
    }

    /// The hint of a word; `None` for a word that only newer nodes know.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let parts: Vec<&str> = word.split(' ').collect();
        match parts[..] {
            ["events"] => Some(Self::Events),
            ["changed", topic] => Some(Self::Changed(Topic(topic.parse().ok()?))),
            ["tasks", queue, start_at] => {
                Some(Self::Tasks { queue: queue.parse().ok()?, start_at: Wall(start_at.parse().ok()?) })
            }
            _ => None,
        }
    }

    /// Wakes those who listen on this node and on others.
    pub(crate) fn tell(self, wakes: &Wakes, store: &dyn Store) {
        wakes.send(self);
        store.notify(&self.word());
    }
}

type Ear = Arc<dyn Fn(Hint) + Send + Sync>;

/// Those who want to be woken in one namespace.
#[derive(Default)]
pub struct Wakes(RwLock<Vec<Ear>>);

impl Wakes {
    /// Tells `ear` of every hint from now on. It is called by whichever thread committed and must return at once.
    pub fn listen(&self, ear: impl Fn(Hint) + Send + Sync + 'static) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(ear));
    }

    /// Wakes everybody.
    pub fn send(&self, hint: Hint) {
        let ears = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        ears.iter().for_each(|ear| ear(hint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_13_a_hint_reaches_another_node_as_a_word() {
        for hint in [Hint::Events, Hint::Changed(Topic::of("documents")), Hint::Tasks { queue: 2, start_at: Wall(-7) }]
        {
            assert_eq!(Hint::of_word(&hint.word()), Some(hint));
        }
        for word in ["", "events 1", "tasks", "tasks 1", "tasks x 1", "tasks 1 2 3", "news"] {
            assert_eq!(Hint::of_word(word), None, "{word}");
        }
    }
}
