//! Folders: devices that keep one directory in step over streams that are cut, with clocks years apart, some of which fall silent
//! while they hold a file (FLD-26). No update is overwritten unseen, nobody waits for ever, and in the end all have the same.

mod agents;
mod device;
mod edit;
mod hear;
mod judge;
mod shared;
mod write;

use super::Workload;
use crate::sim::{Asker, News, Sim};
use device::Device;
use shared::Shared;

pub(super) use agents::Agents;

/// The devices.
pub(super) struct Folders {
    devices: Vec<Device>,
    shared: Shared,
}

impl Folders {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let count = usize::try_from(sim.rng.within(2, 4)).unwrap_or(2);
        let devices = (0..count).map(|client| Device::new(Asker { workload, client, token: 0 }, sim)).collect();
        Self { devices, shared: Shared::new() }
    }

    fn look(&mut self, sim: &Sim) -> Result<(), String> {
        let Some(directory) = self.shared.directory.clone() else { return Ok(()) };
        let seen = sim.look(|tx| judge::seen(tx, &directory)).ok_or("the server is down")?;
        let seen = seen.map_err(|error| error.to_string())?;
        self.shared.living = seen.living(&self.shared.texts);
        self.shared.open.clone_from(&seen.open);
        seen.check(&self.shared.texts)
    }
}

impl Workload for Folders {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        self.devices[asker.client].act(asker.token, &mut self.shared, sim);
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let device = &mut self.devices[asker.client];
        if device.connection != Some(asker.token) {
            return;
        }
        match news {
            News::Message(bytes) => device.hear(&bytes, &mut self.shared, sim),
            News::Cut => {
                device.connection = None;
                device.cut(sim);
            }
            News::Answer(_) => {}
        }
    }

    fn calm(&mut self) {
        self.shared.calm = true;
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        self.shared.check()?;
        self.look(sim)
    }

    fn is_settled(&self) -> bool {
        self.shared.open.is_empty() && self.devices.iter().all(|device| device.is_settled(&self.shared.living))
    }

    fn stuck(&self) -> String {
        let told = self.devices.iter().map(|device| {
            let differs = device.differs(&self.shared.living).unwrap_or_default();
            format!("device {} {:?} {:?} {differs}", device.at.client, device.flight, device.edit)
        });
        told.chain(self.shared.open.iter().map(|open| format!("open {open}"))).collect::<Vec<_>>().join("; ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.shared.check()?;
        self.look(sim)?;
        let differs = self.devices.iter().find_map(|device| device.differs(&self.shared.living));
        differs.map_or(Ok(()), Err)
    }

    fn acknowledged(&self) -> u64 {
        self.shared.answers
    }
}
