//! The graph of a process (WFL-5), pure: which of its tasks are unfinished, since when they are ready, what they wait for.
//!
//! A task whose result is a promise of another is *the same* as that other for all who wait: they are pointed there. Nothing that would
//! never become ready is taken in: cycles and unknown references are refused before anything changes.

mod cycle;
mod numbers;
mod rebuild;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use base::{Heard, OpError, OpResult};

pub use rebuild::{Known, rebuild};

use crate::codes::AGRAPH;

/// An unfinished task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// Since when it waits for no other task.
    pub ready: Option<Heard>,
    /// What it waits for: only tasks that are unfinished.
    pub waits: BTreeSet<i64>,
    /// It ended with an error that nobody accepts; somebody has to restart it.
    pub broken: bool,
}

/// The graph of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The number of the next task that is laid out.
    pub next: i64,
    /// Unfinished tasks.
    pub open: BTreeMap<i64, Item>,
    /// Finished tasks.
    pub done: BTreeSet<i64>,
    /// Tasks whose result is that of another.
    pub same: BTreeMap<i64, i64>,
}

/// How a task ended, for those who wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With something of its own: a value, or an error that is accepted.
    Itself,
    /// With whatever that one ends with.
    As(i64),
}

impl Graph {
    /// A graph of one task, ready now.
    #[must_use]
    pub fn of_start(number: i64, now: Heard) -> Self {
        let start = Item { ready: Some(now), ..Item::default() };
        Self { next: number + 1, open: [(number, start)].into(), ..Self::default() }
    }

    /// Whether there is such a task.
    #[must_use]
    pub fn knows(&self, number: i64) -> bool {
        self.open.contains_key(&number) || self.done.contains(&number)
    }

    /// The task whose result this one's is in the end.
    #[must_use]
    pub fn resolved(&self, number: i64) -> i64 {
        let mut number = number;
        // As long as a chain can be at most; it has no circles, and a damaged one must not hold us.
        for _ in 0..=self.same.len() {
            match self.same.get(&number) {
                Some(other) => number = *other,
                None => break,
            }
        }
        number
    }

    /// Takes in a task that a task laid out, with what it waits for; [`Self::check`] afterwards.
    pub fn lay_out(&mut self, number: i64, waits: &BTreeSet<i64>) {
        let waits = waits.iter().map(|wait| self.resolved(*wait)).filter(|wait| !self.done.contains(wait)).collect();
        self.open.insert(number, Item { waits, ..Item::default() });
        self.next = self.next.max(number + 1);
    }

    /// Those that wait for nothing any more and were not ready: they are from now on.
    pub fn ripen(&mut self, now: Heard) -> Vec<i64> {
        let unripe = self.open.iter_mut().filter(|(_, item)| item.ready.is_none() && item.waits.is_empty());
        unripe
            .map(|(number, item)| {
                item.ready = Some(now);
                *number
            })
            .collect()
    }

    /// A task ended; nothing happens if it was not open.
    ///
    /// # Errors
    /// `AGRAPH`: it promises the result of a task that is not there, or of one that waits for it.
    pub fn finish(&mut self, number: i64, ended: Ended) -> OpResult<()> {
        if self.open.remove(&number).is_none() {
            return Ok(());
        }
        self.done.insert(number);
        let instead = match ended {
            Ended::Itself => None,
            Ended::As(other) if other == number || !self.knows(other) => {
                return Err(no_promise(number, other));
            }
            Ended::As(other) => {
                self.same.insert(number, other);
                let other = self.resolved(other);
                (!self.done.contains(&other)).then_some(other)
            }
        };
        for item in self.open.values_mut() {
            if item.waits.remove(&number) {
                item.waits.extend(instead);
            }
        }
        Ok(())
    }

    /// Refuses tasks that wait for each other.
    ///
    /// # Errors
    /// `AGRAPH`.
    pub fn check(&self) -> OpResult<()> {
        if let Some(unknown) =
            self.open.values().flat_map(|item| &item.waits).find(|wait| !self.open.contains_key(wait))
        {
            return Err(OpError::new(AGRAPH, format!("a task waits for {unknown}, which is not there")));
        }
        match cycle::find(&self.open) {
            Some(number) => Err(waits_for_itself(number)),
            None => Ok(()),
        }
    }

    /// Refuses new tasks that wait for each other, or for what is not there. Tasks that are here wait for none of them, so that those need
    /// not be looked at, however many there are.
    ///
    /// # Errors
    /// `AGRAPH`.
    pub fn check_new(&self, new: &BTreeMap<i64, BTreeSet<i64>>) -> OpResult<()> {
        let mut items = BTreeMap::new();
        for (number, waits) in new {
            let waits = waits.iter().map(|wait| self.resolved(*wait)).filter(|wait| !self.done.contains(wait));
            let (new_ones, here): (BTreeSet<i64>, BTreeSet<i64>) = waits.partition(|wait| new.contains_key(wait));
            if let Some(unknown) = here.iter().find(|wait| !self.open.contains_key(wait)) {
                return Err(OpError::new(AGRAPH, format!("a task waits for {unknown}, which is not there")));
            }
            items.insert(*number, Item { waits: new_ones, ..Item::default() });
        }
        cycle::find(&items).map_or(Ok(()), |number| Err(waits_for_itself(number)))
    }

    /// Refuses a task to end with the result of another that waits for it, directly or through others; `new`: what is laid out with it.
    ///
    /// # Errors
    /// `AGRAPH`.
    pub fn check_promise(&self, number: i64, other: i64, new: &BTreeMap<i64, BTreeSet<i64>>) -> OpResult<()> {
        if other == number || !(self.knows(other) || new.contains_key(&other)) {
            return Err(no_promise(number, other));
        }
        let (mut next, mut seen) = (vec![self.resolved(other)], BTreeSet::new());
        while let Some(wait) = next.pop() {
            if wait == number {
                return Err(waits_for_itself(other));
            }
            if seen.insert(wait) {
                let waits = new.get(&wait).or_else(|| self.open.get(&wait).map(|item| &item.waits));
                next.extend(waits.into_iter().flatten().map(|wait| self.resolved(*wait)));
            }
        }
        Ok(())
    }

    /// A task ended with an error that nobody accepts.
    pub fn break_off(&mut self, number: i64) {
        self.open.get_mut(&number).into_iter().for_each(|item| item.broken = true);
    }

    /// Whether some task is broken.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.open.values().any(|item| item.broken)
    }

    /// Tasks that are ready and not broken: somebody should be at them.
    pub fn ready(&self) -> impl Iterator<Item = (i64, Heard)> {
        let ready = self.open.iter().filter(|(_, item)| !item.broken);
        ready.filter_map(|(number, item)| item.ready.map(|since| (*number, since)))
    }

    /// All tasks whose results go when this one's does: itself; those that waited for one whose value changes, as `waited` tells (a task,
    /// and what it was laid out to wait for); those that such a one laid out (`laid_out`: a task, and who did). A task that only promised
    /// the result of another one keeps its promise, but its value changes.
    #[must_use]
    pub fn after(
        &self,
        number: i64,
        waited: &BTreeMap<i64, BTreeSet<i64>>,
        laid_out: &BTreeMap<i64, i64>,
    ) -> BTreeSet<i64> {
        let (mut dropped, mut changed) = (BTreeSet::from([number]), BTreeSet::from([number]));
        loop {
            let goes = |task: &i64| {
                waited.get(task).is_some_and(|waits| !waits.is_disjoint(&changed))
                    || laid_out.get(task).is_some_and(|parent| dropped.contains(parent))
            };
            let gone: Vec<i64> = waited.keys().filter(|task| !dropped.contains(task) && goes(task)).copied().collect();
            let promised = self.same.iter().filter(|(task, other)| !changed.contains(task) && changed.contains(other));
            let promised: Vec<i64> = promised.map(|(task, _)| *task).collect();
            if gone.is_empty() && promised.is_empty() {
                return dropped;
            }
            changed.extend(gone.iter().chain(&promised));
            dropped.extend(gone);
        }
    }
}

fn waits_for_itself(number: i64) -> OpError {
    OpError::new(AGRAPH, format!("task {number} waits for itself, directly or through others"))
}

fn no_promise(number: i64, other: i64) -> OpError {
    OpError::new(AGRAPH, format!("the result of {number} is promised of {other}, which is not there"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(numbers: &[i64]) -> BTreeSet<i64> {
        numbers.iter().copied().collect()
    }

    /// 1 laid out 2, 3, and 4 that waits for both; and its result is that of 4.
    fn fan() -> Graph {
        let mut graph = Graph::of_start(1, Heard(10));
        graph.lay_out(2, &set(&[]));
        graph.lay_out(3, &set(&[]));
        graph.lay_out(4, &set(&[2, 3]));
        graph.finish(1, Ended::As(4)).unwrap();
        graph.check().unwrap();
        graph
    }

    /// A graph of ten tasks that wait for earlier ones only, of which some are done.
    fn some_graph(waits: &[BTreeSet<i64>], done: &BTreeSet<i64>) -> Graph {
        let mut graph = Graph::default();
        for (number, waits) in (1..).zip(waits) {
            let earlier = waits.iter().copied().filter(|wait| *wait < number).collect();
            graph.lay_out(number, &earlier);
        }
        done.iter().for_each(|number| graph.finish(*number, Ended::Itself).unwrap());
        graph
    }

    proptest! {
        #[test]
        fn wfl_5_what_is_refused_beside_the_graph_is_what_would_be_wrong_in_it(
            old in proptest::collection::vec(proptest::collection::btree_set(1_i64..=8, 0..4), 8),
            done in proptest::collection::btree_set(1_i64..=8, 0..3),
            new in proptest::collection::btree_map(9_i64..=12, proptest::collection::btree_set(1_i64..=13, 0..4), 0..4),
            (number, other) in (1_i64..=12, 1_i64..=13),
        ) {
            let graph = some_graph(&old, &done);
            let mut whole = graph.clone();
            new.iter().for_each(|(number, waits)| whole.lay_out(*number, waits));
            prop_assert_eq!(graph.check_new(&new).is_ok(), whole.check().is_ok());
            // Only a task that is open promises, and only where all else is well.
            if whole.check().is_ok() && graph.open.contains_key(&number) {
                let promised = whole.finish(number, Ended::As(other)).and_then(|()| whole.check());
                prop_assert_eq!(graph.check_promise(number, other, &new).is_ok(), promised.is_ok());
            }
        }
    }

    #[test]
    fn wfl_5_what_waits_for_nothing_becomes_ready() {
        let mut graph = fan();
        assert_eq!(graph.ripen(Heard(20)), [2, 3]);
        assert_eq!(graph.ripen(Heard(21)), [0_i64; 0], "once");
        graph.finish(2, Ended::Itself).unwrap();
        assert_eq!(graph.ripen(Heard(30)), [0_i64; 0], "3 is still to come");
        graph.finish(3, Ended::Itself).unwrap();
        assert_eq!(graph.ripen(Heard(40)), [4]);
        graph.finish(4, Ended::Itself).unwrap();
        assert!(graph.open.is_empty());
        assert_eq!((graph.resolved(1), graph.next), (4, 5));
    }

    #[test]
    fn wfl_5_a_result_that_is_a_promise_repoints_those_who_waited() {
        let mut graph = Graph::of_start(1, Heard(0));
        graph.lay_out(2, &set(&[]));
        graph.lay_out(3, &set(&[2]));
        graph.finish(1, Ended::Itself).unwrap();
        graph.ripen(Heard(1));
        graph.lay_out(4, &set(&[]));
        graph.finish(2, Ended::As(4)).unwrap();
        assert_eq!(graph.open[&3].waits, set(&[4]));
        assert_eq!(graph.ripen(Heard(2)), [4]);
        graph.finish(4, Ended::Itself).unwrap();
        assert_eq!(graph.ripen(Heard(3)), [3]);
    }

    #[test]
    fn wfl_5_a_promise_of_what_is_done_already_is_kept_at_once() {
        let mut graph = fan();
        graph.finish(2, Ended::Itself).unwrap();
        graph.lay_out(5, &set(&[2]));
        assert!(graph.open[&5].waits.is_empty());
        graph.finish(3, Ended::As(2)).unwrap();
        assert!(graph.open[&4].waits.is_empty());
    }

    #[test]
    fn wfl_5_cycles_and_unknown_references_are_refused() {
        let mut graph = fan();
        assert_eq!(graph.clone().finish(2, Ended::As(9)).unwrap_err().code, AGRAPH);
        assert_eq!(graph.clone().finish(2, Ended::As(2)).unwrap_err().code, AGRAPH);
        graph.finish(2, Ended::As(4)).unwrap();
        assert_eq!(graph.check().unwrap_err().code, AGRAPH, "4 waits for 2, whose result is that of 4");
        let mut graph = Graph::of_start(1, Heard(0));
        graph.lay_out(2, &set(&[3]));
        graph.lay_out(3, &set(&[2]));
        assert_eq!(graph.check().unwrap_err().code, AGRAPH);
        let mut graph = Graph::of_start(1, Heard(0));
        graph.lay_out(2, &set(&[7]));
        assert_eq!(graph.check().unwrap_err().code, AGRAPH, "7 is not there");
    }

    #[test]
    fn wfl_18_after_a_task_comes_what_needs_it_and_what_it_laid_out() {
        let graph = fan();
        let waited =
            [(1, set(&[])), (2, set(&[])), (3, set(&[])), (4, set(&[2, 3])), (5, set(&[1])), (6, set(&[]))].into();
        let laid_out = BTreeMap::from([(2, 1), (3, 1), (4, 1), (5, 1), (6, 3)]);
        assert_eq!(graph.after(2, &waited, &laid_out), set(&[2, 4, 5]), "1 only promised the result of 4");
        assert_eq!(graph.after(1, &waited, &laid_out), set(&[1, 2, 3, 4, 5, 6]));
        let mut own = graph;
        own.same.clear();
        assert_eq!(own.after(2, &waited, &laid_out), set(&[2, 4]));
        assert_eq!(own.after(3, &waited, &laid_out), set(&[3, 4, 6]));
    }
}
