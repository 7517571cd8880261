//! Parcels for a partner outside: sent by clients, delivered by the server's own loop, compared with what the partner has.

use std::collections::BTreeSet;

use super::Workload;
use crate::courier::{self, SEND};
use crate::run::act;
use crate::sim::{Asker, News, Sim};

/// A client that hears nothing for so long asks again.
const PATIENCE_US: u64 = 15_000_000;

/// One client that sends parcels, one after the other.
pub(super) struct Parcels {
    workload: usize,
    /// Parcels whose sending was acknowledged.
    acknowledged: BTreeSet<String>,
    /// Parcels that were seen delivered: that may never be taken back.
    delivered: BTreeSet<String>,
    sent: u64,
    open: bool,
    turn: u64,
    calm: bool,
}

impl Parcels {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        act(sim, Asker { workload, client: 0, token: 0 }, 700_000);
        let none = BTreeSet::new();
        let (acknowledged, delivered) = (none.clone(), none);
        Self { workload, acknowledged, delivered, sent: 0, open: false, turn: 0, calm: false }
    }

    fn next_turn(&mut self, after_us: u64, sim: &mut Sim) {
        self.turn += 1;
        act(sim, Asker { workload: self.workload, client: 0, token: self.turn }, after_us);
    }
}

fn id(number: u64) -> String {
    format!("parcel-{number:06}")
}

impl Workload for Parcels {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        if asker.token != self.turn || (self.calm && !self.open) {
            return;
        }
        if !self.open {
            self.sent += 1;
            self.open = true;
        }
        let asker = Asker { token: self.sent, ..asker };
        // The id is the natural key: no Idempotency-Key is needed, and a repeat is harmless.
        sim.ask(asker, &SEND, id(self.sent), None);
        self.next_turn(PATIENCE_US, sim);
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        if !self.open || asker.token != self.sent {
            return;
        }
        if matches!(news, News::Answer(Ok(_))) {
            self.open = false;
            self.acknowledged.insert(id(self.sent));
        }
        let pause_us = sim.rng.within(100_000, 8_000_000);
        self.next_turn(pause_us, sim);
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        let parcels = sim.look(courier::parcels).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        let there: BTreeSet<String> = parcels.iter().map(|parcel| parcel.id.clone()).collect();
        if let Some(lost) = self.acknowledged.difference(&there).next() {
            return Err(format!("{lost} was acknowledged and is not there"));
        }
        let delivered: BTreeSet<String> = parcels.into_iter().filter(|parcel| parcel.delivered).map(|p| p.id).collect();
        if let Some(undone) = self.delivered.difference(&delivered).next() {
            return Err(format!("{undone} was delivered and is to be delivered again"));
        }
        if let Some(never) = delivered.iter().find(|id| !sim.partner.arrived.contains_key(*id)) {
            return Err(format!("{never} is marked as delivered, but the partner never had it"));
        }
        self.delivered = delivered;
        Ok(())
    }

    fn is_settled(&self) -> bool {
        !self.open && self.acknowledged.is_subset(&self.delivered)
    }

    fn stuck(&self) -> String {
        let waiting: Vec<String> = self.acknowledged.difference(&self.delivered).cloned().collect();
        if waiting.is_empty() { String::new() } else { format!("not delivered: {}", waiting.join(", ")) }
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        let missing = self.acknowledged.iter().find(|id| !sim.partner.arrived.contains_key(*id));
        missing.map_or(Ok(()), |id| Err(format!("the partner never had {id}")))
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged.len() as u64
    }
}
