//! What is kept of the documents of all namespaces, least recently used out first, and the rule of what may be put there.
//!
//! The rule: a reader may put in what it read only if no change of that document was under way at any time from before its
//! read began until now. So every reader says when it begins, every change says when it begins and ends, and each of these is a
//! turn of one counter.
//!
//! A change whose outcome nobody knows may still be committed at any time later. Its document is in doubt, and nothing is kept of
//! it until a change that began afterwards was committed: that one wrote the same row, so the other has ended before. If too many
//! are in doubt to remember, nothing is trusted any more without a comparison with the store.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::Settled;
use replica::Head;

use super::size;
use crate::read::FullDoc;

/// Bytes that are kept unless the configuration says another number.
const BYTES_MAX: usize = 64 << 20;
/// How long something is kept without being compared with the store, unless the configuration says otherwise.
const AGE_US: u64 = 600 * 1_000_000;
/// Documents in doubt that are remembered.
const DOUBTS_MAX: usize = 10_000;

/// Which document.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    life: u64,
    class: String,
    id: String,
}

impl Key {
    pub(super) fn new(life: u64, class: &str, id: &str) -> Arc<Self> {
        Arc::new(Self { life, class: class.to_owned(), id: id.to_owned() })
    }
}

/// What is known of a document.
#[derive(Debug, Clone)]
pub(super) enum Known {
    /// Enough to tell a copy that it is level.
    Head(Head),
    /// All of it.
    Whole(Arc<FullDoc>),
}

impl Known {
    pub(super) fn head(&self) -> Head {
        match self {
            Self::Head(head) => *head,
            Self::Whole(doc) => doc.copy.head,
        }
    }
}

/// What is kept of documents, of all namespaces of a kernel together.
#[derive(Debug, Default)]
pub struct Shelf(Mutex<State>);

impl Shelf {
    /// Keeps at most so many bytes, and nothing for longer than this without comparing it with the store.
    pub fn set_limits(&self, bytes_max: usize, age_us: u64) {
        let mut state = self.state();
        (state.bytes_max, state.age_us) = (bytes_max, age_us);
        state.make_room();
    }

    /// About how many bytes are kept.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(super) struct State {
    bytes_max: usize,
    age_us: u64,
    /// Hashed, as all that a commit passes: nothing depends on their order.
    entries: HashMap<Arc<Key>, Entry>,
    /// The entries by the turn of their last use.
    order: BTreeMap<u64, Arc<Key>>,
    watches: HashMap<Arc<Key>, Watch>,
    bytes: usize,
    turn: u64,
    /// The latest time that anybody told.
    now_us: u64,
    doubts: usize,
    /// Too many documents were in doubt at once.
    distrusted: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            bytes_max: BYTES_MAX,
            age_us: AGE_US,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            watches: HashMap::new(),
            bytes: 0,
            turn: 0,
            now_us: 0,
            doubts: 0,
            distrusted: false,
        }
    }
}

#[derive(Debug)]
struct Entry {
    known: Known,
    bytes: usize,
    used: u64,
    /// It was the newest at this time or later.
    checked_us: u64,
}

/// Who is at work on a document now.
#[derive(Debug, Default)]
struct Watch {
    readers: u32,
    writers: u32,
    /// Turn in which a change last began or ended.
    changed: u64,
    /// Turn since which it is in doubt.
    doubt: Option<u64>,
    /// The newest head of those changes that are committed while others are still under way.
    newest: Option<Head>,
}

impl Watch {
    fn is_idle(&self) -> bool {
        self.readers == 0 && self.writers == 0 && self.doubt.is_none()
    }
}

impl State {
    /// What is kept, and when it was the newest.
    pub(super) fn find(&mut self, key: &Key, now_us: u64) -> Option<(Known, u64)> {
        self.now_us = self.now_us.max(now_us);
        let used = self.next_turn();
        let entry = self.entries.get_mut(key)?;
        if now_us.saturating_sub(entry.checked_us) > self.age_us {
            self.take_out(key);
            return None;
        }
        let key = self.order.remove(&std::mem::replace(&mut entry.used, used))?;
        self.order.insert(used, key);
        Some((entry.known.clone(), entry.checked_us))
    }

    /// Whether what is kept may count as the newest in one-node mode.
    pub(super) fn is_trusted(&self) -> bool {
        !self.distrusted
    }

    /// A reader begins; it is told in which turn.
    pub(super) fn begin_read(&mut self, key: &Arc<Key>) -> u64 {
        self.watches.entry(key.clone()).or_default().readers += 1;
        self.next_turn()
    }

    /// A reader that began in that turn ends.
    pub(super) fn end_read(&mut self, key: &Arc<Key>) {
        let Some(watch) = self.watches.get_mut(key) else { return };
        watch.readers -= 1;
        self.forget_idle(key);
    }

    /// Keeps what a reader read that began in turn `since` at `checked_us` and has not ended, if the rule allows it.
    pub(super) fn fill(&mut self, key: &Arc<Key>, since: u64, known: Known, checked_us: u64) {
        let Some(watch) = self.watches.get(key) else { return };
        if watch.writers == 0 && watch.doubt.is_none() && watch.changed < since {
            self.put(key, known, checked_us);
        }
    }

    /// A change begins: the document is taken out.
    pub(super) fn begin_change(&mut self, key: &Arc<Key>) -> u64 {
        let turn = self.next_turn();
        let watch = self.watches.entry(key.clone()).or_default();
        watch.writers += 1;
        watch.changed = turn;
        self.take_out(key);
        turn
    }

    /// A change that began in turn `since` ends. The head that it gave the document is put back, unless another change of it is
    /// under way; the whole document is put back by the next who reads it.
    pub(super) fn end_change(&mut self, key: &Arc<Key>, since: u64, how: Settled, head: Head) {
        let (turn, now_us) = (self.next_turn(), self.now_us);
        let Some(watch) = self.watches.get_mut(key) else { return };
        watch.writers -= 1;
        watch.changed = turn;
        match how {
            Settled::Committed => {
                watch.newest = watch.newest.filter(|newest| newest.v > head.v).or(Some(head));
                self.doubts -= usize::from(watch.doubt.take_if(|doubt| *doubt < since).is_some());
            }
            Settled::Undone => {}
            Settled::Unknown => self.doubts += usize::from(watch.doubt.replace(turn).is_none()),
        }
        if watch.writers == 0 {
            let newest = watch.newest.take().filter(|head| head.ct != 0 && watch.doubt.is_none());
            newest.into_iter().for_each(|head| self.put(key, Known::Head(head), now_us));
        }
        self.forget_idle(key);
        self.bound_doubts();
    }

    fn next_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn
    }

    fn forget_idle(&mut self, key: &Arc<Key>) {
        if self.watches.get(key).is_some_and(Watch::is_idle) {
            self.watches.remove(key);
        }
    }

    fn bound_doubts(&mut self) {
        if self.doubts > DOUBTS_MAX {
            self.distrusted = true;
            self.doubts = 0;
            self.watches.values_mut().for_each(|watch| watch.doubt = None);
            self.watches.retain(|_, watch| !watch.is_idle());
        }
    }

    fn put(&mut self, key: &Arc<Key>, known: Known, checked_us: u64) {
        let before = self.entries.get(key.as_ref());
        if let Some(before) = before
            && !replaces(&known, &before.known)
        {
            return self.compared(key, known.head(), checked_us);
        }
        self.take_out(key);
        let bytes = size::of(&known) + 2 * size::ENTRY + key.class.len() + key.id.len();
        if bytes > self.bytes_max {
            return;
        }
        let used = self.next_turn();
        self.bytes += bytes;
        self.order.insert(used, key.clone());
        self.entries.insert(key.clone(), Entry { known, bytes, used, checked_us });
        self.make_room();
    }

    /// What is kept was found to be the newest at that time.
    fn compared(&mut self, key: &Key, head: Head, checked_us: u64) {
        if let Some(entry) = self.entries.get_mut(key).filter(|entry| entry.known.head() == head) {
            entry.checked_us = entry.checked_us.max(checked_us);
        }
    }

    /// Those used least recently go, as far as there is no room for them or nobody asked for them in a long time.
    fn make_room(&mut self) {
        while let Some((_, oldest)) = self.order.first_key_value() {
            let oldest = oldest.clone();
            let checked_us = self.entries.get(&oldest).map_or(0, |entry| entry.checked_us);
            let is_old = self.now_us.saturating_sub(checked_us) > self.age_us;
            if self.bytes <= self.bytes_max && !is_old {
                return;
            }
            self.take_out(&oldest);
        }
    }

    fn take_out(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.order.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }
}

/// Whether something new takes the place of what is kept: a newer version, or more of the same. An older one comes from a reader
/// that was slow.
fn replaces(new: &Known, kept: &Known) -> bool {
    match (new, kept) {
        (_, _) if new.head() != kept.head() => new.head().v > kept.head().v,
        (Known::Whole(_), Known::Head(_)) => true,
        (Known::Head(_) | Known::Whole(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(v: i64) -> Head {
        Head { v, ct: 1, dt: 1 }
    }

    fn version(state: &mut State, key: &Arc<Key>) -> Option<i64> {
        state.find(key, 0).map(|(known, _)| known.head().v)
    }

    fn read(state: &mut State, key: &Arc<Key>, v: i64, meanwhile: impl FnOnce(&mut State)) -> Option<i64> {
        let since = state.begin_read(key);
        meanwhile(state);
        state.fill(key, since, Known::Head(head(v)), 0);
        state.end_read(key);
        version(state, key)
    }

    #[test]
    fn ker_12_what_was_read_while_the_document_changed_is_not_kept() {
        let (mut state, key) = (State::default(), Key::new(0, "C", "1"));
        assert_eq!(read(&mut state, &key, 1, |_| {}), Some(1));
        let change = state.begin_change(&key);
        assert_eq!(version(&mut state, &key), None, "taken out before COMMIT");
        assert_eq!(read(&mut state, &key, 1, |_| {}), None, "under way");
        let ended = |state: &mut State| state.end_change(&key, change, Settled::Undone, head(2));
        assert_eq!(read(&mut state, &key, 1, ended), None, "ended while it was read");
        let all = |state: &mut State| {
            let change = state.begin_change(&key);
            state.end_change(&key, change, Settled::Undone, head(2));
        };
        assert_eq!(read(&mut state, &key, 1, all), None, "began and ended while it was read");
        assert_eq!(read(&mut state, &key, 1, |_| {}), Some(1), "read afterwards");
        assert!(state.watches.is_empty());
    }

    #[test]
    fn ker_12_the_newest_of_two_changes_is_put_back_in_whatever_order_they_are_told() {
        for order in [[2, 3], [3, 2]] {
            let (mut state, key) = (State::default(), Key::new(0, "C", "1"));
            let begun = order.map(|v| (state.begin_change(&key), v));
            state.end_change(&key, begun[0].0, Settled::Committed, head(begun[0].1));
            assert_eq!(version(&mut state, &key), None, "the other is still under way");
            state.end_change(&key, begun[1].0, Settled::Committed, head(begun[1].1));
            assert_eq!(version(&mut state, &key), Some(3));
        }
        let (mut state, key) = (State::default(), Key::new(0, "C", "1"));
        let (put, delete) = (state.begin_change(&key), state.begin_change(&key));
        state.end_change(&key, delete, Settled::Committed, Head { v: 3, ct: 0, dt: 0 });
        state.end_change(&key, put, Settled::Committed, head(2));
        assert_eq!(version(&mut state, &key), None, "deleted after all");
    }

    #[test]
    fn ker_12_a_document_in_doubt_is_not_kept_until_a_later_change_is_committed() {
        let (mut state, key) = (State::default(), Key::new(0, "C", "1"));
        let (earlier, unknown) = (state.begin_change(&key), state.begin_change(&key));
        state.end_change(&key, unknown, Settled::Unknown, head(3));
        state.end_change(&key, earlier, Settled::Committed, head(2));
        assert_eq!(read(&mut state, &key, 2, |_| {}), None, "the other may come yet");
        let undone = state.begin_change(&key);
        state.end_change(&key, undone, Settled::Undone, head(4));
        assert_eq!(read(&mut state, &key, 2, |_| {}), None);
        let later = state.begin_change(&key);
        state.end_change(&key, later, Settled::Committed, head(4));
        assert_eq!(version(&mut state, &key), Some(4));
        assert!(state.watches.is_empty() && state.doubts == 0 && state.is_trusted());
    }

    #[test]
    fn ker_12_with_too_many_in_doubt_nothing_is_trusted_and_nothing_grows() {
        let mut state = State::default();
        for n in 0..=DOUBTS_MAX {
            let key = Key::new(0, "C", &n.to_string());
            let change = state.begin_change(&key);
            state.end_change(&key, change, Settled::Unknown, head(1));
        }
        assert!(!state.is_trusted() && state.watches.is_empty());
    }

    #[test]
    fn ker_12_a_slow_reader_does_not_replace_a_newer_version() {
        let (mut state, key) = (State::default(), Key::new(0, "C", "1"));
        read(&mut state, &key, 5, |_| {});
        assert_eq!(read(&mut state, &key, 4, |_| {}), Some(5));
        assert_eq!(state.order.len(), 1);
    }
}
