//! Clients that keep message files: they put, overwrite, get, rename between folders, remove and list, on the real
//! protocol of files over a simulated disk.
//!
//! What always holds: everything acknowledged is there with exactly its content, after every crash; what ended in an
//! error or in a crash is old or new and whole; what a read showed stays; temporaries are neither listed nor left.

mod machine;
mod model;
#[cfg(test)]
mod tests;

use super::Workload;
use crate::run::act;
use crate::sim::{Asker, News, Sim};
use machine::{Machine, Step};

/// How long a client waits for a server that is down.
const PATIENCE_US: u64 = 2_000_000;

/// Some clients.
pub(super) struct FileClients {
    machine: Machine,
    /// Life of the server that the machine is in.
    life: u32,
    wrong: Option<String>,
}

impl FileClients {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let mut rng = sim.rng.fork();
        let count = usize::try_from(rng.within(1, 4)).unwrap_or(1);
        for client in 0..count {
            act(sim, Asker { workload, client, token: 0 }, rng.below(1_000_000));
        }
        Self { machine: Machine::new(rng, count, sim.faults.file > 0), life: 0, wrong: None }
    }

    /// The server that clients meet may be down, another one than before, or the one they know.
    fn meet(&mut self, asker: Asker, sim: &mut Sim) -> Result<(), String> {
        let same = sim.is_up() && sim.life() == self.life;
        if self.machine.is_up() && !same {
            let how = self.machine.crash();
            sim.say(&format!("files: {how}"));
        }
        if !sim.is_up() {
            return Ok(());
        }
        self.life = sim.life();
        let step = if self.machine.is_up() { self.machine.step(asker.client)? } else { self.machine.start()? };
        self.tell(&step, asker, sim);
        Ok(())
    }

    fn tell(&mut self, step: &Step, asker: Asker, sim: &mut Sim) {
        sim.say(&format!("files, client {}: {}", asker.client, step.line));
        if step.crash {
            let how = self.machine.crash();
            sim.crash(&format!("in a file operation, {how}"));
        }
    }
}

impl Workload for FileClients {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        if self.wrong.is_some() {
            return;
        }
        self.wrong = self.meet(asker, sim).err();
        if let Some(wrong) = &self.wrong {
            sim.say(&format!("files: {wrong}"));
        }
        let after_us = if sim.is_up() { sim.rng.below(3_000_000) } else { PATIENCE_US };
        if self.wrong.is_none() && !self.machine.is_done(asker.client) {
            act(sim, asker, after_us);
        }
    }

    fn hear(&mut self, _: Asker, _: News, _: &mut Sim) {}

    fn calm(&mut self) {
        self.machine.calm();
    }

    fn check(&mut self, _: &Sim) -> Result<(), String> {
        self.wrong.clone().map_or(Ok(()), Err)
    }

    fn is_settled(&self) -> bool {
        self.wrong.is_some() || self.machine.is_settled()
    }

    fn stuck(&self) -> String {
        self.machine.open().join(", ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)?;
        self.machine.check_settled()
    }

    fn acknowledged(&self) -> u64 {
        self.machine.acknowledged()
    }
}
