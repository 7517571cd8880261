//! Looks at every state that can be reached.

use std::collections::{HashMap, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;

/// Everything at one moment, and what can happen next.
pub trait Model: Clone + Eq + Hash {
    type Event: Copy + Debug;
    /// Everything that can happen now; faults as long as there are some left.
    fn events(&self) -> Vec<Self::Event>;
    /// What happens by itself: where nothing does, it is an end.
    fn deeds(&self) -> Vec<Self::Event>;
    /// What comes of it.
    fn after(&self, event: Self::Event) -> Self;
    /// What is wrong with an end, if something is.
    fn wrong_end(&self) -> Option<String>;
    /// All versions together: they only grow.
    fn age(&self) -> u64;
}

/// More than any search here has: one that goes on for ever is noticed.
const STATES_MAX: usize = 5_000_000;

pub enum Verdict {
    Well { states: usize },
    Wrong { what: String, trace: Vec<String> },
}

/// States in the order in which they were found, with how they were.
struct Found<M: Model> {
    places: HashMap<M, usize>,
    came_from: Vec<Option<(usize, M::Event)>>,
    /// Of each state, those from which it is one step.
    before: Vec<Vec<usize>>,
    ends: Vec<usize>,
}

pub fn search<M: Model>(first: M) -> Verdict {
    let mut found = Found {
        places: HashMap::from([(first.clone(), 0)]),
        came_from: vec![None],
        before: vec![vec![]],
        ends: vec![],
    };
    let mut next = VecDeque::from([(0, first)]);
    while let Some((place, world)) = next.pop_front() {
        if world.deeds().is_empty() {
            if let Some(what) = world.wrong_end() {
                return Verdict::Wrong { what, trace: found.trace(place) };
            }
            found.ends.push(place);
        }
        for event in world.events() {
            let then = world.after(event);
            assert!(then.age() >= world.age(), "versions only grow");
            if let Some(then) = found.add(place, event, then) {
                next.push_back(then);
            }
        }
        assert!(found.came_from.len() < STATES_MAX, "more states than there can be");
    }
    match found.without_an_end() {
        Some(place) => Verdict::Wrong { what: "it never ends".into(), trace: found.trace(place) },
        None => Verdict::Well { states: found.came_from.len() },
    }
}

impl<M: Model> Found<M> {
    /// Takes a state in; itself with its place if it is new.
    fn add(&mut self, from: usize, event: M::Event, world: M) -> Option<(usize, M)> {
        if let Some(known) = self.places.get(&world) {
            self.before[*known].push(from);
            return None;
        }
        let place = self.came_from.len();
        self.places.insert(world.clone(), place);
        self.came_from.push(Some((from, event)));
        self.before.push(vec![from]);
        Some((place, world))
    }

    fn trace(&self, mut place: usize) -> Vec<String> {
        let mut trace = vec![];
        while let Some((from, event)) = self.came_from[place] {
            trace.push(format!("{event:?}"));
            place = from;
        }
        trace.reverse();
        trace
    }

    /// A state in which things can go on for ever without coming to an end.
    fn without_an_end(&self) -> Option<usize> {
        let mut is_good = vec![false; self.came_from.len()];
        let mut next = self.ends.clone();
        while let Some(place) = next.pop() {
            if !std::mem::replace(&mut is_good[place], true) {
                next.extend(&self.before[place]);
            }
        }
        is_good.iter().position(|is_good| !is_good)
    }
}
