//! Promises broken on purpose: a harness that does not notice is asleep.

use std::time::Duration;

use anyhow::Result;
use base::mutants::Mutant;

use crate::check::Violation;
use crate::fault::Fault;
use crate::nodes::{self, Drill};
use crate::round::Case;
use crate::round::EngineName::{self, Postgres, Sqlite};
use crate::run::{Options, run};

/// Rounds within which each must be found.
const ROUNDS_MAX: u64 = 10;

/// Who finds what. The first three only this harness can find; the others are the simulator's too, and show that this
/// judge is awake.
pub const OURS: [(Mutant, Fault, EngineName); 14] = [
    (Mutant::AckBeforeCommit, Fault::KillSlow, Sqlite),
    (Mutant::AckBeforeCommit, Fault::PowerCut, Sqlite),
    (Mutant::SynchronousOff, Fault::PowerCut, Sqlite),
    (Mutant::SyncErrorTakenForDone, Fault::SyncError, Sqlite),
    (Mutant::SyncErrorTakenForDone, Fault::SyncLost, Sqlite),
    (Mutant::CommitErrorIgnored, Fault::WriteFull, Sqlite),
    (Mutant::LostBatchNotRerun, Fault::WriteFull, Sqlite),
    (Mutant::UndoSkipped, Fault::Kill, Sqlite),
    (Mutant::RefusalKept, Fault::Kill, Sqlite),
    (Mutant::StampIsWall, Fault::Kill, Sqlite),
    (Mutant::EffectsAfterCommit, Fault::Kill, Sqlite),
    (Mutant::RequestRowIgnored, Fault::Cut, Sqlite),
    (Mutant::RequestRowAfterCommit, Fault::Kill, Sqlite),
    (Mutant::UnknownRunAgain, Fault::PostgresCut, Postgres),
];

/// Found by several nodes that are killed and paused.
pub const OF_NODES: [Mutant; 2] = [Mutant::EndNotFenced, Mutant::LostNodeIgnored];
/// Drills within which each must be found.
const DRILLS_MAX: u64 = 3;

/// Looks for all of ours with a server that was built with them. Says whether all were found.
///
/// # Errors
/// A round could not be run.
pub fn find_all(options: &Options, tell: &mut dyn FnMut(&str)) -> Result<bool> {
    let mut all = true;
    for (mutant, fault, engine) in OURS {
        all &= find(options, mutant, Case { fault, engine }, tell)?;
    }
    for mutant in OF_NODES {
        all &= find_by_drills(options, mutant, tell)?;
    }
    Ok(all)
}

/// A drill that broke down for another reason than a violation has found nothing.
fn find_by_drills(options: &Options, mutant: Mutant, tell: &mut dyn FnMut(&str)) -> Result<bool> {
    let (program, lease, name) = (options.program.clone(), Duration::from_secs(5), mutant.name());
    for number in 1..=DRILLS_MAX {
        // An odd seed: its last fault is a node that stands still.
        let (program, mutant, seed) = (program.clone(), Some(name.clone()), (options.seed + number) * 2 + 1);
        let drill = Drill { program, nodes: 2, tasks: 2_000, kills: 1, pauses: 3, lease, seed, mutant };
        let Err(found) = nodes::run(&drill, &mut |_| {}) else { continue };
        if found.is::<Violation>() {
            tell(&format!("{name:<26} found by several nodes in {number:>2} drills: {:.150}", found.to_string()));
            return Ok(true);
        }
    }
    tell(&format!("{name:<26} NOT FOUND by several nodes in {DRILLS_MAX} drills"));
    Ok(false)
}

fn find(options: &Options, mutant: Mutant, case: Case, tell: &mut dyn FnMut(&str)) -> Result<bool> {
    let (name, mut last, mut rounds) = (mutant.name(), String::new(), 0);
    let (cases, fault) = (vec![case], case.fault);
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
