//! The files alone, without the world around them: many more seeds in the same time.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::mutants::{Mutant, switch};

use super::machine::Machine;
use crate::disk::DiskFault;
use crate::rng::Rng;

/// Mutants are switched for the whole process, so tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a seed did.
#[derive(Debug, PartialEq, Eq)]
struct Driven {
    lines: Vec<String>,
    acknowledged: u64,
    struck: BTreeMap<DiskFault, u64>,
}

/// One seed: steps with faults and crashes, then a calm in which everything settles.
fn drive(seed: u64) -> Result<Driven, String> {
    let mut rng = Rng::new(seed);
    let (clients, failing, crash_once_in) = (rng.within(1, 4), rng.once_in(2), rng.within(10, 200));
    let mut machine = Machine::new(rng.fork(), usize::try_from(clients).unwrap(), failing);
    let mut lines = vec![];
    for _ in 0..300 {
        act(&mut machine, rng.below(clients), rng.once_in(crash_once_in), &mut lines)?;
    }
    machine.calm();
    for round in 0..200 {
        if machine.is_settled() {
            machine.check_settled()?;
            return Ok(Driven { lines, acknowledged: machine.acknowledged(), struck: machine.struck() });
        }
        act(&mut machine, round % clients, false, &mut lines)?;
    }
    Err(format!("not settled: {:?}", machine.open()))
}

fn act(machine: &mut Machine, client: u64, crash: bool, lines: &mut Vec<String>) -> Result<(), String> {
    let client = usize::try_from(client).unwrap();
    let step = if machine.is_up() { machine.step(client)? } else { machine.start()? };
    lines.push(step.line);
    if step.crash || crash {
        lines.push(machine.crash().to_owned());
    }
    Ok(())
}

#[test]
fn nothing_is_lost_or_mixed_in_300_seeds_and_every_fault_happens() {
    let _turn = turn();
    let mut struck = BTreeMap::<DiskFault, u64>::new();
    for seed in 1..=300 {
        let driven = drive(seed).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        assert!(driven.acknowledged > 20, "seed {seed}: {} acknowledged prove little", driven.acknowledged);
        driven.struck.into_iter().for_each(|(fault, times)| *struck.entry(fault).or_default() += times);
    }
    let rare: Vec<_> =
        DiskFault::ALL.iter().filter(|fault| struck.get(fault).is_none_or(|times| *times < 20)).collect();
    assert!(rare.is_empty(), "{rare:?} hardly ever happened: {struck:?}");
}

#[test]
fn the_same_seed_does_the_same() {
    let _turn = turn();
    assert_eq!(drive(11), drive(11));
    assert_ne!(drive(11), drive(12));
}

#[test]
fn mutants_of_files_are_found() {
    let _turn = turn();
    for mutant in [Mutant::RenameBeforeSync, Mutant::DirectoryNotSynced, Mutant::SyncErrorIgnored] {
        switch(Some(mutant));
        let found = (1..=200).find_map(|seed| drive(seed).err().map(|wrong| (seed, wrong)));
        switch(None);
        let (seed, wrong) = found.unwrap_or_else(|| panic!("{} is not found: the checker is asleep", mutant.name()));
        println!("{} found in {seed} seeds: {wrong}", mutant.name());
    }
}
