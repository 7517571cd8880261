//! What was counted and not flushed yet.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::{ContentionKey, Id, Wall};

use super::flush::{Batch, Delta};
use super::seconds::{Fresh, Ring};

/// The name under which counts of a kind go for which there is no room.
pub const OTHERS: &str = "(others)";
/// Parts of the map, so that threads seldom meet.
const SHARDS: usize = 16;
/// Keys of one shard between two flushes.
const SHARD_KEYS_MAX: usize = 1_000;
/// Keys of one flush: an operation may write a bounded number of rows.
const BATCH_MAX: usize = 2_000;
const NAME_MAX: usize = 255;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Messages sent.
    Sent = 0,
    /// Messages, tasks or calls processed well.
    Processed,
    /// Ended badly.
    Errors,
    /// Lost against others that changed the same.
    Deadlocks,
    /// Run again.
    Retries,
}

/// What is counted once the operation that says so is committed.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) counts: Vec<(Field, i64)>,
}

/// Number of fields.
pub(super) const FIELD_COUNT: usize = 5;

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    fields: [i64; FIELD_COUNT],
    last_seen: i64,
}

impl Sum {
    fn add(&mut self, fields: &[i64; FIELD_COUNT], now: Wall) {
        add_fields(&mut self.fields, fields);
        self.last_seen = self.last_seen.max(now.0);
    }
}

/// Adds fields to others.
pub(super) fn add_fields(to: &mut [i64; FIELD_COUNT], fields: &[i64; FIELD_COUNT]) {
    to.iter_mut().zip(fields).for_each(|(to, count)| *to = to.saturating_add(*count));
}

fn fields_of(counts: &[(Field, i64)]) -> [i64; FIELD_COUNT] {
    let mut fields = [0_i64; FIELD_COUNT];
    counts.iter().for_each(|(field, count)| fields[*field as usize] += count);
    fields
}

type Names = HashMap<&'static str, HashMap<String, Sum>>;

/// A part of what was counted.
#[derive(Default)]
struct Shard {
    /// By kind and name, for the next flush.
    names: Names,
    /// By kind and second, for the ring.
    fresh: Fresh,
}

/// The counters of one namespace, on this node.
pub struct Counters {
    shards: [Mutex<Shard>; SHARDS],
    flushing: Mutex<Flushing>,
    ring: Mutex<Ring>,
}

/// Flushes follow each other: the next begins when the one before is known to be in the store.
#[derive(Default)]
struct Flushing {
    number: i64,
    batch: Option<Batch>,
    under_way: bool,
}

impl Default for Counters {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()), flushing: Mutex::default(), ring: Mutex::default() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Counters {
    /// Adds `count` to a field of a name, and notes that it was seen `now`.
    pub fn add(&self, kind: &'static str, name: &str, field: Field, count: i64, now: Wall) {
        self.add_all(kind, name, &[(field, count)], now);
    }

    /// Adds to several fields of a name at once.
    pub fn add_all(&self, kind: &'static str, name: &str, counts: &[(Field, i64)], now: Wall) {
        // A name that the store cannot hold would hold up every flush behind it.
        let name = if name.len() <= NAME_MAX && !name.contains('\0') { name } else { OTHERS };
        let at = usize::try_from(ContentionKey::of(kind, name).0 % SHARDS as u64).unwrap_or(0);
        let (mut shard, fields) = (lock(&self.shards[at]), fields_of(counts));
        shard.fresh.add(kind, now, &fields);
        match shard.names.get_mut(kind).and_then(|names| names.get_mut(name)) {
            Some(sum) => sum.add(&fields, now),
            None => new_slot(&mut shard.names, kind, name).add(&fields, now),
        }
    }

    /// Gathers what was counted into the last seconds; once a round, whether the store is there or not.
    pub(crate) fn gather(&self, now: Wall) {
        let mut ring = lock(&self.ring);
        self.shards.iter().for_each(|shard| ring.gather(lock(shard).fresh.take(), now));
    }

    /// Whether nothing of a kind was counted on this node in the last minute.
    pub(crate) fn is_idle(&self, kind: &str, now: Wall) -> bool {
        let since = now.plus_ms(-60_000).0.div_euclid(1_000);
        self.seconds(kind, now).iter().all(|(second, _)| *second < since)
    }

    /// What was counted of a kind in each of the last seconds that had any.
    pub(super) fn seconds(&self, kind: &str, now: Wall) -> Vec<(i64, [i64; FIELD_COUNT])> {
        self.gather(now);
        lock(&self.ring).of(kind)
    }

    /// The next flush: the one before if that is not known to be in the store, else what was counted since. `None` if there is
    /// nothing, or one is under way.
    pub(crate) fn begin(&self, node: &str, life: Id) -> Option<Batch> {
        let mut flushing = lock(&self.flushing);
        if flushing.under_way {
            return None;
        }
        if flushing.batch.is_none() {
            let deltas = self.take();
            if deltas.is_empty() {
                return None;
            }
            flushing.number += 1;
            flushing.batch = Some(Batch { node: node.to_owned(), life, number: flushing.number, deltas });
        }
        flushing.under_way = true;
        flushing.batch.clone()
    }

    /// What came of the flush: in the store, or to be done again.
    pub(crate) fn end(&self, stored: bool) {
        let mut flushing = lock(&self.flushing);
        flushing.under_way = false;
        if stored {
            flushing.batch = None;
        }
    }

    /// Takes keys out, in a fixed order, whole shards at a time; what is too much stays for the next flush.
    fn take(&self) -> Vec<Delta> {
        let mut deltas = vec![];
        for shard in &self.shards {
            let mut shard = lock(shard);
            let keys: usize = shard.names.values().map(HashMap::len).sum();
            if deltas.len() + keys > BATCH_MAX {
                break;
            }
            deltas.extend(std::mem::take(&mut shard.names).into_iter().flat_map(deltas_of));
        }
        deltas.sort_by(|one, other| (&one.kind, &one.name).cmp(&(&other.kind, &other.name)));
        deltas
    }
}

/// A sum for a name that has none yet, or that of the others if there is no room.
fn new_slot<'a>(names: &'a mut Names, kind: &'static str, name: &str) -> &'a mut Sum {
    let full = names.values().map(HashMap::len).sum::<usize>() >= SHARD_KEYS_MAX;
    let name = if full { OTHERS } else { name };
    names.entry(kind).or_default().entry(name.to_owned()).or_default()
}

fn deltas_of((kind, names): (&'static str, HashMap<String, Sum>)) -> impl Iterator<Item = Delta> {
    names.into_iter().map(move |(name, sum)| Delta {
        kind: kind.to_owned(),
        name,
        fields: sum.fields,
        last_seen: Wall(sum.last_seen),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life() -> Id {
        Id::new(Wall(1), [0; 10])
    }

    fn batch(counters: &Counters) -> Option<Batch> {
        counters.begin("n", life())
    }

    #[test]
    fn ker_29_a_flush_whose_outcome_is_unknown_comes_again_as_it_was() {
        let counters = Counters::default();
        counters.add("device", "d1", Field::Sent, 2, Wall(7));
        let first = batch(&counters).unwrap();
        assert_eq!(batch(&counters), None, "one at a time");
        counters.add("device", "d1", Field::Sent, 5, Wall(9));
        counters.end(false);
        assert_eq!(batch(&counters), Some(first.clone()));
        counters.end(true);
        let second = batch(&counters).unwrap();
        assert_eq!((first.number, second.number), (1, 2));
        assert_eq!((first.deltas[0].fields[0], second.deltas[0].fields[0]), (2, 5));
        counters.end(true);
        assert_eq!(batch(&counters), None, "nothing is left");
    }

    #[test]
    fn ker_29_keys_in_memory_are_bounded_and_nothing_is_dropped() {
        let counters = Counters::default();
        for number in 0..30_000 {
            counters.add("sensor client", &number.to_string(), Field::Errors, 1, Wall(1));
        }
        let (mut keys, mut sum) = (0, 0);
        while let Some(batch) = batch(&counters) {
            assert!(batch.deltas.len() <= BATCH_MAX);
            keys += batch.deltas.len();
            sum += batch.deltas.iter().map(|delta| delta.fields[Field::Errors as usize]).sum::<i64>();
            counters.end(true);
        }
        assert_eq!(sum, 30_000);
        assert!(keys <= SHARDS * (SHARD_KEYS_MAX + 1), "{keys}");
    }
}
