//! Workers die and hang, and the server is killed in the middle of a job. `kill --server target/debug/fastness --workflow` runs more.

use std::path::Path;

use kill::workflow::{Size, run};

#[test]
fn wfl_11_wfl_16_wfl_30_what_dead_workers_had_runs_again_in_time_and_a_killed_job_restarts_each_process_once() {
    let size = Size { deaths: 60, processes: 400, live: 100 };
    let report = run(Path::new(env!("CARGO_BIN_EXE_fastness")), size, 7).unwrap_or_else(|error| panic!("{error:#}"));
    println!("{report}");
    assert!(report.kills == 2 && report.hung > 10 && report.hung < 50, "{report}");
}
