//! What the store did since it was opened, for the metrics and for those that compare.

use std::sync::atomic::{AtomicU64, Ordering};

/// Sums since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Jobs that were run, whatever became of them.
    pub operations: u64,
    /// Transactions that were committed.
    pub commits: u64,
    /// Transactions that were run again because of a conflict.
    pub retries: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    operations: AtomicU64,
    commits: AtomicU64,
    retries: AtomicU64,
}

impl Tally {
    pub(crate) fn sums(&self) -> Counters {
        Counters {
            operations: self.operations.load(Ordering::Relaxed),
            commits: self.commits.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn ran(&self, jobs: usize) {
        self.operations.fetch_add(jobs as u64, Ordering::Relaxed);
        metrics::counter!("fastness_store_operations_total", "engine" => "postgres").increment(jobs as u64);
        metrics::histogram!("fastness_store_batch_size", "engine" => "postgres").record(jobs as f64);
    }

    pub(crate) fn committed(&self, us: u64) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("fastness_store_commits_total", "engine" => "postgres").increment(1);
        metrics::histogram!("fastness_store_commit_seconds", "engine" => "postgres").record(us as f64 / 1e6);
    }

    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("fastness_store_retries_total", "engine" => "postgres").increment(1);
    }
}
