//! Which faults a run has, and how often. Drawn from the seed: most runs have some kinds and not others, because a fault
//! that happens all the time hides what another one alone would show.

use crate::rng::Rng;

/// Chances: each happens once in so many times; 0 is never.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// The process ends just before COMMIT.
    pub crash_before_commit: u64,
    /// The process ends just after COMMIT, before anybody is answered.
    pub crash_after_commit: u64,
    /// The process ends between two events.
    pub crash_anytime: u64,
    /// COMMIT answers that the disk is full.
    pub commit_full: u64,
    /// COMMIT answers that another came between.
    pub commit_conflict: u64,
    /// COMMIT gives no answer; it may have been done.
    pub commit_unknown: u64,
    /// A statement answers that the disk is full, which drops the transaction.
    pub statement_full: u64,
    /// A request is lost on its way in.
    pub request_lost: u64,
    /// A request arrives twice.
    pub request_doubled: u64,
    /// An answer is lost on its way out.
    pub answer_lost: u64,
    /// The calendar jumps.
    pub clock_jump: u64,
    /// The process stands still for a while.
    pub pause: u64,
    /// A call to a partner goes wrong in one of its ways.
    pub partner: u64,
    /// Every channel of alerts is out of order, for long.
    pub outage: u64,
    /// A wake-up or timer comes late, twice or not at all.
    pub wake: u64,
    /// A file operation fails.
    pub file: u64,
    /// A node that keeps namespaces begins anew.
    pub node: u64,
    /// The store cannot be read for a while. Only the workload that bears it sets this, so that other worlds stay as they were.
    pub unreadable: u64,
}

impl Faults {
    /// The faults of a run.
    pub fn draw(rng: &mut Rng) -> Self {
        let mut some = |often: u64, rare: u64| if rng.once_in(2) { rng.within(often, rare) } else { 0 };
        Self {
            crash_before_commit: some(10, 200),
            crash_after_commit: some(10, 200),
            crash_anytime: some(50, 2_000),
            commit_full: some(5, 100),
            commit_conflict: some(5, 100),
            commit_unknown: some(5, 100),
            statement_full: some(10, 300),
            request_lost: some(5, 50),
            request_doubled: some(3, 50),
            answer_lost: some(3, 50),
            clock_jump: some(50, 1_000),
            pause: some(50, 1_000),
            partner: some(2, 20),
            outage: some(2, 10),
            wake: some(2, 20),
            file: some(5, 100),
            node: some(5, 50),
            unreadable: 0,
        }
    }

    /// No faults: the calm phase.
    pub fn none() -> Self {
        Self::default()
    }
}
