//! Two nodes on one PostgreSQL run tasks while they are killed and paused, with a seed that stays; the last fault is a node that
//! stands still for ever. `cargo xtask kill --nodes 3` runs ten times as much.

use std::time::Duration;

use kill::nodes::{Drill, run};

use crate::program;

#[test]
fn ker_18_ker_23_ker_25_ker_43_killed_and_paused_nodes_run_every_task_once_and_feed_every_reader_the_same() {
    let (program, lease) = (program().to_owned(), Duration::from_secs(5));
    let drill = Drill { program, nodes: 2, tasks: 2_000, kills: 2, pauses: 2, lease, seed: 1, mutant: None };
    let mut told = vec![];
    let report = run(&drill, &mut |line| told.push(line.to_owned()));
    let report = report.unwrap_or_else(|error| panic!("{}\n{error:#}", told.join("\n")));
    assert_eq!((report.tasks, report.marks), (2_000, 2_800), "{report}");
}
