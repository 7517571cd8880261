//! Compares a graph with what tasks and decisions tell, and mends it (WFL-13, WFL-25): pure.
//!
//! - A result that the graph does not know is applied; tasks that it does not know are taken in.
//! - A finished task whose decision is gone: a promise is known from the graph and written again; a value is lost, and the task runs again
//!   if somebody still needs it: a task that is not in work yet, or the end of the process.
//! - A task that is ready, not in work, and needs such a value waits again.
//! - A task that is named and not there is missing: nothing can be mended then.

use std::collections::{BTreeMap, BTreeSet};

use base::Heard;
use base::mutants::{self, Mutant};

use crate::graph::{Ended, Graph, Item};

/// What tasks and decisions tell of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    /// Its row is there.
    pub has_task: bool,
    /// All that it was laid out to wait for.
    pub waits: BTreeSet<i64>,
    /// Those of them whose values it is given.
    pub promises: BTreeSet<i64>,
    /// There is a decision of it.
    pub begun: bool,
    /// Somebody works on it.
    pub in_work: bool,
    /// How it ended.
    pub ended: Option<Ended>,
    /// It ended with an error that nobody accepts.
    pub broken: bool,
    /// What its decision laid out.
    pub made: BTreeSet<i64>,
}

/// What is to be done with a task because of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Its result is applied to the graph.
    Applied,
    /// The graph takes it in.
    TakenIn,
    /// Its error is applied: the process is broken.
    BrokenOff,
    /// Its decision is written again: its result is that of another.
    Promised(i64),
    /// Its error is lost; it is broken all the same.
    BrokenAgain,
    /// Its value is lost: it runs again.
    Again,
    /// It waits again for a value that was lost.
    WaitsAgain,
    /// The task that the process begins with is missing, and laid out again.
    StartAgain,
    /// It is missing.
    Missing,
}

impl Change {
    /// The kind in the history, and what people read.
    #[must_use]
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Applied => ("applied", "its result was stored, and the graph did not know of it"),
            Self::TakenIn => ("applied", "it was laid out, and the graph did not know of it"),
            Self::BrokenOff => ("applied", "its error was stored, and the graph did not know of it"),
            Self::Promised(_) => {
                ("rebuilt", "its decision was lost and written again: it promised the result of another task")
            }
            Self::BrokenAgain => ("rebuilt", "its decision was lost and written again: it is broken"),
            Self::Again => ("requeued", "its result was lost and is needed: it runs again"),
            Self::WaitsAgain => ("rebuilt", "a result that it needs was lost: it waits for it again"),
            Self::StartAgain => ("rebuilt", "the first task of the process was missing and laid out again"),
            Self::Missing => ("inconsistent", "it is missing"),
        }
    }
}

/// A graph as it should be, and what has to be done so that it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mended {
    /// As it should be.
    pub graph: Graph,
    /// What is to be done.
    pub changes: BTreeMap<i64, Change>,
}

/// Mends a graph. At most so many tasks run again at once: the next look finds the others.
#[must_use]
pub fn mend(graph: &Graph, facts: &BTreeMap<i64, Fact>, first: i64, now: Heard, again_max: usize) -> Mended {
    let mut mended = Mended { graph: graph.clone(), changes: BTreeMap::new() };
    mended.take_in(facts, first, now);
    mended.write_again(facts);
    for _ in 0..again_max {
        if !mended.run_again(facts, first, now) {
            break;
        }
    }
    mended.wait_again(facts);
    mended.find_missing(facts, first);
    mended
}

impl Mended {
    /// What ended, and what the graph does not know at all.
    fn take_in(&mut self, facts: &BTreeMap<i64, Fact>, first: i64, now: Heard) {
        let unknown: Vec<i64> = facts.keys().filter(|number| !self.graph.knows(**number)).copied().collect();
        for (number, fact) in facts {
            let Some(ended) = fact.ended else { continue };
            let was_open = self.graph.open.remove(number).is_some();
            if !self.graph.done.insert(*number) {
                continue;
            }
            if let Ended::As(other) = ended {
                self.graph.same.insert(*number, other);
            }
            self.changes.insert(*number, if was_open { Change::Applied } else { Change::TakenIn });
        }
        for number in unknown.into_iter().filter(|number| facts[number].ended.is_none() && facts[number].has_task) {
            let ready = facts[&number].begun.then_some(now);
            self.graph.open.insert(number, Item { ready, ..Item::default() });
            self.changes.insert(number, Change::TakenIn);
        }
        if !self.graph.knows(first) {
            self.graph.open.insert(first, Item::default());
            self.changes.insert(first, Change::StartAgain);
        }
        self.graph.next =
            self.graph.open.keys().chain(&self.graph.done).max().map_or(first, |last| last + 1).max(self.graph.next);
        for (number, item) in self.graph.open.iter_mut().filter(|(_, item)| !item.broken) {
            if facts.get(number).is_some_and(|fact| fact.broken) {
                item.broken = true;
                self.changes.insert(*number, Change::BrokenOff);
            }
        }
    }

    /// Decisions that the graph can tell.
    fn write_again(&mut self, facts: &BTreeMap<i64, Fact>) {
        let is_lost = |number: &i64| facts.get(number).is_none_or(|fact| !fact.begun);
        for (number, other) in self.graph.same.iter().filter(|(number, _)| is_lost(number)) {
            self.changes.insert(*number, Change::Promised(*other));
        }
        for (number, _) in self.graph.open.iter().filter(|(number, item)| item.broken && is_lost(number)) {
            self.changes.insert(*number, Change::BrokenAgain);
        }
    }

    /// Finds one task whose value is lost and needed; whether there was one.
    fn run_again(&mut self, facts: &BTreeMap<i64, Fact>, first: i64, now: Heard) -> bool {
        let has_value = |number: &i64| facts.get(number).is_some_and(|fact| fact.ended.is_some());
        let is_lost = |number: &i64| {
            self.graph.done.contains(number) && !self.graph.same.contains_key(number) && !has_value(number)
        };
        let idle = self.graph.open.iter().filter(|(_, item)| !item.broken).map(|(number, _)| number);
        let idle = idle.filter_map(|number| facts.get(number)).filter(|fact| !fact.in_work);
        let mut needed =
            idle.flat_map(|fact| &fact.promises).chain([&first]).map(|number| self.graph.resolved(*number));
        let Some(number) = needed.find(is_lost).filter(|_| !mutants::on(Mutant::WorkflowLossLeft)) else {
            return false;
        };
        let begun = facts.get(&number).is_some_and(|fact| fact.begun);
        self.graph.done.remove(&number);
        self.graph.open.insert(number, Item { ready: begun.then_some(now), ..Item::default() });
        self.changes.insert(number, Change::Again);
        true
    }

    /// What each waits for, as the tasks tell it.
    fn wait_again(&mut self, facts: &BTreeMap<i64, Fact>) {
        let open: Vec<i64> =
            self.graph.open.iter().filter(|(_, item)| !item.broken).map(|(number, _)| *number).collect();
        for number in open {
            let Some(fact) = facts.get(&number).filter(|fact| fact.has_task && !fact.in_work) else { continue };
            let waits = fact.waits.iter().map(|wait| self.graph.resolved(*wait));
            let waits: BTreeSet<i64> = waits.filter(|wait| !self.graph.done.contains(wait)).collect();
            let Some(item) = self.graph.open.get_mut(&number) else { continue };
            let was_ready = item.ready.is_some();
            if !waits.is_empty() && was_ready {
                item.ready = None;
                self.changes.entry(number).or_insert(Change::WaitsAgain);
            }
            if item.ready.is_none() {
                item.waits = waits;
            }
        }
    }

    /// What is named and is not there.
    fn find_missing(&mut self, facts: &BTreeMap<i64, Fact>, first: i64) {
        let is_there =
            |number: &i64| self.graph.done.contains(number) || facts.get(number).is_some_and(|fact| fact.has_task);
        let open = self.graph.open.iter().filter(|(_, item)| !item.broken).map(|(number, _)| number);
        let waits = self.graph.open.values().filter(|item| !item.broken).flat_map(|item| &item.waits);
        let made = facts.values().filter(|fact| fact.ended.is_some()).flat_map(|fact| &fact.made);
        let made = made.filter(|number| self.graph.open.get(number).is_none_or(|item| !item.broken));
        let missing: BTreeSet<i64> =
            open.chain(waits).chain(made).filter(|number| !is_there(number)).copied().collect();
        for number in missing {
            let change = if number == first { Change::StartAgain } else { Change::Missing };
            self.changes.insert(number, change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[i64]) -> BTreeSet<i64> {
        numbers.iter().copied().collect()
    }

    fn task(waits: &[i64]) -> Fact {
        Fact { has_task: true, waits: set(waits), promises: set(waits), ..Fact::default() }
    }

    fn ended(fact: Fact, ended: Ended) -> Fact {
        Fact { begun: true, ended: Some(ended), ..fact }
    }

    /// 1 laid out 2, and 3 that needs it, and promised its result; 2 is done, 3 is ready.
    fn two() -> (Graph, BTreeMap<i64, Fact>) {
        let mut graph = Graph::of_start(1, Heard(0));
        graph.lay_out(2, &set(&[]));
        graph.lay_out(3, &set(&[2]));
        graph.finish(1, Ended::As(3)).unwrap();
        graph.ripen(Heard(1));
        graph.finish(2, Ended::Itself).unwrap();
        graph.ripen(Heard(2));
        let first = Fact { made: set(&[2, 3]), ..ended(task(&[]), Ended::As(3)) };
        let facts = [(1, first), (2, ended(task(&[]), Ended::Itself)), (3, Fact { begun: true, ..task(&[2]) })];
        (graph, facts.into())
    }

    fn mended(graph: &Graph, facts: &BTreeMap<i64, Fact>) -> Mended {
        mend(graph, facts, 1, Heard(9), 100)
    }

    #[test]
    fn wfl_15_a_graph_that_is_well_stays_as_it_is() {
        let (graph, facts) = two();
        assert_eq!(mended(&graph, &facts), Mended { graph, changes: BTreeMap::new() });
    }

    #[test]
    fn wfl_13_results_and_tasks_that_a_graph_does_not_know_are_taken_in() {
        let (graph, facts) = two();
        let found = mended(&Graph::of_start(1, Heard(0)), &facts);
        assert_eq!(found.changes, [(1, Change::Applied), (2, Change::TakenIn), (3, Change::TakenIn)].into());
        let mut wanted = graph;
        wanted.open.get_mut(&3).unwrap().ready = Some(Heard(9));
        assert_eq!(found.graph, wanted);
    }

    #[test]
    fn wfl_25_a_value_that_is_lost_is_made_again_if_it_is_needed() {
        let (graph, mut facts) = two();
        facts.insert(2, task(&[]));
        let found = mended(&graph, &facts);
        assert_eq!(found.changes, [(2, Change::Again), (3, Change::WaitsAgain)].into());
        assert_eq!((found.graph.open[&3].ready, &found.graph.open[&3].waits), (None, &set(&[2])));
        facts.get_mut(&3).unwrap().in_work = true;
        assert_eq!(mended(&graph, &facts).changes, BTreeMap::new(), "who has it does not need it any more");
    }

    #[test]
    fn wfl_25_a_promise_that_is_lost_is_written_again() {
        let (graph, mut facts) = two();
        facts.insert(1, task(&[]));
        let found = mended(&graph, &facts);
        assert_eq!((found.graph, found.changes), (graph, [(1, Change::Promised(3))].into()));
    }

    #[test]
    fn wfl_11_what_is_named_and_not_there_is_missing() {
        let (graph, mut facts) = two();
        facts.remove(&3);
        assert_eq!(mended(&graph, &facts).changes, [(3, Change::Missing)].into());
        let none = mended(&Graph::default(), &BTreeMap::new());
        assert_eq!(none.changes, [(1, Change::StartAgain)].into(), "the first can be made again");
    }

    #[test]
    fn wfl_25_a_task_that_is_lost_and_whose_result_is_there_is_not_missed() {
        let (graph, mut facts) = two();
        facts.get_mut(&2).unwrap().has_task = false;
        assert_eq!(mended(&graph, &facts).changes, BTreeMap::new());
    }

    #[test]
    fn a_broken_task_whose_decision_is_lost_stays_broken() {
        let (mut graph, mut facts) = two();
        graph.break_off(3);
        facts.get_mut(&3).unwrap().begun = false;
        assert_eq!(mended(&graph, &facts).changes, [(3, Change::BrokenAgain)].into());
        facts.insert(3, Fact { begun: true, broken: true, ..task(&[2]) });
        assert_eq!(mended(&graph, &facts).changes, BTreeMap::new());
        let (unaware, _) = two();
        assert_eq!(mended(&unaware, &facts).changes, [(3, Change::BrokenOff)].into());
    }
}
