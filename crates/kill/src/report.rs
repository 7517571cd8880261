//! The figures of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::round::{Case, Passed};
use crate::run::middle_and_longest;

/// What one case came to.
#[derive(Debug, Default)]
struct Figures {
    rounds: u64,
    acked: u64,
    unknown: u64,
    struck: u64,
    ready: Vec<Duration>,
}

/// What all rounds came to.
#[derive(Debug, Default)]
pub struct Report {
    cases: BTreeMap<Case, Figures>,
    /// Worlds whose store was read without the server.
    pub closed: u64,
    /// Time that this took.
    pub closing: Duration,
    violations: u64,
    broken: u64,
}

impl Report {
    pub(crate) fn add(&mut self, case: Case, passed: &Passed) {
        let figures = self.cases.entry(case).or_default();
        figures.rounds += 1;
        figures.acked += passed.counts.acked;
        figures.unknown += passed.counts.unknown;
        figures.struck += passed.struck.times;
        figures.ready.push(passed.ready);
    }

    pub(crate) fn fail(&mut self, violation: bool) {
        if violation {
            self.violations += 1;
        } else {
            self.broken += 1;
        }
    }

    /// Rounds that did not pass.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.violations + self.broken
    }

    /// Broken promises.
    #[must_use]
    pub fn violations(&self) -> u64 {
        self.violations
    }

    /// Rounds that passed.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.cases.values().map(|figures| figures.rounds).sum()
    }

    /// Acknowledgements in rounds that passed.
    #[must_use]
    pub fn acked(&self) -> u64 {
        self.cases.values().map(|figures| figures.acked).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<28} rounds    acked  unknown   struck  ready p50    longest", "fault")?;
        for (case, figures) in &self.cases {
            let Figures { rounds, acked, unknown, struck, ready } = figures;
            let (middle, longest) = middle_and_longest(ready);
            let (middle, longest) = (middle.as_millis(), longest.as_millis());
            let name = case.name();
            writeln!(f, "{name:<28} {rounds:>6} {acked:>8} {unknown:>8} {struck:>8} {middle:>7} ms {longest:>7} ms")?;
        }
        let (passed, acked, closed) = (self.passed(), self.acked(), self.closed);
        let (violations, broken) = (self.violations, self.broken);
        write!(
            f,
            "{passed} rounds passed, {acked} acknowledgements, {closed} stores read without the server; \
             {violations} violations, {broken} rounds could not be run"
        )
    }
}
