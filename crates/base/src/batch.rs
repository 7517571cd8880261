//! Group commit: several jobs in one transaction, each in its savepoint, one COMMIT for all.
//!
//! Both engines run this same code on their connection. Nobody is answered here: the engine answers after the
//! batch returned, so after COMMIT. When the engine itself drops the transaction (disk full, I/O error, conflict), all
//! its jobs run again, one by one: that is why a job must be able to run more than once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::store::{Isolation, Job, Outcome, StoreError, StoreResult, Tx, Verdict};

/// A connection of an engine, as far as batches need it.
pub trait Connection {
    /// Opens a transaction.
    ///
    /// # Errors
    /// The store is not available.
    fn begin(&mut self, isolation: Isolation) -> StoreResult<()>;
    /// Begins one job's part of the transaction and forgets the error of the part before.
    ///
    /// # Errors
    /// The transaction is gone.
    fn savepoint(&mut self) -> StoreResult<()>;
    /// Keeps the part.
    ///
    /// # Errors
    /// The transaction is gone.
    fn release(&mut self) -> StoreResult<()>;
    /// Undoes the part.
    ///
    /// # Errors
    /// The transaction is gone.
    fn undo(&mut self) -> StoreResult<()>;
    /// Commits. After an error nothing is left open; [`StoreError::Unknown`] if it may have been committed.
    ///
    /// # Errors
    /// Not committed, or unknown.
    fn commit(&mut self) -> StoreResult<()>;
    /// Ends the transaction without a trace; never fails, a broken connection is replaced at the next begin.
    fn rollback(&mut self);
    /// The open transaction.
    fn tx(&mut self) -> &mut dyn Tx;
    /// The first error in the current part.
    fn first_error(&self) -> Option<StoreError>;
    /// Whether the transaction is still there to go on with.
    fn is_open(&self) -> bool;
    /// Whether the whole transaction is worth another run after `error`; an engine that wants to pause does it here.
    fn again(&mut self, error: &StoreError, runs: u32) -> bool;
}

/// A job and what became of it.
type Finished = (Box<dyn Job>, Outcome);

/// The transaction as a whole came to nothing; its jobs were not done.
struct Lost(StoreError);

/// Runs `first` and whatever `more` still gives, in one transaction. Returns what to answer, in order.
pub fn run_batch(
    conn: &mut dyn Connection,
    first: Box<dyn Job>,
    more: &mut dyn FnMut() -> Option<Box<dyn Job>>,
) -> Vec<Finished> {
    let isolation = first.isolation();
    let mut batch = vec![(first, Outcome::Committed)];
    if let Err(mut lost) = together(conn, isolation, &mut batch, more) {
        let mut runs = 1;
        while batch.len() > 1 && conn.again(&lost.0, runs) {
            match together(conn, isolation, &mut batch, &mut || None) {
                Ok(()) => return batch,
                Err(again) => lost = again,
            }
            runs += 1;
        }
        for (job, outcome) in &mut batch {
            *outcome = run_alone(conn, job.as_mut());
        }
    }
    batch
}

/// One run of all jobs in one transaction; `batch` grows by what `more` gives.
fn together(
    conn: &mut dyn Connection,
    isolation: Isolation,
    batch: &mut Vec<Finished>,
    more: &mut dyn FnMut() -> Option<Box<dyn Job>>,
) -> Result<(), Lost> {
    conn.begin(isolation).map_err(Lost)?;
    let mut at = 0;
    while at < batch.len() {
        let (job, outcome) = &mut batch[at];
        *outcome = in_savepoint(conn, job.as_mut())?;
        at += 1;
        if at == batch.len() {
            batch.extend(more().map(|job| (job, Outcome::Committed)));
        }
    }
    match conn.commit() {
        Ok(()) => Ok(()),
        Err(unknown @ StoreError::Unknown(_)) => {
            unknown_for_the_kept(batch, &unknown);
            Ok(())
        }
        Err(error) => Err(Lost(error)),
    }
}

fn in_savepoint(conn: &mut dyn Connection, job: &mut dyn Job) -> Result<Outcome, Lost> {
    let lost = |conn: &mut dyn Connection, error| {
        conn.rollback();
        Lost(error)
    };
    conn.savepoint().map_err(|error| lost(conn, error))?;
    let outcome = run_job(conn, job);
    if !conn.is_open() {
        let error = conn.first_error().unwrap_or_else(|| StoreError::Unavailable("the transaction was dropped".into()));
        return Err(lost(conn, error));
    }
    let ended = if outcome == Outcome::Committed { conn.release() } else { conn.undo() };
    ended.map_err(|error| lost(conn, error))?;
    Ok(outcome)
}

/// One job in a transaction of its own, without savepoint, run again while the engine thinks it worth it.
pub fn run_alone(conn: &mut dyn Connection, job: &mut dyn Job) -> Outcome {
    let mut runs = 1;
    loop {
        let outcome = alone_once(conn, job);
        match &outcome {
            Outcome::Failed(error) if conn.again(error, runs) => runs += 1,
            _ => return outcome,
        }
    }
}

fn alone_once(conn: &mut dyn Connection, job: &mut dyn Job) -> Outcome {
    if let Err(error) = conn.begin(job.isolation()) {
        return Outcome::Failed(error);
    }
    let outcome = run_job(conn, job);
    if outcome != Outcome::Committed {
        conn.rollback();
        return outcome;
    }
    conn.commit().map_or_else(Outcome::Failed, |()| Outcome::Committed)
}

/// Runs the job and judges: an error of the store outweighs what the job says, a panic outweighs both.
fn run_job(conn: &mut dyn Connection, job: &mut dyn Job) -> Outcome {
    let verdict = catch_unwind(AssertUnwindSafe(|| job.run(conn.tx())));
    match (verdict, conn.first_error()) {
        (Err(panic), _) => Outcome::Panicked(panic_text(panic.as_ref())),
        (Ok(_), Some(error)) => Outcome::Failed(error),
        (Ok(Verdict::Keep), None) => Outcome::Committed,
        (Ok(Verdict::Undo), None) => Outcome::Undone,
    }
}

fn unknown_for_the_kept(batch: &mut [Finished], unknown: &StoreError) {
    for (_, outcome) in batch.iter_mut().filter(|(_, outcome)| *outcome == Outcome::Committed) {
        *outcome = Outcome::Failed(unknown.clone());
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic without a text".into())
}
