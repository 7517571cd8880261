//! Threads for tests and measurements: the same work on many threads at once.
//!
//! Deliberately not here: a pool. Programs have engines and an HTTP runtime, each with threads of its own.

use std::panic::resume_unwind;
use std::thread::scope;

/// Runs `work(0)` … `work(count - 1)`, each on a thread of its own, and gives their results in this order. A panic in
/// one of them goes on here, after all have ended.
pub fn side_by_side<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    let ended: Vec<_> = scope(|scope| {
        let started: Vec<_> = (0..count).map(|index| scope.spawn(move || work(index))).collect();
        started.into_iter().map(|thread| thread.join()).collect()
    });
    ended.into_iter().map(|end| end.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn all_run_at_once_and_results_are_in_order() {
        let meeting = Barrier::new(8);
        let results = side_by_side(8, |index| {
            meeting.wait();
            index * index
        });
        assert_eq!(results, (0..8).map(|index| index * index).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic(expected = "the third")]
    fn a_panic_goes_on() {
        side_by_side(4, |index| assert_ne!(index, 2, "the third"));
    }
}
