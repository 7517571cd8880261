//! Makes a graph anew from tasks and decisions (WFL-25): it holds nothing that they do not tell.

use std::collections::{BTreeMap, BTreeSet};

use base::Heard;

use super::{Ended, Graph, Item};

/// What is known of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// What it was laid out to wait for.
    pub waits: BTreeSet<i64>,
    /// How it ended, if it did.
    pub ended: Option<Ended>,
    /// It ended with an error that nobody accepts.
    pub broken: bool,
    /// It was ready before: there is a decision of it.
    pub begun: bool,
}

/// The graph of these tasks; those that never began and wait for nothing are still to ripen. A task that waits for one that is not there waits for ever: whoever calls this looks for those first.
#[must_use]
pub fn rebuild(tasks: &BTreeMap<i64, Known>, now: Heard) -> Graph {
    let mut graph = Graph { next: tasks.keys().last().map_or(1, |last| last + 1), ..Graph::default() };
    for (number, task) in tasks {
        match task.ended {
            Some(Ended::As(other)) => drop(graph.same.insert(*number, other)),
            Some(Ended::Itself) => {}
            None => continue,
        }
        graph.done.insert(*number);
    }
    for (number, task) in tasks.iter().filter(|(_, task)| task.ended.is_none()) {
        let waits = task.waits.iter().map(|wait| graph.resolved(*wait));
        let waits = waits.filter(|wait| !graph.done.contains(wait)).collect();
        graph.open.insert(*number, Item { waits, ready: task.begun.then_some(now), broken: task.broken });
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A process of random tasks, each waiting for some before it, run for a while in some order.
    fn run(waits: &[Vec<usize>], steps: &[usize]) -> (Graph, BTreeMap<i64, Known>) {
        let mut graph = Graph::of_start(1, Heard(0));
        let mut tasks = BTreeMap::from([(1, Known::default())]);
        for (place, waits) in waits.iter().enumerate() {
            let number = i64::try_from(place).unwrap() + 2;
            let waits: BTreeSet<i64> =
                waits.iter().map(|wait| i64::try_from(wait % (place + 1)).unwrap() + 1).collect();
            graph.lay_out(number, &waits);
            tasks.insert(number, Known { waits, ..Known::default() });
        }
        graph.ripen(Heard(0));
        for step in steps {
            let ready: Vec<i64> = graph.ready().map(|(number, _)| number).collect();
            let Some(number) = ready.get(step % ready.len().max(1)).copied() else { break };
            let later: Vec<i64> = graph.open.keys().filter(|other| **other > number).copied().collect();
            let mut promised = graph.clone();
            let ended = match later.first() {
                Some(other)
                    if step % 3 == 0
                        && promised.finish(number, Ended::As(*other)).is_ok()
                        && promised.check().is_ok() =>
                {
                    Ended::As(*other)
                }
                _ => Ended::Itself,
            };
            graph.finish(number, ended).unwrap();
            graph.ripen(Heard(0));
            tasks.get_mut(&number).unwrap().ended = Some(ended);
        }
        (graph, tasks)
    }

    proptest! {
        #[test]
        fn wfl_25_a_graph_made_anew_is_the_one_that_was_lost(
            waits in prop::collection::vec(prop::collection::vec(0..20_usize, 0..4), 0..20),
            steps in prop::collection::vec(0..50_usize, 0..30),
        ) {
            let (graph, tasks) = run(&waits, &steps);
            let mut again = rebuild(&tasks, Heard(0));
            again.ripen(Heard(0));
            prop_assert_eq!(again, graph);
        }
    }
}
