//! Targets that never answer, beside tasks that have nothing to do with them. `cargo xtask kill --hanging` measures more.

use std::time::Duration;

use kill::nodes::hanging::run;
use kill::waits::Waits;

use crate::program;

#[test]
fn ker_16_ker_19_four_targets_that_hang_slow_nobody_else() {
    let figures = run(program(), 100).expect("all tasks begin");
    // Without room of their own the tasks would wait for half an hour; a busy machine must not fail this.
    let most = |calm: [Waits; 2]| calm.map(|waits| waits.p99).into_iter().max().unwrap_or_default() * 3;
    let slack = Duration::from_millis(250);
    let (calm, hanging) = (figures.calm, figures.hanging);
    assert!(hanging.target.p99 <= most(calm.map(|phase| phase.target)) + slack, "{figures}");
    assert!(hanging.local.p99 <= most(calm.map(|phase| phase.local)) + slack, "{figures}");
}
