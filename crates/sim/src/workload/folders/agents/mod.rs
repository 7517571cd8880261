//! Daemons, each with a disk of its own and a person who works on it: edits, renames, trees against edits inside them, editors that save by rename,
//! twins of case and Unicode. Machines crash anywhere, disks refuse, streams are cut, clocks are years apart, watchers miss things (FLD-26).
//!
//! In the end all disks have the same, and so has the server. No edit vanishes: what nobody replaced or removed who had it before them is in the tree
//! that all have.

mod device;
mod edits;

use std::collections::{BTreeMap, BTreeSet};

use folder_agent::model::Content;
use folders::names::{Policy, slot};

use super::judge::{self, Seen};
use crate::sim::{Asker, News, Sim};
use crate::workload::Workload;
use device::Device;

/// Connections of this world begin here.
const CONNECTIONS: u64 = 2_000_000;

/// What all machines share, and what the judge knows.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) directory: Option<String>,
    pub(super) connections: u64,
    pub(super) calm: bool,
    pub(super) answers: u64,
    texts: u64,
    /// Contents that must not vanish, and who wrote them.
    kept: BTreeMap<String, usize>,
    error: Option<String>,
    seen: Seen,
}

impl Shared {
    /// Bytes that nobody wrote before, most of them few.
    fn new_text(&mut self, size: u64) -> Vec<u8> {
        self.texts += 1;
        let mut bytes = format!("text {};", self.texts).into_bytes();
        let more = usize::try_from(size).unwrap_or(0);
        bytes.extend((0..more).map(|at| (at as u64 * self.texts).to_le_bytes()[0]));
        bytes
    }

    fn wrong(&mut self, text: String) {
        self.error.get_or_insert(text);
    }
}

/// The daemons.
pub(in crate::workload) struct Agents {
    devices: Vec<Device>,
    shared: Shared,
}

impl Agents {
    pub(in crate::workload) fn start(workload: usize, sim: &mut Sim) -> Self {
        let count = usize::try_from(sim.rng.within(2, 3)).unwrap_or(2);
        let devices = (0..count).map(|client| Device::new(Asker { workload, client, token: 0 }, sim)).collect();
        Self { devices, shared: Shared { connections: CONNECTIONS, ..Shared::default() } }
    }

    fn look(&mut self, sim: &Sim) -> Result<(), String> {
        let Some(directory) = self.shared.directory.clone() else { return Ok(()) };
        let seen = sim.look(|tx| judge::seen(tx, &directory)).ok_or("the server is down")?;
        self.shared.seen = seen.map_err(|error| error.to_string())?;
        // What is there twice, two people may each remove once and mean to keep.
        let mut once = BTreeSet::new();
        for hash in self.shared.seen.tree().into_values().flatten() {
            if !once.insert(hash.clone()) {
                self.shared.kept.remove(&hash);
            }
        }
        Ok(())
    }

    /// What one machine has otherwise than the server.
    fn differs(&self) -> Option<String> {
        let there = by_slot(self.shared.seen.tree());
        self.devices.iter().enumerate().find_map(|(number, device)| {
            let here = by_slot(device.tree());
            let paths: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
            let differs = paths.into_iter().find(|path| here.get(*path) != there.get(*path));
            differs.map(|path| {
                format!("machine {number} has {:?} at `{path}`, the server {:?}", here.get(path), there.get(path))
            })
        })
    }
}

/// Another composition of the same letters is the same name, and stays as it is on each disk.
fn by_slot(tree: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<String>> {
    tree.into_iter().map(|(path, hash)| (slot(Policy::Folded, &path), hash)).collect()
}

/// The hash of what a file holds, as the server writes it.
fn hash_of(content: &Content) -> Option<String> {
    match content {
        Content::File { hash, .. } => hash.map(|hash| base::Sha(hash).to_string()),
        Content::Folder | Content::Symlink(_) => None,
    }
}

impl Workload for Agents {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        self.devices[asker.client].act(asker.token, &mut self.shared, sim);
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        self.devices[asker.client].hear(asker.token, news, &mut self.shared, sim);
    }

    fn calm(&mut self) {
        self.shared.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        self.shared.error.clone().map_or(Ok(()), Err)?;
        self.look(sim)
    }

    fn is_settled(&self) -> bool {
        self.devices.iter().all(Device::is_settled) && self.differs().is_none() && self.shared.seen.open.is_empty()
    }

    fn stuck(&self) -> String {
        let told = self.devices.iter().map(Device::told);
        told.chain(self.differs()).chain(self.shared.seen.open.iter().cloned()).collect::<Vec<_>>().join("; ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)?;
        if let Some(differs) = self.differs() {
            return Err(differs);
        }
        let there: BTreeSet<String> = self.shared.seen.tree().into_values().flatten().collect();
        let lost = self.shared.kept.iter().find(|(hash, _)| !there.contains(*hash));
        lost.map_or(Ok(()), |(hash, device)| Err(format!("what machine {device} wrote vanished: {hash}")))
    }

    fn acknowledged(&self) -> u64 {
        self.shared.answers
    }
}
