//! Timers: one thread that runs closures at their time.
//!
//! Invariants: never early; by time, and those of one moment in the order in which they came; a closure that panics
//! takes nobody with it; after the drop nothing runs any more, and what waited is dropped unrun.
//!
//! Deliberately not here: cancelling (a closure looks whether it is still wanted), repetition, and durable timers, which
//! are rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base::Timers;

type Then = Box<dyn FnOnce() + Send>;

/// Longest wait at a stretch; a bound that keeps sums of times small.
const WAIT_MAX_US: u64 = 3_600_000_000;

/// Timers on a thread of their own, which ends when this is dropped.
#[derive(Debug)]
pub struct ThreadTimers {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    agenda: Agenda,
    stop: bool,
}

impl ThreadTimers {
    /// Starts the thread.
    ///
    /// # Panics
    /// If the machine has no room for one more thread: then nothing else would work either.
    #[must_use]
    pub fn new() -> Self {
        let state = Mutex::new(State { agenda: Agenda::default(), stop: false });
        let shared = Arc::new(Shared { start: Instant::now(), state, changed: Condvar::new() });
        let serving = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("timers".into()).spawn(move || serving.serve());
        Self { shared, thread: Some(thread.expect("a thread for the timers")) }
    }
}

impl Default for ThreadTimers {
    fn default() -> Self {
        Self::new()
    }
}

impl Timers for ThreadTimers {
    fn after(&self, ms: u64, then: Box<dyn FnOnce() + Send>) {
        let mut state = self.shared.lock();
        let due_us = self.shared.now_us().saturating_add(ms.saturating_mul(1000));
        state.agenda.add(due_us, then);
        drop(state);
        self.shared.changed.notify_one();
    }
}

impl Drop for ThreadTimers {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.changed.notify_one();
        // A closure may hold the last reference to us; the thread cannot wait for itself, and ends after the closure.
        let other = |thread: &JoinHandle<()>| thread.thread().id() != std::thread::current().id();
        let _ = self.thread.take().filter(other).map(JoinHandle::join);
    }
}

impl Shared {
    fn now_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        while let Some(then) = self.next() {
            run(then);
        }
        // Outside of the lock: dropping a closure may run code that comes back here.
        let unrun = std::mem::take(&mut self.lock().agenda);
        drop(unrun);
    }

    /// Waits for the next closure that is due; `None` at the end.
    fn next(&self) -> Option<Then> {
        let mut state = self.lock();
        while !state.stop {
            let now_us = self.now_us();
            if let Some(then) = state.agenda.take_due(now_us) {
                return Some(then);
            }
            let wait_us = state.agenda.next_due_us().map_or(WAIT_MAX_US, |due_us| due_us.saturating_sub(now_us));
            let wait = Duration::from_micros(wait_us.min(WAIT_MAX_US));
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}

fn run(then: Then) {
    if catch_unwind(AssertUnwindSafe(then)).is_err() {
        // The text is the panic hook's to print; this says what became of it.
        tracing::error!("a timer's closure panicked; the other timers go on");
    }
}

/// What is to be done when; the earliest first, then in order of coming.
#[derive(Debug, Default)]
struct Agenda {
    heap: BinaryHeap<Reverse<Entry>>,
    added: u64,
}

struct Entry {
    due_us: u64,
    number: u64,
    then: Then,
}

impl Agenda {
    fn add(&mut self, due_us: u64, then: Then) {
        self.added += 1;
        self.heap.push(Reverse(Entry { due_us, number: self.added, then }));
    }

    fn next_due_us(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.due_us)
    }

    fn take_due(&mut self, now_us: u64) -> Option<Then> {
        self.next_due_us().filter(|due_us| *due_us <= now_us)?;
        self.heap.pop().map(|Reverse(entry)| entry.then)
    }
}

impl Entry {
    const fn order(&self) -> (u64, u64) {
        (self.due_us, self.number)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{} at {} us", self.number, self.due_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    const LONG: Duration = Duration::from_secs(20);

    fn tells(to: &Sender<u32>, number: u32) -> Then {
        let to = to.clone();
        Box::new(move || to.send(number).unwrap())
    }

    fn heard(from: &Receiver<u32>, count: usize) -> Vec<u32> {
        (0..count).map(|_| from.recv_timeout(LONG).expect("a timer within 20 s")).collect()
    }

    #[test]
    fn by_time_then_in_order_of_coming() {
        let (to, from) = channel();
        let mut agenda = Agenda::default();
        for (due_us, number) in [(30, 1), (10, 2), (30, 3), (20, 4), (10, 5)] {
            agenda.add(due_us, tells(&to, number));
        }
        assert!(agenda.take_due(9).is_none() && agenda.next_due_us() == Some(10));
        while let Some(then) = agenda.take_due(30) {
            then();
        }
        assert_eq!(from.try_iter().collect::<Vec<_>>(), [2, 5, 4, 1, 3]);
    }

    #[test]
    fn a_later_call_with_an_earlier_time_is_first() {
        let (to, from) = channel();
        let timers = ThreadTimers::new();
        timers.after(60, tells(&to, 1));
        timers.after(1, tells(&to, 2));
        timers.after(0, tells(&to, 3));
        let mut first_two = heard(&from, 2);
        first_two.sort_unstable();
        assert_eq!((first_two, heard(&from, 1)), (vec![2, 3], vec![1]));
    }

    #[test]
    fn never_early() {
        let (to, from) = channel();
        let (timers, start) = (ThreadTimers::new(), Instant::now());
        timers.after(30, tells(&to, 1));
        heard(&from, 1);
        assert!(start.elapsed() >= Duration::from_millis(30));
    }

    #[test]
    fn a_panic_takes_nobody_with_it() {
        let (to, from) = channel();
        let timers = ThreadTimers::new();
        timers.after(0, Box::new(|| panic!("of a timer, on purpose")));
        timers.after(1, tells(&to, 1));
        assert_eq!(heard(&from, 1), [1]);
    }

    #[test]
    fn a_closure_may_set_the_next() {
        let (to, from) = channel();
        let timers = Arc::new(ThreadTimers::new());
        let (again, next) = (Arc::clone(&timers), tells(&to, 2));
        timers.after(0, Box::new(move || again.after(0, next)));
        assert_eq!(heard(&from, 1), [2]);
    }

    #[test]
    fn the_drop_ends_the_thread_and_drops_what_waited() {
        let (to, from) = channel();
        let timers = ThreadTimers::new();
        timers.after(u64::MAX, tells(&to, 1));
        timers.after(3_600_000, tells(&to, 2));
        drop((timers, to));
        assert!(from.recv_timeout(LONG).is_err_and(|end| end == std::sync::mpsc::RecvTimeoutError::Disconnected));
    }

    #[test]
    fn the_last_owner_may_be_a_closure() {
        let (to, from) = channel();
        let timers = Arc::new(ThreadTimers::new());
        let own = Arc::clone(&timers);
        let (let_go, gone) = channel::<()>();
        let then = tells(&to, 1);
        timers.after(
            0,
            Box::new(move || {
                gone.recv().unwrap_err();
                drop(own);
                then();
            }),
        );
        drop(timers);
        drop(let_go);
        assert_eq!(heard(&from, 1), [1]);
    }
}
