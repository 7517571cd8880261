//! Sensors speak and clients are told while the server is killed. `cargo xtask kill --sensors --kills 100` runs more.

use crate::program;

#[test]
fn sen_4_sen_8_sen_9_changes_survive_kills_and_are_told_once_and_in_order() {
    let report = kill::sensors::run(program(), 5, 7).expect("every change is told");
    assert!(report.changes > 20 && report.calls.1 > 5, "{report}");
}
