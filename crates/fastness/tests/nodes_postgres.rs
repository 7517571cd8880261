//! All services on two nodes over one PostgreSQL, struck in every way once. `cargo xtask kill --services --nodes 3 --rounds 60` runs more.

use std::path::Path;
use std::time::Duration;

use kill::services::{Plan, run};

#[test]
fn ker_12_ker_23_ker_25_ker_40_nodes_die_hang_are_cut_off_and_restarted_and_every_service_does_each_thing_once() {
    let program = Path::new(env!("CARGO_BIN_EXE_fastness")).to_owned();
    let plan = Plan { program, nodes: 2, rounds: 6, lease: Duration::from_secs(3), seed: 7 };
    let report = run(&plan, &mut |line| println!("{line}")).unwrap_or_else(|error| panic!("{error:#}"));
    println!("{report}");
    assert!(report.strikes.len() == 6 && report.commits > 50 && report.messages > 50, "{report}");
    assert!(report.processes > 50 && report.signals.1 > 20 && report.files > 12 && report.attachments > 12, "{report}");
}
