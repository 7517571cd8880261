//! Random trees and groups against the naive model.

use super::disk::Disk;
use super::store::{A, B, Store, is_all_there, is_taken};
use crate::form::{Asked, Kind, Told};
use crate::plan::{Entry, Plan, Verdict};

/// Chance from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { Some(&of[self.roll(of.len())]) }
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        (1..all.len()).for_each(|place| all.swap(place, self.roll(place + 1)));
    }

    fn name(&mut self) -> &'static str {
        ["a", "A", "b", "c", "e\u{301}"][self.roll(5)]
    }

    /// A path in something that is there, or at the top.
    fn path(&mut self, disk: &Disk) -> String {
        let name = self.name();
        match self.one(&disk.paths()).filter(|_| self.0 & 0x4000_0000 != 0) {
            Some(folder) => format!("{folder}/{name}"),
            None => name.to_owned(),
        }
    }

    fn do_something(&mut self, disk: &mut Disk, store: &Store) {
        let some = self.one(&disk.paths()).cloned().unwrap_or_default();
        match self.roll(10) {
            0 | 1 => disk.create(store, &self.path(disk), Kind::File),
            2 => disk.create(store, &self.path(disk), Kind::Folder),
            3 | 4 => disk.edit(&some),
            5 => disk.save(&some),
            6 => disk.delete(&some),
            7 => disk.rename(store, &some, &self.path(disk)),
            _ => match self.one(&disk.paths()).cloned() {
                // Onto something that is there: overwriting, or a swap by way of a third name.
                Some(other) if self.roll(2) == 0 => disk.rename(store, &some, &other),
                Some(other) => {
                    disk.rename(store, &some, "third");
                    disk.rename(store, &other, &some);
                    disk.rename(store, "third", &other);
                }
                None => {}
            },
        }
    }

    fn do_things(&mut self, disk: &mut Disk, store: &Store, most: usize) {
        (0..1 + self.roll(most)).for_each(|_| self.do_something(disk, store));
    }
}

/// Somebody who is level does this and that, and tells of it together.
fn level(dice: &mut Dice, store: &mut Store, client: &str, round: i64) {
    let mut disk = Disk::level(&client[7..], store, round as u64 * 1_000);
    dice.do_things(&mut disk, store, 8);
    let mut group = disk.changes(dice.roll(2) == 0, dice.roll(2) == 0, round);
    dice.shuffle(&mut group);
    let told = store.told();
    let plan = store.commit(client, &told, &group);
    assert!(is_taken(&plan), "whoever is level is taken: {group:#?}\n{:#?}", plan.verdicts);
    assert_eq!(store.listing(), disk.listing(), "the server has what the disk has: {group:#?}");
    assert_repeat_is_there(store, client, &told, &group);
}

/// The same group once more, by somebody who did not get the answer.
fn assert_repeat_is_there(store: &mut Store, client: &str, told: &Told, group: &[Asked]) {
    let again = store.plan(client, told, group);
    assert!(is_all_there(&again), "a repeat is there: {group:#?}\n{again:#?}");
}

pub(super) fn level_clients_are_taken(seed: u64) {
    let (mut dice, mut store) = (Dice(seed), Store::new());
    for round in 1..=6 {
        let client = [A, B][dice.roll(2)];
        level(&mut dice, &mut store, client, round);
    }
}

/// Somebody who fell behind tells of what they did; what is denied is left out, as the protocol has it.
pub(super) fn whoever_is_behind_destroys_nothing(seed: u64) {
    let (mut dice, mut store) = (Dice(seed), Store::new());
    (1..=3).for_each(|round| level(&mut dice, &mut store, A, round));
    let told = store.told();
    let mut disk = Disk::level("b", &store, 0);
    dice.do_things(&mut disk, &store, 5);
    (4..=4 + dice.roll(2) as i64).for_each(|round| level(&mut dice, &mut store, A, round));
    let mut group = disk.changes(dice.roll(2) == 0, dice.roll(2) == 0, 100);
    dice.shuffle(&mut group);
    while !group.is_empty() {
        let before = store.living();
        let plan = store.commit(B, &told, &group);
        if is_taken(&plan) {
            assert_nothing_is_destroyed(&mut store, &told, &before);
            assert_edits_are_there(&store, &group, &plan);
            assert_repeat_is_there(&mut store, B, &told, &group);
            return;
        }
        assert!(plan.rows.is_empty(), "all or none");
        let is_made = |said: &Verdict| matches!(said, Verdict::There { .. } | Verdict::Made { .. });
        let left = group.iter().zip(&plan.verdicts).filter(|(_, said)| is_made(said));
        group = left.map(|(asked, _)| asked.clone()).collect();
    }
}

/// What changed behind somebody's back lives on, with its content, where it was put.
fn assert_nothing_is_destroyed(store: &mut Store, told: &Told, before: &[Entry]) {
    use crate::plan::Tree;
    for entry in before.iter().filter(|entry| entry.seq > told.seq) {
        let now = store.now(&entry.id);
        assert!(!now.deleted, "{entry:?} is gone");
        let known = store.as_of(&entry.id, told.seq).expect("no failure");
        let known_version = known.as_ref().map_or(0, |known| known.version);
        if entry.content_version > known_version {
            assert_eq!(now.content, entry.content, "{entry:?} was overwritten");
        }
        let place = |entry: &Entry| (entry.parent.clone(), entry.name.clone());
        if known.is_none_or(|known| place(&known) != place(entry)) {
            assert_eq!(place(&now), place(entry), "{entry:?} was renamed back");
        }
    }
}

/// Each content that was taken is there.
fn assert_edits_are_there(store: &Store, group: &[Asked], plan: &Plan) {
    for (asked, said) in group.iter().zip(&plan.verdicts).filter(|(asked, _)| asked.content_changed) {
        let (Verdict::Made { id, .. } | Verdict::There { id, .. }) = said else { continue };
        assert_eq!(store.now(id).content, asked.hash, "{asked:?}");
    }
}

#[test]
fn fld_26_random_groups_of_level_clients_make_the_tree_what_their_disks_are() {
    (0..3_000).for_each(level_clients_are_taken);
}

#[test]
fn fld_26_random_groups_of_clients_that_are_behind_destroy_nothing() {
    (0..3_000).for_each(whoever_is_behind_destroys_nothing);
}
