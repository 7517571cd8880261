//! A node's keeper of namespaces: decides as the server's does ([`kernel::namespaces::keep`]), on stores that are names in a set.
//!
//! Its memory ends with the process, or when the node alone begins anew; the stores stay. A job may fail, and may take so long
//! that its row is another one meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use base::{Clock, StoreResult, Tx};
use kernel::Home;
use kernel::namespaces::keep::{Phase, Slot, Step, step};
use kernel::namespaces::{LIST_NAMESPACES, NamespaceRow, SETTLE_NAMESPACE, Settled, State};

use super::question::ADMIN;
use crate::run::act;
use crate::sim::{Asker, Sim};

/// How often the rows are read. All times are shorter than the server's, so that a run has many lives of a name.
const EVERY_US: u64 = 700_000;
/// The same when nothing changes any more.
const EVERY_CALM_US: u64 = 10_000_000;
/// A removal waits so long for the other nodes to let go.
const LET_GO_US: u64 = 1_000_000;
/// How much longer a job takes on a slow node at most.
const SLOW_US: u64 = 6_000_000;

/// What both nodes share: where stores are.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) made: BTreeSet<String>,
    /// Set aside, with all that was in them.
    pub(super) aside: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Open,
    SetAside,
    /// The store is done with, and its row is told.
    Tell,
}

/// The keeper of one node.
pub(super) struct Keeper {
    asker: Asker,
    life: u32,
    slots: BTreeMap<String, Slot>,
    jobs: BTreeMap<u64, (Work, NamespaceRow)>,
    last_job: u64,
}

impl Keeper {
    /// The second node is the slow one.
    pub(super) fn start(asker: Asker, sim: &mut Sim) -> Self {
        act(sim, asker, 1_000_000);
        Self { asker, life: 0, slots: BTreeMap::new(), jobs: BTreeMap::new(), last_job: 0 }
    }

    /// Reads the rows and begins what they ask for.
    pub(super) fn round(&mut self, calm: bool, sim: &mut Sim) {
        act(sim, self.asker, if calm { EVERY_CALM_US } else { EVERY_US });
        if sim.life() != self.life || sim.rng.once_in(sim.faults.node) {
            self.life = sim.life();
            self.slots.clear();
            self.jobs.clear();
        }
        let Some(Ok(rows)) = sim.look(rows) else { return };
        let mut names: Vec<String> = rows.keys().chain(self.slots.keys()).cloned().collect();
        names.sort();
        names.dedup();
        for name in names {
            self.take_step(&name, rows.get(&name), sim);
        }
    }

    fn take_step(&mut self, name: &str, row: Option<&NamespaceRow>, sim: &mut Sim) {
        let next = step(row, self.slots.get(name), sim.clock.ran_ms());
        match (next, row) {
            (Step::LetGo, _) => drop(self.slots.remove(name)),
            (Step::Open, Some(row)) => self.begin(Work::Open, row, sim),
            (Step::Remove, Some(row)) => self.begin(Work::SetAside, row, sim),
            (Step::Stand, Some(row)) => {
                self.slots.entry(name.to_owned()).and_modify(|slot| slot.standing = row.standing());
            }
            (Step::Settle, Some(row)) => {
                self.slots.entry(name.to_owned()).and_modify(|slot| slot.phase = Phase::Busy);
                self.tell_row(row.clone(), sim);
            }
            // Nobody moves a namespace here: there is one engine.
            (Step::Shut, _) => {}
            (Step::Nothing | Step::Open | Step::Remove | Step::Stand | Step::Settle, _) => {}
        }
    }

    fn begin(&mut self, work: Work, row: &NamespaceRow, sim: &mut Sim) {
        let begun = Slot::begun(row, self.slots.get(&row.name));
        self.slots.insert(row.name.clone(), begun);
        let slow = self.asker.client > 1 && sim.faults.wake > 0 && sim.rng.once_in(2);
        let own_us = if slow { sim.rng.below(SLOW_US) } else { sim.rng.within(1_000, 300_000) };
        let takes_us = own_us + if work == Work::SetAside { LET_GO_US } else { 0 };
        self.last_job += 1;
        self.jobs.insert(self.last_job, (work, row.clone()));
        act(sim, Asker { token: self.last_job, ..self.asker }, takes_us);
    }

    /// A job comes to its end; one of a process that has ended does not.
    pub(super) fn end_job(&mut self, job: u64, places: &mut Places, sim: &mut Sim) {
        let Some((work, row)) = self.jobs.remove(&job).filter(|_| self.life == sim.life()) else { return };
        let failed = sim.rng.once_in(sim.faults.file);
        sim.say(&format!(
            "node {}: {work:?} {} {}",
            self.asker.client,
            row.place,
            if failed { "fails" } else { "ends" }
        ));
        match work {
            Work::Open | Work::SetAside if failed => self.end(&row, false, sim),
            Work::Open => {
                let is_new = row.state == State::Creating && places.made.insert(row.place.clone());
                let is_there = is_new || !places.aside.contains(&row.place);
                self.end(&row, is_there, sim);
            }
            Work::SetAside => {
                places.aside.insert(row.place.clone());
                self.tell_row(row, sim);
            }
            Work::Tell => {}
        }
    }

    fn tell_row(&mut self, row: NamespaceRow, sim: &mut Sim) {
        self.last_job += 1;
        let input = Settled { name: row.name.clone(), place: row.place.clone(), from: row.state };
        self.jobs.insert(self.last_job, (Work::Tell, row));
        sim.call(Asker { token: self.last_job, ..self.asker }, &SETTLE_NAMESPACE, input, None);
    }

    /// The row was told, or could not be told; a removal is then begun again.
    pub(super) fn told(&mut self, job: u64, went_well: bool, sim: &Sim) {
        let Some((_, row)) = self.jobs.remove(&job).filter(|_| self.life == sim.life()) else { return };
        self.end(&row, went_well || row.state == State::Creating, sim);
    }

    fn end(&mut self, row: &NamespaceRow, went_well: bool, sim: &Sim) {
        if let Some(slot) = self.slots.get_mut(&row.name) {
            slot.end(went_well, sim.clock.ran_ms());
        }
    }

    /// What it does not do as the rows say, for people.
    pub(super) fn behind(&self, rows: &BTreeMap<String, NamespaceRow>) -> Vec<String> {
        let serves = |row: &NamespaceRow| {
            let is_so =
                |slot: &Slot| slot.place == row.place && slot.standing == row.standing() && slot.phase == Phase::Open;
            self.slots.get(&row.name).is_some_and(is_so) && !matches!(row.state, State::Creating | State::Removing)
        };
        let unserved =
            rows.values().filter(|row| !serves(row)).map(|row| format!("{} {}", row.place, row.state.word()));
        let kept =
            self.slots.keys().filter(|name| !rows.contains_key(*name)).map(|name| format!("{name}, which is gone"));
        unserved.chain(kept).map(|what| format!("node {}: {what}", self.asker.client)).collect()
    }
}

/// The rows that keepers keep.
pub(super) fn rows(tx: &mut dyn Tx) -> StoreResult<BTreeMap<String, NamespaceRow>> {
    let rows = LIST_NAMESPACES.run_in(tx, &Home::nowhere(), &()).unwrap_or_default().into_iter();
    Ok(rows.filter(|row| row.name != ADMIN).map(|row| (row.name.clone(), row)).collect())
}
