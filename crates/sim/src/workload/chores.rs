//! Clients that create chores, which the server's dispatchers do: each exactly once, in order within a lane, and none for ever.

use std::collections::{BTreeMap, BTreeSet};

use super::Workload;
use crate::chores::{self, CREATE, Kind, NewChore, STEPS};
use crate::run::act;
use crate::sim::{Asker, News, Sim};

/// A client that hears nothing for so long asks again.
const PATIENCE_US: u64 = 15_000_000;
const CLIENTS: usize = 2;

/// What a client is about.
#[derive(Default)]
struct Client {
    created: u64,
    turn: u64,
    open: Option<NewChore>,
}

/// The clients.
pub(super) struct ChoreClients {
    workload: usize,
    clients: Vec<Client>,
    acknowledged: BTreeMap<String, Kind>,
    /// Chores that were seen done, or parked for good.
    over: BTreeSet<String>,
    calm: bool,
}

impl ChoreClients {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        (0..CLIENTS).for_each(|client| act(sim, Asker { workload, client, token: 0 }, 400_000));
        let clients = (0..CLIENTS).map(|_| Client::default()).collect();
        Self { workload, clients, acknowledged: BTreeMap::new(), over: BTreeSet::new(), calm: false }
    }

    fn next_turn(&mut self, client: usize, after_us: u64, sim: &mut Sim) {
        self.clients[client].turn += 1;
        act(sim, Asker { workload: self.workload, client, token: self.clients[client].turn }, after_us);
    }
}

fn new_chore(client: usize, number: u64, sim: &mut Sim) -> NewChore {
    // Poison ends the process three times: not too often.
    let kinds = if sim.rng.once_in(10) { &Kind::ALL[..] } else { &Kind::ALL[..5] };
    let kind = *sim.rng.pick(kinds);
    let after_ms = if sim.rng.once_in(3) { 1 + i64::try_from(sim.rng.below(90_000)).unwrap_or(0) } else { 0 };
    let after_ms = if kind == Kind::Lane { 0 } else { after_ms };
    NewChore { key: format!("client{client}-{number:06}"), kind, after_ms }
}

impl Workload for ChoreClients {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        let client = &mut self.clients[asker.client];
        if asker.token != client.turn || (self.calm && client.open.is_none()) {
            return;
        }
        if client.open.is_none() {
            client.created += 1;
            client.open = Some(new_chore(asker.client, client.created, sim));
        }
        let (token, new) = (client.created, client.open.clone());
        if let Some(new) = new {
            sim.ask(Asker { token, ..asker }, &CREATE, new, None);
        }
        self.next_turn(asker.client, PATIENCE_US, sim);
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let client = &mut self.clients[asker.client];
        if client.open.is_none() || asker.token != client.created {
            return;
        }
        if matches!(news, News::Answer(Ok(_)))
            && let Some(done) = client.open.take()
        {
            self.acknowledged.insert(done.key, done.kind);
        }
        let pause_us = sim.rng.within(100_000, 10_000_000);
        self.next_turn(asker.client, pause_us, sim);
    }

    fn calm(&mut self) {
        self.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        let look = |error: base::StoreError| error.to_string();
        let chores = sim.look(chores::chores).ok_or("the server is down")?.map_err(look)?;
        let twice = chores.iter().find(|chore| chore.done > 1 || chore.steps > STEPS);
        if let Some(chore) = twice {
            return Err(format!("done more than once: {chore:?}"));
        }
        let there: BTreeSet<&str> = chores.iter().map(|chore| chore.key.as_str()).collect();
        if let Some(lost) = self.acknowledged.keys().find(|key| !there.contains(key.as_str())) {
            return Err(format!("{lost} was acknowledged and is not there"));
        }
        if let Some(never) = chores
            .iter()
            .find(|chore| chore.kind == "Call" && chore.done == 1 && !sim.partner.arrived.contains_key(&chore.key))
        {
            return Err(format!("{never:?} is done, but the partner never heard of it"));
        }
        let disordered = sim.look(chores::disordered).ok_or("the server is down")?.map_err(look)?;
        if let Some(lane) = disordered.first() {
            return Err(format!("in lane {lane} a younger chore was done before an older one"));
        }
        let parked = sim.look(chores::parked).ok_or("the server is down")?.map_err(look)?;
        if let Some(wrong) = parked.iter().find(|(_, op, _)| op.starts_with("chore.") && op != "chore.poison") {
            return Err(format!("parked without need: {wrong:?}"));
        }
        let done = chores.iter().filter(|chore| chore.done == 1).map(|chore| chore.key.clone());
        self.over = done.chain(parked.into_iter().map(|(key, _, _)| key)).collect();
        Ok(())
    }

    fn is_settled(&self) -> bool {
        self.clients.iter().all(|client| client.open.is_none())
            && self.acknowledged.keys().all(|key| self.over.contains(key))
    }

    fn stuck(&self) -> String {
        let open = self.acknowledged.iter().filter(|(key, _)| !self.over.contains(*key));
        let open: Vec<String> = open.map(|(key, kind)| format!("{key} ({kind:?})")).collect();
        if open.is_empty() { String::new() } else { format!("not done: {}", open.join(", ")) }
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        let chores = sim.look(chores::chores).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        for chore in chores {
            let kind = self.acknowledged.get(&chore.key);
            let good = match kind {
                None => true,
                Some(Kind::Poison) => chore.done == 0,
                Some(Kind::Steps) => chore.done == 1 && chore.steps == STEPS,
                Some(Kind::Write | Kind::Call | Kind::Flaky | Kind::Lane) => chore.done == 1,
            };
            if !good {
                return Err(format!("it ended wrongly: {chore:?}"));
            }
        }
        Ok(())
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged.len() as u64
    }
}
