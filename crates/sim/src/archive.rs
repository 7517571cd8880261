//! An archive of history beside the store, whose memory no crash of ours touches: it refuses, loses its answers, answers late, and
//! writes what it was given long after everybody gave up waiting for that.
//!
//! What always holds, whatever happens to the server: one id is one row and one try is one outcome, however often they are written;
//! and all is written to one place.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{CallResult, WorkCall};
use sensors::SensorId;
use sensors::history::{Archive, ArchiveError, Archived, Batch, HistoryRow, Question, Tries, TryRow};
use sensors::outbox::{WRITE, perform};

use crate::faults::Faults;
use crate::rng::Rng;
use crate::sim::{Event, Sim};

/// What tells a try from all others: client, number of the event, number of the try, and when it was made.
pub type TryKey = (String, i64, i64, i64);

type Done = Box<dyn FnOnce(CallResult) + Send>;

/// Longest time that it is away.
const AWAY_MS_MAX: u64 = 400_000;

/// What becomes of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is not done.
    Refused,
    /// It is done and nobody hears of it.
    AnswerLost,
    /// Nobody hears of it, and it is done so many milliseconds later.
    Later(u64),
    /// It is done.
    Done,
}

/// The archive.
#[derive(Default)]
pub struct SimArchive(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    place: Option<String>,
    history: BTreeMap<String, HistoryRow>,
    tries: BTreeMap<TryKey, TryRow>,
    /// What becomes of the next write.
    fate: Option<Fate>,
    away_until_us: u64,
    /// Batches that are still to be written, each after so many milliseconds.
    landing: Vec<(u64, Batch)>,
    wrong: Option<String>,
}

impl Shelf {
    fn take(&mut self, batch: Batch) {
        for row in batch.history {
            let before = self.history.entry(row.id.to_string()).or_insert_with(|| row.clone());
            if *before != row {
                self.wrong.get_or_insert(format!("the archive has {before:?} and gets {row:?}"));
            }
        }
        for row in batch.tries {
            let key = (row.client_id.clone(), row.seq, row.number, row.at.0);
            let before = self.tries.entry(key).or_insert_with(|| row.clone());
            if *before != row {
                self.wrong.get_or_insert(format!("the archive has {before:?} and gets {row:?}"));
            }
        }
    }

    /// Draws what becomes of a write, and after how many milliseconds that is heard.
    fn draw(&mut self, faults: &Faults, rng: &mut Rng, now_us: u64) -> (Fate, u64) {
        if rng.once_in(faults.outage) {
            self.away_until_us = now_us + 1_000 * rng.within(1_000, AWAY_MS_MAX);
        }
        let soon_ms = rng.within(1, 2_000);
        // The calm phase ends every trouble.
        if faults.outage > 0 && now_us < self.away_until_us {
            return (Fate::Refused, soon_ms);
        }
        // It is asked so rarely that it has to fail often.
        if faults.partner == 0 || !rng.once_in(3) {
            return (Fate::Done, soon_ms);
        }
        match rng.below(5) {
            0 => (Fate::Refused, soon_ms),
            1 => (Fate::AnswerLost, soon_ms),
            2 => (Fate::AnswerLost, 30_000 + soon_ms),
            3 => (Fate::Later(rng.within(1_000, AWAY_MS_MAX)), soon_ms),
            _ => (Fate::Done, rng.within(10_000, 230_000)),
        }
    }
}

impl SimArchive {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something that was on its way to it arrives.
    pub fn land(&self, batch: Batch) {
        self.shelf().take(batch);
    }

    /// Its rows.
    pub fn rows(&self) -> Vec<HistoryRow> {
        self.shelf().history.values().cloned().collect()
    }

    /// Its tries.
    pub fn all_tries(&self) -> Vec<TryRow> {
        self.shelf().tries.values().cloned().collect()
    }

    /// What is wrong with what it was given so far.
    ///
    /// # Errors
    /// Something is.
    pub fn check(&self) -> Result<(), String> {
        self.shelf().wrong.clone().map_or(Ok(()), Err)
    }
}

impl Archive for SimArchive {
    fn write(&self, place: &str, batch: Batch, done: Archived<()>) {
        let mut shelf = self.shelf();
        let first = shelf.place.get_or_insert_with(|| place.to_owned()).clone();
        if first != place {
            shelf.wrong.get_or_insert(format!("history goes to {first} and to {place}"));
        }
        let fate = shelf.fate.take().unwrap_or(Fate::Done);
        match fate {
            Fate::Done | Fate::AnswerLost => shelf.take(batch),
            Fate::Later(ms) => shelf.landing.push((ms, batch)),
            Fate::Refused => {}
        }
        drop(shelf);
        done(if fate == Fate::Done { Ok(()) } else { Err(ArchiveError(format!("{fate:?}"))) });
    }

    fn history(&self, _: &str, question: &Question, _: &[SensorId], done: Archived<Vec<HistoryRow>>) {
        let mut rows = self.rows();
        rows.sort_by_key(|row| std::cmp::Reverse(row.place()));
        rows.truncate(question.limit as usize);
        done(Ok(rows));
    }

    fn tries(&self, _: &str, _: &Tries, done: Archived<Vec<TryRow>>) {
        done(Ok(self.all_tries()));
    }
}

impl Sim {
    /// Work that a node of ours does beside the store: history goes to the archive. Blobs have a workload with a disk of its own,
    /// which does their work.
    pub fn work(&mut self, node: usize, work: WorkCall, done: Done) {
        if self.lays_files(&work) {
            return self.begin_laying(node, work, done);
        }
        if work.name != WRITE || self.archive.is_none() {
            return done(CallResult::NotMade(format!("{} is not done here", work.name)));
        }
        self.calls_open += 1;
        let delay_us = self.rng.within(100, 3_000_000);
        self.after(delay_us, Event::Export(self.life(), node, work, done));
    }

    /// The node does it, if it still lives.
    pub fn export(&mut self, life: u32, node: usize, work: &WorkCall, done: Done) {
        let Some(archive) = self.archive.clone().filter(|_| self.is_up() && self.life() == life) else { return };
        let now_us = self.now_us();
        let (fate, heard_after_ms) = archive.shelf().draw(&self.faults, &mut self.rng, now_us);
        archive.shelf().fate = Some(fate);
        let written = self.working_at_once(node, |kernel| perform(kernel, work));
        self.say(&format!("archive: {} {fate:?}, {written:?} is heard after {heard_after_ms} ms", work.param));
        let landing = std::mem::take(&mut archive.shelf().landing);
        for (ms, batch) in landing {
            self.after(ms * 1_000, Event::Lands(batch));
        }
        let result = written.map_or_else(CallResult::Unknown, CallResult::Worked);
        self.after(heard_after_ms * 1_000, Event::Answered(life, done, result));
    }

    /// There is an archive from now on.
    pub fn build_archive(&mut self) {
        self.archive = Some(Arc::default());
    }
}
