//! Sensors speak and clients are told while the server is killed. `kill --server target/debug/fastness --sensors --kills 100` runs more.

use std::path::Path;

#[test]
fn sen_4_sen_8_sen_9_changes_survive_kills_and_are_told_once_and_in_order() {
    let report = kill::sensors::run(Path::new(env!("CARGO_BIN_EXE_fastness")), 5, 7).expect("every change is told");
    assert!(report.changes > 20 && report.calls.1 > 5, "{report}");
}
