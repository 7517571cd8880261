//! A shorter run that fails the same way: fewer events before the calm phase.
//!
//! Events are the one thing that can be cut without changing what went before: the same seed gives the same events.

use crate::run::{Failure, Options, run};

/// The fewest events of the safety phase with which this seed still fails.
#[must_use]
pub fn fewest_events(options: &Options, failure: &Failure) -> u64 {
    let (mut good, mut bad) = (0, options.events.min(failure.events));
    if !fails(options, bad) {
        return options.events;
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fails(options, middle) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    bad
}

fn fails(options: &Options, events: u64) -> bool {
    run(&Options { events, print: false, ..options.clone() }).is_err()
}
