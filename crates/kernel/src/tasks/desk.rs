//! When to claim how many tasks of one queue: pure, told events, answers with how many to claim.
//!
//! Nothing is claimed before a worker is free for it: a task that waits in memory would count as tried when the process ends.
//! One claim is under way at a time; what becomes free meanwhile goes into the next one, so that claims grow with the load.

use std::collections::VecDeque;

use base::Wall;

use super::claim::Named;

/// Tasks asked for by name that wait for a worker; more begin at their time.
const NAMED_MAX: usize = 10_000;

/// The workers of one queue.
#[derive(Debug)]
pub(super) struct Desk {
    workers: usize,
    busy: usize,
    claiming: bool,
    /// There may be tasks that are due.
    wanted: bool,
    /// The moment for which a timer is set.
    timer_at: Option<Wall>,
    /// Tasks that somebody asked for by name, in the order in which they were.
    named: VecDeque<Named>,
}

impl Desk {
    pub(super) fn new(workers: usize) -> Self {
        Self { workers, busy: 0, claiming: false, wanted: false, timer_at: None, named: VecDeque::new() }
    }

    /// Tasks that occupy workers.
    pub(super) fn busy(&self) -> usize {
        self.busy
    }

    /// Whether there may be tasks that are due, for which no claim is under way.
    pub(super) fn wants(&self) -> bool {
        self.wanted || !self.named.is_empty()
    }

    /// This task is to begin now. Says how many to claim.
    pub(super) fn name(&mut self, task: Named) -> Option<usize> {
        if self.named.len() < NAMED_MAX {
            self.named.push_back(task);
        }
        self.claim()
    }

    /// Those that the next claim of so many asks for by name.
    pub(super) fn take_named(&mut self, count: usize) -> Vec<Named> {
        self.named.drain(..count.min(self.named.len())).collect()
    }

    /// The claim that was to ask for these was not made: they come first in the next one.
    pub(super) fn name_again(&mut self, tasks: Vec<Named>) {
        tasks.into_iter().rev().for_each(|task| self.named.push_front(task));
    }

    /// There may be tasks that are due. Says how many to claim.
    pub(super) fn wake(&mut self) -> Option<usize> {
        self.wanted = true;
        self.claim()
    }

    /// A worker is free again.
    pub(super) fn freed(&mut self) -> Option<usize> {
        self.busy -= 1;
        self.claim()
    }

    /// A claim of `asked` tasks gave so many. When it gave all, there may be more.
    pub(super) fn claimed(&mut self, asked: usize, got: usize) -> Option<usize> {
        self.claiming = false;
        self.busy += got;
        self.wanted |= got == asked;
        self.claim()
    }

    /// A claim failed: somebody must wake the desk later.
    pub(super) fn failed(&mut self) {
        self.claiming = false;
    }

    /// Whether a timer is to be set for `at`: only if none is set for an earlier moment.
    pub(super) fn set_timer(&mut self, at: Wall) -> bool {
        let needed = self.timer_at.is_none_or(|set| at < set);
        if needed {
            self.timer_at = Some(at);
        }
        needed
    }

    /// The timer that was set for `at` has passed. Says how many to claim.
    pub(super) fn timer(&mut self, at: Wall) -> Option<usize> {
        self.timer_at = self.timer_at.filter(|set| *set != at);
        self.wake()
    }

    fn claim(&mut self) -> Option<usize> {
        let free = self.workers.saturating_sub(self.busy);
        if !self.wants() || self.claiming || free == 0 {
            return None;
        }
        (self.claiming, self.wanted) = (true, false);
        Some(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_16_no_more_is_claimed_than_there_are_free_workers() {
        let mut desk = Desk::new(4);
        assert_eq!(desk.wake(), Some(4));
        assert_eq!(desk.wake(), None, "one claim at a time");
        assert_eq!(desk.claimed(4, 1), Some(3), "it was woken meanwhile");
        assert!(!desk.wants());
        assert_eq!(desk.claimed(3, 3), None, "all workers are busy");
        assert!(desk.wants(), "a worker may go on with the next one");
        assert_eq!(desk.freed(), Some(1), "there may be more: the last claim gave all that it asked for");
        assert_eq!((desk.freed(), desk.freed()), (None, None), "a claim is under way");
        assert_eq!(desk.claimed(1, 1), Some(2));
        assert_eq!(desk.claimed(2, 0), None);
        assert_eq!(desk.freed(), None, "nothing was left");
    }

    #[test]
    fn sen_12_tasks_asked_for_by_name_wait_for_free_workers() {
        let named = |at: i64| Named { op: "x", id: base::Id::new(Wall(at), [0; 10]) };
        let mut desk = Desk::new(2);
        assert_eq!(desk.name(named(1)), Some(2));
        assert_eq!(desk.take_named(2), [named(1)]);
        assert_eq!((desk.name(named(2)), desk.name(named(3)), desk.name(named(4))), (None, None, None));
        assert_eq!(desk.claimed(2, 1), Some(1));
        assert_eq!(desk.take_named(1), [named(2)]);
        assert_eq!(desk.claimed(1, 0), Some(1), "somebody else had it: the next one");
        assert_eq!(desk.take_named(1), [named(3)]);
        assert_eq!(desk.claimed(1, 1), None, "all workers are busy");
        assert!(desk.wants());
        assert_eq!(desk.freed(), Some(1));
        assert_eq!(desk.take_named(9), [named(4)]);
    }

    #[test]
    fn sen_12_those_of_a_claim_that_was_not_made_come_first_again() {
        let named = |at: i64| Named { op: "x", id: base::Id::new(Wall(at), [0; 10]) };
        let mut desk = Desk::new(2);
        for at in 1..=3 {
            let _ = desk.name(named(at));
        }
        let taken = desk.take_named(2);
        desk.name_again(taken);
        assert_eq!(desk.take_named(9), [named(1), named(2), named(3)]);
    }

    #[test]
    fn ker_18_the_earliest_timer_counts() {
        let mut desk = Desk::new(1);
        assert!(desk.set_timer(Wall(9)) && !desk.set_timer(Wall(9)) && !desk.set_timer(Wall(10)));
        assert!(desk.set_timer(Wall(5)));
        assert_eq!(desk.timer(Wall(9)), Some(1));
        assert!(!desk.set_timer(Wall(7)), "the earlier one is still set");
        desk.failed();
        assert_eq!(desk.timer(Wall(5)), Some(1));
        assert!(desk.set_timer(Wall(7)));
    }
}
