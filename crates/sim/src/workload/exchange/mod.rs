//! Devices and databases that exchange messages through the server (checker M): connectors that play EXC-25 against databases with
//! transactions of their own, and everything is cut at every point (`cuts`).
//!
//! What always holds: nothing acknowledged is lost; the effect of a message is in its database at most once; what is done is never given
//! again; a reply goes out only if its transaction was committed; an outcome is unknown only where nobody told it in time, and a person
//! is told of it for exactly so long. When all is calm, everything is done exactly once, every reply is at its device, no outcome is
//! unknown, nobody is stuck; and the folders are exactly what the rows say, in worlds that have folders, and the packs in those that have
//! packs.

mod books;
mod cuts;
mod device;
mod erp;
mod judge;
mod known;
mod line;
mod registrar;
mod resolver;

use exchange::folders::Scans;
use exchange::{Bodies, Settings};
use kernel::Kernel;

use self::cuts::Cut;
pub use self::cuts::exchange_cuts;
use self::device::Device;
use self::erp::{Connector, Hardship};
use self::known::{DATABASES, DEVICES, Known};
use self::line::Line;
use self::registrar::Registrar;
use self::resolver::Resolver;
use super::Workload;
use crate::disk::{DiskFaults, SimDisk};
use crate::office::Office;
use crate::run::act;
use crate::sim::{Asker, News, Sim};

/// The namespace of everything here.
const MAIN: &str = "main";

const REGISTRAR: usize = 0;
const RESOLVER: usize = 1;
const DEVICE: usize = 2;
const CONNECTOR: usize = DEVICE + DEVICES.len();

/// All of them.
pub(super) struct Exchange {
    known: Known,
    registrar: Registrar,
    resolver: Resolver,
    devices: Vec<Device>,
    connectors: Vec<Connector>,
    settings: Settings,
    disk: Option<SimDisk>,
    /// The life in which the disk was looked at.
    life: u32,
    /// What was open at the last look.
    open: Vec<String>,
}

impl Exchange {
    pub(super) fn start(workload: usize, sim: &mut Sim) -> Self {
        let mut rng = sim.rng.fork();
        let has_folders = rng.once_in(2);
        let mut settings = Settings {
            files_max: *rng.pick(&[3, 10]),
            bytes_max: *rng.pick(&[4_000, 20 << 20]),
            started_ms: *rng.pick(&[20_000, 60_000]),
            ready_ms: *rng.pick(&[15_000, 40_000]),
            bodies: if has_folders { Bodies::Folders } else { Bodies::Store },
            ..Settings::default()
        };
        let faults = DiskFaults::draw(&mut rng, sim.faults.file > 0);
        let mut disk = has_folders.then(|| SimDisk::new(rng.fork(), faults.clone()));
        let hardship = Hardship::draw(&mut rng);
        let hung_ms = [settings.started_ms, settings.ready_ms].map(|ms| u64::try_from(ms).unwrap_or(0));
        // Several connectors may serve one database.
        let of: Vec<usize> = (0..DATABASES.len()).chain(rng.once_in(2).then_some(0)).chain([1]).collect();
        let connectors: Vec<Connector> = of
            .into_iter()
            .enumerate()
            .map(|(number, database)| {
                let line = Line::new(workload, CONNECTOR + number);
                let name = format!("connector {number} of {}", DATABASES[database].0);
                Connector::new(database, name, line, hardship.clone(), (hung_ms[0], hung_ms[1]))
            })
            .collect();
        let clients = CONNECTOR + connectors.len();
        (0..clients).for_each(|client| act(sim, Asker { workload, client, token: 0 }, 300_000));
        let known = Known::new(rng.once_in(2));
        if !has_folders && rng.once_in(2) {
            settings.bodies = Bodies::Blobs;
            settings.gather_ms = *rng.pick(&[0, 10_000]);
            disk = Some(SimDisk::new(rng.fork(), faults));
        }
        sim.office = Some(Office::new(settings, disk.clone()));
        sim.say(&format!("exchange: {settings:?}, {hardship:?}"));
        Self {
            known,
            registrar: Registrar::default(),
            resolver: Resolver::new(Line::new(workload, RESOLVER)),
            devices: (0..DEVICES.len())
                .map(|number| Device::new(number, Line::new(workload, DEVICE + number)))
                .collect(),
            connectors,
            settings,
            disk,
            life: 0,
            open: vec!["nobody looked".to_owned()],
        }
    }
}

impl Workload for Exchange {
    fn act(&mut self, asker: Asker, sim: &mut Sim) {
        let known = &mut self.known;
        match asker.client {
            REGISTRAR => self.registrar.act(asker, known, sim),
            RESOLVER => self.resolver.act(asker, &self.connectors, known, sim),
            client if client < CONNECTOR => self.devices[client - DEVICE].act(asker, known, sim),
            client => self.connectors[client - CONNECTOR].act(asker, known, sim),
        }
    }

    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim) {
        let known = &mut self.known;
        match asker.client {
            REGISTRAR => self.registrar.hear(asker, &news, known, sim),
            RESOLVER => self.resolver.hear(asker, news, known, sim),
            client if client < CONNECTOR => self.devices[client - DEVICE].hear(asker, news, known, sim),
            client => self.connectors[client - CONNECTOR].hear(asker, news, known, sim),
        }
    }

    fn calm(&mut self) {
        self.known.calm = true;
        self.connectors.iter_mut().for_each(Connector::calm);
        self.disk.iter().for_each(|disk| disk.set_faults(DiskFaults::default()));
    }

    fn check(&mut self, sim: &Sim) -> Result<(), String> {
        self.known.check()?;
        let seen = sim.look(judge::seen).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        seen.check(&self.known, self.settings.ready_ms)?;
        if let Some(office) = &sim.office {
            self.known.cuts.extend(office.mishaps.iter().copied().map(Cut::Files));
            if self.life != sim.life() {
                seen.check_files(office)?;
                seen.check_packs(&self.known, office)?;
            }
        }
        self.life = sim.life();
        self.open = seen.open();
        Ok(())
    }

    fn is_settled(&self) -> bool {
        let done = self.devices.iter().all(Device::is_settled) && self.connectors.iter().all(Connector::is_settled);
        self.known.check().is_err() || (done && self.resolver.is_settled() && self.open.is_empty())
    }

    fn stuck(&self) -> String {
        let connectors = self.connectors.iter().map(Connector::stuck);
        connectors.chain(self.open.iter().take(5).cloned()).collect::<Vec<_>>().join(", ")
    }

    fn check_settled(&mut self, sim: &Sim) -> Result<(), String> {
        self.check(sim)?;
        let seen = sim.look(judge::seen).ok_or("the server is down")?.map_err(|error| error.to_string())?;
        seen.check_settled(&self.known, &self.devices)?;
        if let Some(office) = &sim.office {
            seen.check_packs(&self.known, office)?;
            seen.check_all_packed(office)?;
        }
        // A file that could be laid only in part may lie too many until folders are compared, which is once a minute.
        let wants_scan = |kernel: &Kernel| kernel.common::<Scans>().is_wanted(MAIN);
        let office = sim.office.as_ref().filter(|_| !sim.kernels().any(wants_scan));
        office.map_or(Ok(()), |office| seen.check_folders(&self.known, office))
    }

    fn acknowledged(&self) -> u64 {
        self.known.answers
    }

    fn cuts(&self) -> Vec<String> {
        self.known.cuts.iter().map(|cut| cut.name()).collect()
    }
}
