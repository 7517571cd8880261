//! The files alone, without the world around them: thousands of seeds in a second.

use std::collections::BTreeMap;

use super::machine::Machine;
use crate::disk::DiskFault;
use crate::rng::Rng;

/// One seed: steps with faults and crashes, then a calm in which everything settles.
fn drive(seed: u64, struck: &mut BTreeMap<DiskFault, u64>) -> Result<u64, String> {
    let mut rng = Rng::new(seed);
    let (clients, failing) = (rng.within(1, 4), rng.once_in(2));
    let crash_once_in = rng.within(10, 200);
    let mut machine = Machine::new(rng.fork(), usize::try_from(clients).unwrap(), failing);
    for _ in 0..300 {
        turn(&mut machine, &mut rng, crash_once_in)?;
    }
    machine.struck().into_iter().for_each(|(fault, times)| *struck.entry(fault).or_default() += times);
    machine.calm();
    for _ in 0..1_000 {
        if machine.is_settled() {
            return machine.check_settled().map(|()| machine.acknowledged());
        }
        turn(&mut machine, &mut rng, 0)?;
    }
    Err(format!("stuck: {:?}", machine.open()))
}

fn turn(machine: &mut Machine, rng: &mut Rng, crash_once_in: u64) -> Result<(), String> {
    let step =
        if machine.is_up() { machine.step(rng.below(machine.clients() as u64) as usize)? } else { machine.start()? };
    if std::env::var_os("SIM_PRINT").is_some() {
        println!("{}", step.line);
    }
    if step.crash || rng.once_in(crash_once_in) {
        let how = machine.crash();
        if std::env::var_os("SIM_PRINT").is_some() {
            println!("{how}");
        }
    }
    Ok(())
}

#[test]
fn nothing_is_lost_or_mixed_in_300_seeds_and_every_fault_happens() {
    let mut struck = BTreeMap::new();
    let from = std::env::var("SIM_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let to = if from == 1 { 300 } else { from };
    let mut fails = 0;
    for seed in from..=to {
        match drive(seed, &mut struck) {
            Err(wrong) => {
                fails += 1;
                if fails < 10 {
                    println!("seed {seed}: {wrong}")
                }
            }
            Ok(a) => assert!(a > 0),
        }
    }
    println!("{struck:?}");
    assert!(fails == 0, "{fails}");
    assert!(from != 1 || DiskFault::ALL.iter().all(|fault| struck.contains_key(fault)), "{struck:?}");
}
