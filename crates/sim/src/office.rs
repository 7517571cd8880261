//! The server's side of an exchange: its rules, and the folders on a simulated disk where a world has them.
//!
//! What a crash does to the disk is drawn when the server starts again: the process alone ended, and all that was shown is shown; or the
//! power was cut, and what was not synced is there or not.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base::{CallResult, Files, WorkCall};
use exchange::folders::{FILES, Shelves, perform, recover};
use exchange::{Rules, Settings};
use host::DiskFiles;
use kernel::Kernel;

use crate::disk::SimDisk;
use crate::sim::{Event, Sim};

type Done = Box<dyn FnOnce(CallResult) + Send>;
/// What is opened once in a life.
type Opened = Arc<Mutex<Option<Arc<dyn Files>>>>;

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
    /// Where files of messages lie, if there are any.
    pub disk: Option<SimDisk>,
    /// What went wrong with them so far.
    pub mishaps: BTreeSet<Mishap>,
    /// Batches of this life that are not noted yet.
    open: Arc<AtomicU64>,
    opened: Opened,
}

impl Office {
    /// One with these rules, and with folders on this disk.
    pub fn new(settings: Settings, disk: Option<SimDisk>) -> Self {
        Self { settings, disk, mishaps: BTreeSet::new(), open: Arc::default(), opened: Opened::default() }
    }

    /// The machine comes up, after a power cut or not.
    fn begin_life(&mut self, cut: bool) {
        if self.open.load(Ordering::Relaxed) > 0 {
            self.mishaps.insert(Mishap::DiedBeforeNoted);
        }
        (self.open, self.opened) = (Arc::default(), Opened::default());
        match &self.disk {
            Some(disk) if cut || disk.is_read_only() => disk.cut(),
            Some(disk) => disk.kill(),
            None => {}
        }
    }

    /// Tells a node of the server the rules, and where the folders are.
    fn equip(&self, kernel: &Kernel) {
        kernel.common::<Rules>().set(self.settings);
        let Some(disk) = self.disk.clone() else { return };
        let opened = self.opened.clone();
        kernel.common::<Shelves>().set(move |_| open(&opened, &disk));
    }

    /// A batch was brought to its place; the word of it counts it as noted.
    fn brought(&mut self, said: &Result<String, String>, done: Done) -> Done {
        if matches!(said, Ok(said) if said.contains("\"failed\":[[")) {
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

fn open(opened: &Opened, disk: &SimDisk) -> io::Result<Arc<dyn Files>> {
    let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(files) = &*opened {
        return Ok(files.clone());
    }
    let files: Arc<dyn Files> = Arc::new(DiskFiles::below(disk.root())?);
    *opened = Some(files.clone());
    Ok(files)
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

    /// Whether this work is one on files of messages, and there are some.
    pub fn lays_files(&self, work: &WorkCall) -> bool {
        work.name == FILES && self.office.as_ref().is_some_and(|office| office.disk.is_some())
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
