//! The server's side of an exchange: its rules, and the folders or packs on a simulated disk where a world has them.
//!
//! What a crash does to the disk is drawn when the server starts again: the process alone ended, and all that was shown is shown; or the
//! power was cut, and what was not synced is there or not.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::{BlobPlaces, Blobs, CallResult, Files, WorkCall};
use exchange::folders::{self, FILES, Shelves, recover};
use exchange::packs::{self, PACK, Packs};
use exchange::{Bodies, Rules, Settings};
use host::{DiskBlobs, DiskFiles};
use kernel::{Kernel, blobs};

use crate::disk::SimDisk;
use crate::sim::{Event, Sim};

type Done = Box<dyn FnOnce(CallResult) + Send>;
/// What is opened once in a life.
type Opened<T> = Arc<Mutex<Option<Arc<T>>>>;

/// Longest time that a batch of files takes.
const SLOW_US: u64 = 60_000_000;

/// What went wrong with files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mishap {
    /// The disk refused one of a batch.
    FileRefused,
    /// The process ended in the middle of a batch.
    DiedInBatch,
    /// A batch was brought to its place, and nobody heard of it.
    AnswerLost,
    /// A batch was brought to its place, and the process ended before that was noted.
    DiedBeforeNoted,
}

/// The server's side of an exchange.
pub struct Office {
    /// Limits and times.
    pub settings: Settings,
    /// Where files of messages, or packs of their texts, lie, if there are any.
    pub disk: Option<SimDisk>,
    /// What went wrong with them so far.
    pub mishaps: BTreeSet<Mishap>,
    /// Batches of this life that are not noted yet.
    open: Arc<AtomicU64>,
    opened: Opened<dyn Files>,
    packs: Arc<PacksOnDisk>,
}

/// Packs of the one namespace.
#[derive(Default)]
struct PacksOnDisk {
    disk: Option<SimDisk>,
    opened: Opened<dyn Blobs>,
}

impl Office {
    /// One with these rules, and with folders or packs on this disk.
    pub fn new(settings: Settings, disk: Option<SimDisk>) -> Self {
        let (mishaps, open, opened) = (BTreeSet::new(), Arc::default(), Opened::default());
        let packs = Arc::new(PacksOnDisk { disk: disk.clone(), ..PacksOnDisk::default() });
        Self { settings, disk, mishaps, open, opened, packs }
    }

    /// The machine comes up, after a power cut or not.
    fn begin_life(&mut self, cut: bool) {
        if self.open.load(Ordering::Relaxed) > 0 {
            self.mishaps.insert(Mishap::DiedBeforeNoted);
        }
        (self.open, self.opened) = (Arc::default(), Opened::default());
        self.packs = Arc::new(PacksOnDisk { disk: self.disk.clone(), ..PacksOnDisk::default() });
        match &self.disk {
            Some(disk) if cut || disk.is_read_only() => disk.cut(),
            Some(disk) => disk.kill(),
            None => {}
        }
    }

    /// Tells a node of the server the rules, and where the folders or packs are.
    fn equip(&self, kernel: &Kernel) {
        kernel.common::<Rules>().set(self.settings);
        let Some(disk) = self.disk.clone() else { return };
        match self.settings.bodies {
            Bodies::Store => {}
            Bodies::Folders => {
                let opened = self.opened.clone();
                kernel.common::<Shelves>().set(move |_| open(&opened, || DiskFiles::below(disk.root())));
            }
            Bodies::Blobs => kernel.common::<Packs>().set(self.packs.clone()),
        }
    }

    /// A batch was brought to its place; the word of it counts it as noted.
    fn brought(&mut self, said: &Result<String, String>, done: Done) -> Done {
        let is_refused = match said {
            Ok(said) => said.contains("\"failed\":[["),
            Err(_) => self.settings.bodies == Bodies::Blobs,
        };
        if is_refused {
            self.mishaps.insert(Mishap::FileRefused);
        }
        self.open.fetch_add(1, Ordering::Relaxed);
        let open = self.open.clone();
        Box::new(move |result| {
            open.fetch_sub(1, Ordering::Relaxed);
            done(result);
        })
    }
}

impl std::fmt::Debug for PacksOnDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PacksOnDisk")
    }
}

impl BlobPlaces for PacksOnDisk {
    fn place(&self, _: &str) -> io::Result<Arc<dyn Blobs>> {
        let disk = self.disk.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(blobs) = &*opened {
            return Ok(blobs.clone());
        }
        let blobs: Arc<dyn Blobs> = Arc::new(DiskBlobs::below(disk.root())?);
        *opened = Some(blobs.clone());
        Ok(blobs)
    }
}

fn open<F: Files + 'static>(
    opened: &Opened<dyn Files>,
    begin: impl FnOnce() -> io::Result<F>,
) -> io::Result<Arc<dyn Files>> {
    let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(files) = &*opened {
        return Ok(files.clone());
    }
    let files: Arc<dyn Files> = Arc::new(begin()?);
    *opened = Some(files.clone());
    Ok(files)
}

/// Does work on files of messages, or on packs, or what the kernel's collection wants of the blobs.
fn perform(kernel: &Kernel, work: &WorkCall) -> Result<String, String> {
    match work.name {
        FILES => folders::perform(kernel, work),
        PACK => packs::perform(kernel, work),
        _ => {
            let place = kernel.common::<Packs>().of(&kernel.admin_namespace()).map_err(|error| error.to_string())?;
            match blobs::perform(place.as_ref(), work) {
                CallResult::Worked(said) => Ok(said),
                other => Err(format!("{other:?}")),
            }
        }
    }
}

impl Sim {
    /// The nodes of the server learn of the exchange, if there is one in this world.
    pub fn equip_office(&mut self, kernels: &[&Kernel]) {
        let Some(office) = &mut self.office else { return };
        office.begin_life(self.rng.once_in(2));
        kernels.iter().for_each(|kernel| office.equip(kernel));
    }

    /// What the process before left is put right, before anybody is served.
    pub fn recover_office(&mut self) {
        let Some(disk) = self.office.as_ref().map(|office| office.disk.clone()) else { return };
        self.working_at_once(0, |kernel| recover(kernel, &kernel.admin_namespace()));
        if disk.is_some_and(|disk| disk.is_dead()) {
            self.crash("while files of messages were looked at");
        }
    }

    /// Whether this work is one on files of messages or on packs, and there are some.
    pub fn lays_files(&self, work: &WorkCall) -> bool {
        let office = self.office.as_ref().filter(|office| office.disk.is_some());
        office.is_some_and(|office| match office.settings.bodies {
            Bodies::Store => false,
            Bodies::Folders => work.name == FILES,
            Bodies::Blobs => [PACK, blobs::LIST, blobs::REMOVE].contains(&work.name),
        })
    }

    /// A node begins to bring a batch of files to its place.
    pub fn begin_laying(&mut self, node: usize, work: WorkCall, done: Done) {
        self.calls_open += 1;
        let slow = self.rng.once_in(self.faults.wake * 4);
        let delay_us = if slow { self.rng.below(SLOW_US) } else { self.rng.within(100, 1_500_000) };
        self.after(delay_us, Event::Lay(self.life(), node, work, done));
    }

    /// The node does it, if it still lives.
    pub fn lay(&mut self, life: u32, node: usize, work: &WorkCall, done: Done) {
        if !self.is_up() || self.life() != life {
            return;
        }
        let said = self.working_at_once(node, |kernel| perform(kernel, work));
        self.say(&format!("files: {} {said:?}", work.param));
        let Some(office) = &mut self.office else { return };
        let done = office.brought(&said, done);
        let disk = office.disk.clone();
        if disk.as_ref().is_some_and(SimDisk::is_dead) {
            office.mishaps.insert(Mishap::DiedInBatch);
            return self.crash("in a file of a message");
        }
        // Only a restart of the machine helps, which its keeper sees sooner or later.
        if disk.is_some_and(|disk| disk.is_read_only()) && (self.faults.file == 0 || self.rng.once_in(4)) {
            return self.crash("because the disk of messages can only be read");
        }
        let lost = self.rng.once_in(self.faults.partner);
        if let Some(office) = self.office.as_mut().filter(|_| lost) {
            office.mishaps.insert(Mishap::AnswerLost);
        }
        let result = match said {
            Ok(said) if !lost => CallResult::Worked(said),
            _ => CallResult::Unknown("nobody heard of it".into()),
        };
        let delay_us = self.rng.within(100, 300_000);
        self.after(delay_us, Event::Answered(life, done, result));
    }
}
