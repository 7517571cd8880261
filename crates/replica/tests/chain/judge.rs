//! What a copy must hold and what an answer may hold, told from the model's states alone.

use std::collections::{BTreeMap, BTreeSet};

use replica::{DocCopy, ItemKey, Upgrade};

use super::history::{State, item_key};

/// What has to happen over all runs: the five cases, then the reasons for them that are easily missed.
pub const REACHED: [&str; 12] = [
    "level",
    "changes",
    "changes and keys",
    "full",
    "deleted",
    "full for a new life",
    "full for a new epoch",
    "full for a version that was given out twice",
    "refused by a source that lags more",
    "answered by a copy",
    "told by keys alone that an item is gone",
    "answered by a source that had moved its dt",
];

/// How often each of them happened.
#[derive(Debug, Default)]
pub struct Reached(BTreeMap<&'static str, u32>);

impl Reached {
    pub fn count(&mut self, what: &'static str, happened: bool) {
        assert!(REACHED.contains(&what), "{what}");
        *self.0.entry(what).or_default() += u32::from(happened);
    }

    pub fn check(&self) {
        for what in REACHED {
            assert!(self.0.get(what).is_some_and(|count| *count >= 5), "hardly ever {what}: {self:?}");
        }
    }
}

/// A copy against the state that it is a copy of.
pub fn equal(copy: Option<&DocCopy>, truth: Option<&State>) {
    let (Some(copy), Some(truth)) = (copy, truth) else {
        assert_eq!(copy.is_some(), truth.is_some(), "there is a copy of nothing, or none of something");
        return;
    };
    assert_eq!((copy.head.v, copy.head.ct), (truth.v, truth.ct));
    assert!(truth.dt <= copy.head.dt && copy.head.dt <= copy.head.v.max(truth.dt), "dt {copy:?} {truth:?}");
    let owed = |live: bool, v: i64| live || v > copy.head.dt;
    let held: Vec<_> = copy.items.iter().filter(|(_, item)| owed(item.content.is_some(), item.v)).collect();
    let expected = truth.items.iter().filter(|(_, cell)| owed(cell.number.is_some(), cell.v));
    let mut expected: Vec<_> = expected.map(|(key, cell)| (item_key(*key), cell.as_item())).collect();
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(held, expected.iter().map(|(key, item)| (key, item)).collect::<Vec<_>>());
    assert!(copy.items.values().all(|item| item.content.is_some() || item.v >= copy.head.dt), "purged: {copy:?}");
}

/// An answer against what the copy had (`before`) and what the source has (`after`), within one epoch.
pub fn smallest(answer: Option<&Upgrade>, before: Option<&State>, after: Option<&State>, source_dt: i64) {
    match (before, after) {
        (None, None) => assert_eq!(answer, None),
        (Some(_), None) => assert_eq!(answer, Some(&Upgrade::deleted("C", "1"))),
        (Some(before), Some(after)) if before.ct == after.ct => changes(answer, before, after, source_dt),
        (_, Some(after)) => whole(answer, after, source_dt),
    }
}

/// Everything that is there, and the tombstones that the source still has.
pub fn whole(answer: Option<&Upgrade>, after: &State, source_dt: i64) {
    let answer = answer.expect("a full copy");
    assert!(answer.full && answer.keys.is_none(), "{answer:?}");
    assert_eq!(items_of(answer), keys_where(after, |cell_v, live| live && cell_v > 0));
    let owed = keys_where(after, |v, live| !live && v > source_dt);
    let allowed = keys_where(after, |v, live| !live && v >= source_dt);
    let sent = dels_of(answer);
    assert!(owed.is_subset(&sent) && sent.is_subset(&allowed), "{sent:?} is not within {owed:?} and {allowed:?}");
}

fn changes(answer: Option<&Upgrade>, before: &State, after: &State, source_dt: i64) {
    if before.v == after.v {
        assert_eq!(answer, None, "level, so nothing is sent");
        return;
    }
    let answer = answer.expect("what changed");
    assert!(!answer.full, "{answer:?}");
    assert_eq!(items_of(answer), keys_where(after, |v, live| live && v > before.v));
    let tombstones_after = before.v.max(source_dt);
    assert_eq!(dels_of(answer), keys_where(after, |v, live| !live && v > tombstones_after));
    let unchanged = keys_where(after, |v, live| live && v <= before.v);
    let keys: Option<BTreeSet<_>> = answer.keys.as_ref().map(|keys| keys.iter().cloned().collect());
    assert_eq!(keys, (before.v < source_dt).then_some(unchanged), "keys are for case 2 alone");
    for item in &answer.items {
        let known = before.items.iter().find(|(key, _)| item_key(**key) == item.key);
        assert!(known.is_none_or(|(_, cell)| cell.v < item.v), "sent although it did not change: {item:?}");
    }
}

/// Whether the copy had something that the source knows only by its absence.
pub fn drops_by_keys(answer: &Upgrade, before: &State) -> bool {
    let Some(keys) = &answer.keys else { return false };
    let (items, dels) = (items_of(answer), dels_of(answer));
    let live = keys_where(before, |_, live| live);
    live.iter().any(|key| !keys.contains(key) && !items.contains(key) && !dels.contains(key))
}

fn items_of(answer: &Upgrade) -> BTreeSet<ItemKey> {
    answer.items.iter().map(|item| item.key.clone()).collect()
}

fn dels_of(answer: &Upgrade) -> BTreeSet<ItemKey> {
    answer.dels.iter().map(|gone| gone.key.clone()).collect()
}

fn keys_where(state: &State, wanted: impl Fn(i64, bool) -> bool) -> BTreeSet<ItemKey> {
    let cells = state.items.iter().filter(|(_, cell)| wanted(cell.v, cell.number.is_some()));
    cells.map(|(key, _)| item_key(*key)).collect()
}
