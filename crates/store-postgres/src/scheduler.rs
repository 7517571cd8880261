//! Who may run next: a bounded queue with contention keys, as plain data.
//!
//! A job joins the line of each of its keys when it is submitted, and may run when it is first in all of them. All
//! lines are joined at once, so their order agrees and two jobs never wait for each other. Invariants: jobs that share
//! a key never overlap and run in the order of submission; what may run goes in the order in which it became so; a key
//! that is always wanted goes to the back after each turn, so nobody starves; nobody joins a transaction that was open
//! when it came. Not here: threads, locks, time, I/O.

use std::collections::{HashMap, VecDeque};

use base::{ContentionKey, Isolation, Keys};

/// Jobs that wait, and the lines they stand in.
pub(crate) struct Scheduler<J> {
    /// Those that wait, by number.
    waiting: HashMap<u64, Waiting<J>>,
    /// For each key the numbers of those that want it; the first may be running.
    lines: HashMap<ContentionKey, VecDeque<u64>>,
    /// Those that wait for nothing but a worker.
    ready: VecDeque<u64>,
    /// How many were ever put there.
    readied: u64,
    waiting_max: usize,
    next_number: u64,
}

struct Waiting<J> {
    job: J,
    keys: Keys,
    isolation: Isolation,
    /// In how many lines somebody stands before it.
    behind: usize,
}

/// The right to run, held by a worker until it is given back by [`Scheduler::finish`].
#[derive(Debug)]
#[must_use = "a turn that is not finished blocks its keys for ever"]
pub(crate) struct Turn {
    /// Those that stand first in the lines of their keys; the last is the one taken last.
    held: Vec<(u64, Keys)>,
    isolation: Isolation,
    opened: Opened,
}

/// Who was there when a turn began: its transaction sees what was committed by then. A job that came later may know of a later commit,
/// to which that transaction is blind; it would find a change missing that its caller was told of.
#[derive(Debug, Clone, Copy)]
struct Opened {
    /// Jobs that had been submitted.
    submitted: u64,
    /// Jobs for which nobody stood in the way any more.
    readied: u64,
}

impl<J> Scheduler<J> {
    pub(crate) fn new(waiting_max: usize) -> Self {
        Self {
            waiting: HashMap::new(),
            lines: HashMap::new(),
            ready: VecDeque::new(),
            readied: 0,
            waiting_max,
            next_number: 0,
        }
    }

    /// Takes a job in, or gives it back when the queue is full. Says whether it may run at once.
    pub(crate) fn push(&mut self, job: J, keys: Keys, isolation: Isolation) -> Result<bool, J> {
        if self.waiting.len() >= self.waiting_max {
            return Err(job);
        }
        let number = self.next_number;
        self.next_number += 1;
        let behind = keys.as_slice().iter().filter(|key| self.join_line(**key, number)).count();
        self.waiting.insert(number, Waiting { job, keys, isolation, behind });
        if behind == 0 {
            self.make_ready(number);
        }
        Ok(behind == 0)
    }

    fn make_ready(&mut self, number: u64) {
        self.ready.push_back(number);
        self.readied += 1;
    }

    /// Says whether somebody stands before it.
    fn join_line(&mut self, key: ContentionKey, number: u64) -> bool {
        let line = self.lines.entry(key).or_default();
        line.push_back(number);
        line.len() > 1
    }

    /// The next job to run.
    pub(crate) fn take(&mut self) -> Option<(J, Turn)> {
        let number = self.ready.pop_front()?;
        let opened = Opened { submitted: self.next_number, readied: self.readied };
        let Waiting { job, keys, isolation, .. } = self.leave_queue(number);
        Some((job, Turn { held: vec![(number, keys)], isolation, opened }))
    }

    /// The next in the line of the only key of the job taken last, if it wants just that key, too.
    pub(crate) fn take_same_key(&mut self, turn: &Turn) -> Option<J> {
        let (_, keys) = turn.held.last()?;
        let &[key] = keys.as_slice() else { return None };
        let line = self.lines.get_mut(&key)?;
        let number = *line.get(1)?;
        let second = self.waiting.get(&number)?;
        if second.keys != *keys || second.isolation != turn.isolation || number >= turn.opened.submitted {
            return None;
        }
        let number = line.remove(1)?;
        Some(self.leave_queue(number).job)
    }

    /// The next that may run, if more than `spare` are there for the other workers; the turn holds its keys as well.
    pub(crate) fn take_other(&mut self, turn: &mut Turn, spare: usize) -> Option<J> {
        if self.ready.len() <= spare {
            return None;
        }
        let number = *self.ready.front()?;
        let place = self.readied - self.ready.len() as u64;
        if self.waiting.get(&number)?.isolation != turn.isolation || place >= turn.opened.readied {
            return None;
        }
        self.ready.pop_front();
        let Waiting { job, keys, .. } = self.leave_queue(number);
        turn.held.push((number, keys));
        Some(job)
    }

    /// Ends a turn; says how many others may run now.
    pub(crate) fn finish(&mut self, turn: Turn) -> usize {
        let lines = turn.held.iter().flat_map(|(number, keys)| keys.as_slice().iter().map(|key| (*key, *number)));
        lines.filter(|(key, number)| self.leave_line(*key, *number)).count()
    }

    /// Leaves the head of a line; says whether the next in it may run now.
    fn leave_line(&mut self, key: ContentionKey, number: u64) -> bool {
        let Some(line) = self.lines.get_mut(&key) else { return false };
        let first = line.pop_front();
        assert_eq!(first, Some(number), "only the first in a line runs");
        let Some(next) = line.front() else {
            self.lines.remove(&key);
            return false;
        };
        let next = *next;
        let Some(waiting) = self.waiting.get_mut(&next) else { unreachable!("only the first in a line runs") };
        waiting.behind -= 1;
        let is_ready = waiting.behind == 0;
        if is_ready {
            self.make_ready(next);
        }
        is_ready
    }

    /// Gives back all that wait, oldest first; those that run go on holding their keys.
    pub(crate) fn drain(&mut self) -> Vec<J> {
        let waiting = &self.waiting;
        self.lines.retain(|_, line| {
            line.retain(|number| !waiting.contains_key(number));
            !line.is_empty()
        });
        self.ready.clear();
        let mut drained: Vec<_> = self.waiting.drain().collect();
        drained.sort_unstable_by_key(|(number, _)| *number);
        drained.into_iter().map(|(_, waiting)| waiting.job).collect()
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    fn leave_queue(&mut self, number: u64) -> Waiting<J> {
        let Some(waiting) = self.waiting.remove(&number) else { unreachable!("{number} stands in a line and waits") };
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Plan = Scheduler<&'static str>;

    fn keys(numbers: &[u64]) -> Keys {
        Keys::of(numbers.iter().copied().map(ContentionKey).collect())
    }

    fn plan(jobs: &[(&'static str, &[u64])]) -> Plan {
        let mut plan = Scheduler::new(100);
        for (job, wanted) in jobs {
            plan.push(*job, keys(wanted), Isolation::Serial).expect("room");
        }
        plan
    }

    /// Takes all that may run now.
    fn take_all(plan: &mut Plan) -> (Vec<&'static str>, Vec<Turn>) {
        std::iter::from_fn(|| plan.take()).unzip()
    }

    #[test]
    fn what_shares_no_key_runs_at_once_in_order() {
        let mut plan = plan(&[("a", &[1]), ("b", &[]), ("c", &[2, 3]), ("d", &[4])]);
        assert_eq!(take_all(&mut plan).0, ["a", "b", "c", "d"]);
    }

    #[test]
    fn one_key_runs_one_after_the_other() {
        let mut plan = plan(&[("a", &[1]), ("b", &[1]), ("c", &[1])]);
        let mut ran = vec![];
        while let Some((job, turn)) = plan.take() {
            assert!(plan.take().is_none(), "{job} runs alone");
            ran.push(job);
            plan.finish(turn);
        }
        assert_eq!(ran, ["a", "b", "c"]);
    }

    #[test]
    fn several_keys_wait_for_all_and_are_not_overtaken() {
        let mut plan = plan(&[("a", &[1]), ("b", &[2]), ("both", &[1, 2]), ("later", &[1])]);
        let (first, turns) = take_all(&mut plan);
        assert_eq!(first, ["a", "b"]);
        let freed: Vec<_> = turns.into_iter().map(|turn| plan.finish(turn)).collect();
        assert_eq!(freed, [0, 1], "both waits for the second, and later for both");
        let (then, mut turns) = take_all(&mut plan);
        assert_eq!(then, ["both"]);
        plan.finish(turns.remove(0));
        assert_eq!(take_all(&mut plan).0, ["later"]);
    }

    #[test]
    fn only_exactly_the_same_key_shares_a_transaction() {
        let mut plan = plan(&[("a", &[1]), ("b", &[1]), ("c", &[1, 2]), ("d", &[1])]);
        let (_, turn) = plan.take().expect("a");
        assert_eq!(plan.take_same_key(&turn), Some("b"));
        assert_eq!(plan.take_same_key(&turn), None, "c must not be overtaken");
        plan.finish(turn);
        let (job, turn) = plan.take().expect("c");
        assert_eq!(job, "c");
        assert_eq!(plan.take_same_key(&turn), None);
        plan.finish(turn);
        assert_eq!(take_all(&mut plan).0, ["d"]);
    }

    #[test]
    fn another_isolation_does_not_share_a_transaction() {
        let mut plan = plan(&[("a", &[1]), ("x", &[])]);
        plan.push("claim", keys(&[1]), Isolation::Claim).expect("room");
        plan.push("keyless", Keys::NONE, Isolation::Claim).expect("room");
        let (_, turn) = plan.take().expect("a");
        assert_eq!(plan.take_same_key(&turn), None);
        let (_, mut keyless) = plan.take().expect("x");
        assert_eq!(plan.take_other(&mut keyless, 0), None);
        plan.finish(turn);
        plan.finish(keyless);
    }

    #[test]
    fn different_keys_share_while_enough_is_left_for_others() {
        let mut plan = plan(&[("a", &[]), ("b", &[1]), ("b2", &[1]), ("c", &[2, 3]), ("c2", &[3])]);
        let (_, mut turn) = plan.take().expect("a");
        assert_eq!(plan.take_other(&mut turn, 2), None, "two workers have work");
        assert_eq!(plan.take_other(&mut turn, 1), Some("b"));
        assert_eq!(plan.take_same_key(&turn), Some("b2"));
        assert_eq!(plan.take_other(&mut turn, 0), Some("c"));
        assert_eq!(plan.take_same_key(&turn), None);
        assert!(plan.take().is_none(), "c holds the key of c2");
        assert_eq!(plan.finish(turn), 1);
        assert_eq!(take_all(&mut plan).0, ["c2"]);
    }

    #[test]
    fn ker_6_nobody_joins_a_transaction_that_was_open_when_it_came() {
        let mut plan = plan(&[("a", &[1]), ("b", &[2]), ("b2", &[2])]);
        let (_, mut turn) = plan.take().expect("a");
        plan.push("a2", keys(&[1]), Isolation::Serial).expect("room");
        plan.push("c", keys(&[]), Isolation::Serial).expect("room");
        assert_eq!(plan.take_same_key(&turn), None, "a2 came later");
        assert_eq!(plan.take_other(&mut turn, 0), Some("b"), "it waited already");
        assert_eq!(plan.take_same_key(&turn), Some("b2"), "it waited already");
        assert_eq!(plan.take_other(&mut turn, 0), None, "c came later");
        plan.finish(turn);
        assert_eq!(take_all(&mut plan).0, ["c", "a2"]);
    }

    #[test]
    fn ker_6_who_waited_for_another_transaction_does_not_join_one_that_is_blind_to_it() {
        let mut plan = plan(&[("a", &[1]), ("b", &[2]), ("a2", &[1])]);
        let (_, first) = plan.take().expect("a");
        let (_, mut second) = plan.take().expect("b");
        plan.finish(first);
        assert_eq!(plan.take_other(&mut second, 0), None, "a2 is to see what a did");
        plan.finish(second);
        assert_eq!(take_all(&mut plan).0, ["a2"]);
    }

    #[test]
    fn a_key_that_is_always_wanted_starves_nobody() {
        let mut plan = plan(&[("hot", &[1]), ("hot", &[1]), ("cold", &[2]), ("free", &[])]);
        let (_, turn) = plan.take().expect("hot");
        plan.push("hot", keys(&[1]), Isolation::Serial).expect("room");
        plan.finish(turn);
        assert_eq!(take_all(&mut plan).0, ["cold", "free", "hot"]);
    }

    #[test]
    fn a_full_queue_gives_the_job_back() {
        let mut plan = Scheduler::new(1);
        assert_eq!(plan.push("a", keys(&[1]), Isolation::Serial), Ok(true));
        assert_eq!(plan.push("b", keys(&[1]), Isolation::Serial), Err("b"));
        let (_, turn) = plan.take().expect("a");
        assert_eq!(plan.push("c", keys(&[1]), Isolation::Serial), Ok(false), "what runs does not wait");
        plan.finish(turn);
        assert_eq!(plan.len(), 1);
    }

    #[test]
    fn draining_leaves_the_running_ones_their_keys() {
        let mut plan = plan(&[("a", &[1]), ("b", &[1, 2]), ("c", &[3])]);
        let (_, turn) = plan.take().expect("a");
        assert_eq!(plan.drain(), ["b", "c"]);
        plan.push("d", keys(&[1]), Isolation::Serial).expect("room");
        assert!(plan.take().is_none(), "a still runs");
        assert_eq!(plan.finish(turn), 1);
        assert_eq!(take_all(&mut plan).0, ["d"]);
        assert_eq!(plan.len(), 0);
    }

    /// One step of a random history: submit with these keys, take, or finish one of those that run.
    #[derive(Debug, Clone)]
    enum Act {
        Push(Vec<u64>),
        Take,
        Finish(usize),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = prop_oneof![
            3 => proptest::collection::vec(0..4u64, 0..3).prop_map(Act::Push),
            3 => Just(Act::Take),
            2 => (0..8usize).prop_map(Act::Finish),
        ];
        proptest::collection::vec(act, 0..200)
    }

    /// Runs a history and then everything that is left; checks that keys never overlap, and gives what ran by key.
    struct Run {
        plan: Scheduler<(usize, Keys)>,
        running: Vec<(Keys, Turn)>,
        started: Vec<(usize, Keys)>,
        pushed: usize,
    }

    impl Run {
        fn act(&mut self, act: &Act) {
            match act {
                Act::Push(wanted) => {
                    let job = (self.pushed, keys(wanted));
                    self.plan.push(job.clone(), job.1, Isolation::Serial).expect("room");
                    self.pushed += 1;
                }
                Act::Take => self.take(),
                Act::Finish(_) if self.running.is_empty() => {}
                Act::Finish(at) => {
                    let (_, turn) = self.running.remove(at % self.running.len());
                    self.plan.finish(turn);
                }
            }
        }

        fn take(&mut self) {
            let Some((job, mut turn)) = self.plan.take() else { return };
            self.started.push(job.clone());
            let mut all = job.1.as_slice().to_vec();
            while let Some(more) = self.plan.take_same_key(&turn).or_else(|| self.plan.take_other(&mut turn, 2)) {
                all.extend(more.1.as_slice());
                self.started.push(more);
            }
            let all = Keys::of(all);
            for (others, _) in &self.running {
                assert!(others.as_slice().iter().all(|key| !all.as_slice().contains(key)), "two run with one key");
            }
            self.running.push((all, turn));
        }
    }

    proptest! {
        #[test]
        fn keys_never_overlap_keep_their_order_and_all_run(acts in acts()) {
            let mut run = Run { plan: Scheduler::new(1_000), running: vec![], started: vec![], pushed: 0 };
            acts.iter().for_each(|act| run.act(act));
            for _ in 0..=run.pushed {
                run.act(&Act::Finish(0));
                (0..4).for_each(|_| run.take());
            }
            prop_assert_eq!(run.started.len(), run.pushed, "everybody ran");
            for key in (0..4).map(ContentionKey) {
                let order: Vec<_> = run.started.iter().filter(|job| job.1.as_slice().contains(&key)).map(|job| job.0).collect();
                prop_assert!(order.is_sorted(), "{:?}", order);
            }
        }
    }
}
