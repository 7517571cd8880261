//! Promises broken on purpose: a harness that does not notice is asleep.

use anyhow::Result;
use base::mutants::Mutant;

use crate::fault::Fault;
use crate::round::{Case, EngineName};
use crate::run::{Options, run};

/// Rounds within which each must be found.
const ROUNDS_MAX: u64 = 10;

/// What this harness answers for, and the fault that shows it.
pub const OURS: [(Mutant, Fault); 5] = [
    (Mutant::AckBeforeCommit, Fault::KillSlow),
    (Mutant::AckBeforeCommit, Fault::PowerCut),
    (Mutant::SynchronousOff, Fault::PowerCut),
    (Mutant::SyncErrorTakenForDone, Fault::SyncError),
    (Mutant::SyncErrorTakenForDone, Fault::SyncLost),
];

/// Looks for all of ours with a server that was built with them. Says whether all were found.
///
/// # Errors
/// A round could not be run.
pub fn find_all(options: &Options, tell: &mut dyn FnMut(&str)) -> Result<bool> {
    let mut all = true;
    for (mutant, fault) in OURS {
        all &= find(options, mutant, fault, tell)?;
    }
    Ok(all)
}

fn find(options: &Options, mutant: Mutant, fault: Fault, tell: &mut dyn FnMut(&str)) -> Result<bool> {
    let (name, mut last, mut rounds) = (mutant.name(), String::new(), 0);
    let cases = vec![Case { fault, engine: EngineName::Sqlite }];
    let options =
        Options { cases, mutant: Some(name.clone()), rounds: ROUNDS_MAX, until_first: true, ..options.clone() };
    let report = run(&options, &mut |line| {
        rounds += u64::from(line.starts_with("round"));
        last = if line.contains("VIOLATION") { line.to_owned() } else { std::mem::take(&mut last) };
    })?;
    let found = report.violations() > 0;
    let how = last.split_once("VIOLATION: ").map_or("", |(_, how)| how).lines().next().unwrap_or_default();
    match found {
        true => tell(&format!("{name:<26} found by {:<11} in {rounds:>2} rounds: {how:.150}", fault.name())),
        false => tell(&format!("{name:<26} NOT FOUND by {} in {ROUNDS_MAX} rounds: {report}", fault.name())),
    }
    Ok(found)
}
