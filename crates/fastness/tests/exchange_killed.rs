//! The handshake of the exchange, cut at each of its steps in each way, against the real program.

use std::path::Path;

fn cut_everywhere(has_marker: bool) {
    let program = Path::new(env!("CARGO_BIN_EXE_fastness"));
    let report = kill::exchange::run(program, has_marker).unwrap_or_else(|error| panic!("{error:#}"));
    println!("{report}");
    assert!(report.points >= 40 && report.kills >= 14 && report.unknown >= 6, "{report}");
}

#[test]
fn exc_14_exc_18_exc_20_cut_at_each_step_with_the_marker_every_message_is_done_once_and_nobody_is_needed() {
    cut_everywhere(true);
}

#[test]
fn exc_14_exc_18_cut_at_each_step_without_the_marker_only_what_nobody_told_is_unknown() {
    cut_everywhere(false);
}
