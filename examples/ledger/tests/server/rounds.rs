//! Rounds of the kill harness, each fault once, with a seed that stays. `cargo xtask kill` runs others.

use kill::fault::Fault;
use kill::round::{Case, EngineName};
use kill::run::{Options, run};

use crate::program;

/// Runs each of these faults once and wants nothing to be found.
pub(crate) fn play(seed: u64, engine: EngineName, faults: &[Fault]) {
    let cases: Vec<Case> = faults.iter().map(|fault| Case { fault: *fault, engine }).collect();
    let (program, rounds) = (program().to_owned(), cases.len() as u64);
    let (mutant, strict_names, until_first) = (None, true, false);
    let options = Options { program, rounds, seed, cases, mutant, strict_names, until_first };
    let mut told = vec![];
    let report = run(&options, &mut |line| told.push(line.to_owned())).expect("rounds");
    assert_eq!((report.passed(), report.failed()), (rounds, 0), "{}\n{report}", told.join("\n"));
}

#[test]
fn ker_10_ker_35_kills_pauses_stops_and_cut_connections_lose_nothing_and_double_nothing() {
    play(1, EngineName::Sqlite, &[Fault::Kill, Fault::KillTwice, Fault::Pause, Fault::Term, Fault::Cut]);
}
