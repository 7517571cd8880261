//! Group commit: several jobs in one transaction, each in its savepoint, one COMMIT for all.
//!
//! Both engines run this same code on their connection. Nobody is answered here: the engine answers after the
//! batch returned, so after COMMIT. When the engine itself drops the transaction (disk full, I/O error, conflict), all
//! its jobs run again, one by one: that is why a job must be able to run more than once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::mutants::{self, Mutant};
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
    /// What follows is done by this job.
    fn serve(&mut self, job: &dyn Job) {
        let _ = job;
    }
    /// The open transaction.
    fn tx(&mut self) -> &mut dyn Tx;
    /// The first error in the current part.
    fn first_error(&self) -> Option<StoreError>;
    /// Whether the transaction is still there to go on with.
    fn is_open(&self) -> bool;
    /// Whether the whole transaction is worth another run after `error`; an engine that wants to pause does it here.
    fn again(&mut self, error: &StoreError, runs: u32) -> bool;
    /// Whether `error`, which took the transaction down, is the doing of the job in which it came up.
    fn dooms(&self, error: &StoreError) -> bool {
        let _ = error;
        false
    }
    /// Whether the time of a job that has not run yet is over.
    fn is_late(&self, job: &dyn Job) -> bool;
}

/// A job and what became of it.
type Finished = (Box<dyn Job>, Outcome);

/// The transaction as a whole came to nothing; its jobs were not done.
enum Lost {
    /// It did not even begin: the store is not there, and asking again for each job would only take long.
    NotBegun(StoreError),
    /// It was dropped on the way, in the job of this number or at COMMIT.
    Dropped(StoreError, Option<usize>),
}

/// Runs `first` and whatever `more` still gives, in one transaction. Returns what to answer, in order.
///
/// `more` may never be asked: what it would have given stays with whoever brought it.
pub fn run_batch(
    conn: &mut dyn Connection,
    first: Box<dyn Job>,
    more: &mut dyn FnMut() -> Option<Box<dyn Job>>,
) -> Vec<Finished> {
    let isolation = first.isolation();
    let mut batch = Batch { jobs: vec![(first, Outcome::Committed)], doomed: vec![] };
    let mut lost = batch.together(conn, isolation, more);
    let mut runs = 1;
    while let Err(Lost::Dropped(error, at)) = &lost
        && batch.jobs.len() > 1
        && (batch.dooms(conn, error, *at) || conn.again(error, runs))
    {
        lost = batch.together(conn, isolation, &mut || None);
        runs += 1;
    }
    match lost {
        Ok(()) => {}
        Err(Lost::NotBegun(error)) => batch.fail_all(&error),
        Err(Lost::Dropped(..)) => batch.one_by_one(conn),
    }
    batch.jobs
}

struct Batch {
    jobs: Vec<Finished>,
    /// Numbers of jobs that took the transaction down by their own doing; they are not run again.
    doomed: Vec<usize>,
}

impl Batch {
    /// One run of all jobs in one transaction; the batch grows by what `more` gives.
    fn together(
        &mut self,
        conn: &mut dyn Connection,
        isolation: Isolation,
        more: &mut dyn FnMut() -> Option<Box<dyn Job>>,
    ) -> Result<(), Lost> {
        conn.begin(isolation).map_err(Lost::NotBegun)?;
        let mut at = 0;
        while at < self.jobs.len() {
            if !self.doomed.contains(&at) {
                let (job, outcome) = &mut self.jobs[at];
                *outcome = in_savepoint(conn, job.as_mut()).map_err(|error| Lost::Dropped(error, Some(at)))?;
            }
            at += 1;
            if at == self.jobs.len() {
                self.jobs.extend(more().map(|job| (job, Outcome::Committed)));
            }
        }
        match conn.commit() {
            Ok(()) => Ok(()),
            Err(unknown @ StoreError::Unknown(_)) => {
                nobody_knows(&mut self.jobs, &unknown);
                Ok(())
            }
            Err(_) if mutants::on(Mutant::CommitErrorIgnored) => Ok(()),
            Err(error) => Err(Lost::Dropped(error, None)),
        }
    }

    /// A job that took the transaction down by its own doing would do so again; its neighbours need not commit alone for that.
    fn dooms(&mut self, conn: &dyn Connection, error: &StoreError, at: Option<usize>) -> bool {
        let Some(at) = at.filter(|_| conn.dooms(error)) else { return false };
        self.jobs[at].1 = Outcome::Failed(error.clone());
        self.doomed.push(at);
        true
    }

    fn fail_all(&mut self, error: &StoreError) {
        self.jobs.iter_mut().for_each(|(_, outcome)| *outcome = Outcome::Failed(error.clone()));
    }

    /// Each job in a transaction of its own. If one cannot even begin, the store is gone for the others too.
    fn one_by_one(&mut self, conn: &mut dyn Connection) {
        if mutants::on(Mutant::LostBatchNotRerun) {
            return;
        }
        let mut gone = None;
        for (at, (job, outcome)) in self.jobs.iter_mut().enumerate() {
            *outcome = match &gone {
                _ if self.doomed.contains(&at) => continue,
                Some(error) => Outcome::Failed(StoreError::clone(error)),
                None if conn.is_late(job.as_ref()) => Outcome::Failed(StoreError::Expired),
                None => try_alone(conn, job.as_mut()).unwrap_or_else(|error| {
                    gone = Some(error.clone());
                    Outcome::Failed(error)
                }),
            };
        }
    }
}

fn in_savepoint(conn: &mut dyn Connection, job: &mut dyn Job) -> StoreResult<Outcome> {
    let lost = |conn: &mut dyn Connection, error| {
        conn.rollback();
        error
    };
    conn.savepoint().map_err(|error| lost(conn, error))?;
    let outcome = run_job(conn, job);
    if !conn.is_open() {
        let error = conn.first_error().unwrap_or_else(|| StoreError::Unavailable("the transaction was dropped".into()));
        return Err(lost(conn, error));
    }
    let keep = outcome == Outcome::Committed || mutants::on(Mutant::UndoSkipped);
    let ended = if keep { conn.release() } else { conn.undo() };
    ended.map_err(|error| lost(conn, error))?;
    Ok(outcome)
}

/// One job in a transaction of its own, without savepoint, run again while the engine thinks it worth it.
pub fn run_alone(conn: &mut dyn Connection, job: &mut dyn Job) -> Outcome {
    try_alone(conn, job).unwrap_or_else(Outcome::Failed)
}

/// As [`run_alone`]; an error says that the transaction did not even begin.
fn try_alone(conn: &mut dyn Connection, job: &mut dyn Job) -> StoreResult<Outcome> {
    let mut runs = 1;
    loop {
        let outcome = alone_once(conn, job);
        match &outcome {
            Err(error) | Ok(Outcome::Failed(error)) if conn.again(error, runs) => runs += 1,
            _ => return outcome,
        }
    }
}

fn alone_once(conn: &mut dyn Connection, job: &mut dyn Job) -> StoreResult<Outcome> {
    conn.begin(job.isolation())?;
    let outcome = run_job(conn, job);
    if outcome != Outcome::Committed {
        conn.rollback();
        return Ok(outcome);
    }
    match conn.commit() {
        Err(error) if !mutants::on(Mutant::CommitErrorIgnored) => Ok(Outcome::Failed(error)),
        _ => Ok(Outcome::Committed),
    }
}

/// Runs the job and judges: an error of the store outweighs what the job says, a panic outweighs both.
fn run_job(conn: &mut dyn Connection, job: &mut dyn Job) -> Outcome {
    conn.serve(job);
    let verdict = catch_unwind(AssertUnwindSafe(|| job.run(conn.tx())));
    match (verdict, conn.first_error()) {
        (Err(panic), _) => Outcome::Panicked(panic_text(panic.as_ref())),
        (Ok(_), Some(error)) => Outcome::Failed(error),
        (Ok(Verdict::Keep), None) => Outcome::Committed,
        (Ok(Verdict::Undo), None) => Outcome::Undone,
    }
}

/// What kept something is unknown. What undid itself certainly did nothing, but it may have looked at what its neighbours
/// wrote and answered from that, so its answer is void too; it may simply be run again.
fn nobody_knows(batch: &mut [Finished], unknown: &StoreError) {
    for (_, outcome) in batch {
        match outcome {
            Outcome::Committed => *outcome = Outcome::Failed(unknown.clone()),
            Outcome::Undone => *outcome = Outcome::Failed(StoreError::Unavailable(unknown.to_string())),
            Outcome::Panicked(_) | Outcome::Failed(_) => {}
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic without a text".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Heard, Row, Sql, Value};

    /// A connection that fails where it is told to.
    struct Scripted {
        commits: Vec<StoreResult<()>>,
        begins: u32,
        /// From this BEGIN on the store is not there.
        down_from: u32,
        now_us: u64,
    }

    impl Tx for Scripted {
        fn query(&mut self, _: &'static Sql, _: &[Value<'_>], _: usize) -> StoreResult<Vec<Row>> {
            Ok(vec![])
        }
        fn execute(&mut self, _: &'static Sql, _: &[Value<'_>]) -> StoreResult<u64> {
            Ok(0)
        }
        fn write(&mut self, _: &'static Sql, _: &[Value<'_>]) -> StoreResult<()> {
            Ok(())
        }
        fn heard(&self) -> Heard {
            Heard(0)
        }
        fn engine(&self) -> crate::Engine {
            crate::Engine::Sqlite
        }
    }

    impl Connection for Scripted {
        fn begin(&mut self, _: Isolation) -> StoreResult<()> {
            self.begins += 1;
            if self.begins >= self.down_from { Err(StoreError::Unavailable("down".into())) } else { Ok(()) }
        }
        fn savepoint(&mut self) -> StoreResult<()> {
            Ok(())
        }
        fn release(&mut self) -> StoreResult<()> {
            Ok(())
        }
        fn undo(&mut self) -> StoreResult<()> {
            Ok(())
        }
        fn commit(&mut self) -> StoreResult<()> {
            self.commits.pop().unwrap_or(Ok(()))
        }
        fn rollback(&mut self) {}
        fn tx(&mut self) -> &mut dyn Tx {
            self
        }
        fn first_error(&self) -> Option<StoreError> {
            None
        }
        fn is_open(&self) -> bool {
            true
        }
        fn again(&mut self, error: &StoreError, runs: u32) -> bool {
            *error == StoreError::Conflict && runs < 3
        }
        fn is_late(&self, job: &dyn Job) -> bool {
            job.deadline_us() < self.now_us
        }
    }

    struct Wish(Verdict);

    impl Job for Wish {
        fn name(&self) -> &'static str {
            "wish"
        }
        fn deadline_us(&self) -> u64 {
            5
        }
        fn run(&mut self, _: &mut dyn Tx) -> Verdict {
            self.0
        }
        fn done(self: Box<Self>, _: Outcome) {}
    }

    fn check(conn: &mut Scripted, wishes: &[Verdict]) -> Vec<Outcome> {
        let mut jobs = wishes.iter().map(|wish| Box::new(Wish(*wish)) as Box<dyn Job>);
        let first = jobs.next().expect("a job");
        run_batch(conn, first, &mut || jobs.next()).into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn scripted(commits: Vec<StoreResult<()>>) -> Scripted {
        Scripted { commits, begins: 0, down_from: u32::MAX, now_us: 0 }
    }

    /// Found by the simulator: a repeated request saw the first one's row in the same batch and was answered from it,
    /// though the batch was never committed.
    #[test]
    fn ker_10_nobody_is_answered_from_a_neighbour_whose_commit_is_unknown() {
        let unknown = StoreError::Unknown("cut".into());
        let outcomes = check(&mut scripted(vec![Err(unknown.clone())]), &[Verdict::Keep, Verdict::Undo]);
        assert_eq!(outcomes[0], Outcome::Failed(unknown));
        assert!(matches!(outcomes[1], Outcome::Failed(StoreError::Unavailable(_))), "{outcomes:?}");
    }

    #[test]
    fn a_dropped_batch_is_run_again_one_by_one_and_a_conflicting_one_together() {
        let full = || Err(StoreError::Full(String::new()));
        let mut conn = scripted(vec![Ok(()), full(), full()]);
        let outcomes = check(&mut conn, &[Verdict::Keep, Verdict::Keep]);
        assert!(matches!(outcomes[0], Outcome::Failed(StoreError::Full(_))) && outcomes[1] == Outcome::Committed);
        assert_eq!(conn.begins, 3);
        let mut conn = scripted(vec![Ok(()), Err(StoreError::Conflict)]);
        assert_eq!(check(&mut conn, &[Verdict::Keep, Verdict::Keep]), [Outcome::Committed, Outcome::Committed]);
        assert_eq!(conn.begins, 2);
    }

    #[test]
    fn ker_31_a_store_that_is_not_there_is_asked_once_for_the_whole_batch() {
        let mut conn = Scripted { down_from: 1, ..scripted(vec![]) };
        let outcomes = check(&mut conn, &[Verdict::Keep]);
        assert!(matches!(outcomes[0], Outcome::Failed(StoreError::Unavailable(_))));
        assert_eq!(conn.begins, 1);
    }

    #[test]
    fn ker_31_a_store_that_goes_away_in_a_batch_is_not_asked_for_every_job() {
        let full = Err(StoreError::Full(String::new()));
        let mut conn = Scripted { down_from: 2, ..scripted(vec![full]) };
        let outcomes = check(&mut conn, &[Verdict::Keep; 20]);
        assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Failed(StoreError::Unavailable(_)))));
        assert_eq!(conn.begins, 2, "once together, once alone, then no more");
    }

    #[test]
    fn ker_7_a_job_whose_time_passed_meanwhile_is_not_run_again() {
        let full = Err(StoreError::Full(String::new()));
        let mut conn = Scripted { now_us: 6, ..scripted(vec![full]) };
        assert_eq!(check(&mut conn, &[Verdict::Keep]), [Outcome::Failed(StoreError::Expired)]);
    }
}
