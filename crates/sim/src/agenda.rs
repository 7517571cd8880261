//! What will happen when. Things of the same moment happen in the order in which they were put down.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A queue of things by time.
pub struct Agenda<T> {
    heap: BinaryHeap<Entry<T>>,
    count: u64,
}

struct Entry<T> {
    at_us: u64,
    number: u64,
    thing: T,
}

impl<T> Agenda<T> {
    /// An empty one.
    pub fn new() -> Self {
        Self { heap: BinaryHeap::new(), count: 0 }
    }

    /// Puts a thing down for a moment.
    pub fn put(&mut self, at_us: u64, thing: T) {
        self.count += 1;
        self.heap.push(Entry { at_us, number: self.count, thing });
    }

    /// The next thing and its moment.
    pub fn take(&mut self) -> Option<(u64, T)> {
        self.heap.pop().map(|entry| (entry.at_us, entry.thing))
    }

    /// Strikes out what does not fit.
    pub fn keep(&mut self, fits: impl Fn(&T) -> bool) {
        self.heap.retain(|entry| fits(&entry.thing));
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at_us, other.number).cmp(&(self.at_us, self.number))
    }
}
impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_happen_by_time_then_by_order() {
        let mut agenda = Agenda::new();
        for (at, thing) in [(5, 'c'), (1, 'a'), (5, 'd'), (2, 'b')] {
            agenda.put(at, thing);
        }
        agenda.keep(|thing| *thing != 'd');
        let order: String = std::iter::from_fn(|| agenda.take()).map(|(_, thing)| thing).collect();
        assert_eq!(order, "abc");
    }
}
