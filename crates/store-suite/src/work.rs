//! Closures as jobs, and waiting for what becomes of them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use base::{ContentionKey, Isolation, Job, Keys, Outcome, Store, StoreResult, Tx, Urgency, Verdict};

use crate::pace::LONG;

type Run = Box<dyn FnMut(&mut dyn Tx) -> StoreResult<Verdict> + Send>;
type Then = Box<dyn FnOnce(&Outcome) + Send>;

/// A closure to run in a transaction.
pub struct Work {
    name: &'static str,
    run: Run,
    keys: Keys,
    isolation: Isolation,
    urgency: Urgency,
    deadline_us: u64,
    then: Option<Then>,
}

/// A job of `run`. An error that `run` gives back means undo; the store's own judgement outweighs it anyway.
pub fn work(name: &'static str, run: impl FnMut(&mut dyn Tx) -> StoreResult<Verdict> + Send + 'static) -> Work {
    Work {
        name,
        run: Box::new(run),
        keys: Keys::NONE,
        isolation: Isolation::Serial,
        urgency: Urgency::Normal,
        deadline_us: u64::MAX,
        then: None,
    }
}

impl Work {
    /// Must not overlap other jobs with one of these keys.
    #[must_use]
    pub fn keys(mut self, keys: &[i64]) -> Self {
        self.keys = Keys::of(keys.iter().map(|key| ContentionKey::of("suite", &key.to_string())).collect());
        self
    }

    /// Is one statement that checks its own condition.
    #[must_use]
    pub fn claim(mut self) -> Self {
        self.isolation = Isolation::Claim;
        self
    }

    /// Ends work, so may use the reserve.
    #[must_use]
    pub fn ending(mut self) -> Self {
        self.urgency = Urgency::Ending;
        self
    }

    /// Need not begin after this microsecond.
    #[must_use]
    pub fn deadline_us(mut self, deadline_us: u64) -> Self {
        self.deadline_us = deadline_us;
        self
    }

    /// `then` runs when the store tells the outcome, on the store's thread.
    #[must_use]
    pub fn then(mut self, then: impl FnOnce(&Outcome) + Send + 'static) -> Self {
        self.then = Some(Box::new(then));
        self
    }

    /// Submits it.
    pub fn submit(self, store: &dyn Store) -> Answer {
        let (job, answer) = self.job();
        store.submit(job);
        answer
    }

    /// Gives it to the readers.
    pub fn read(self, store: &dyn Store) -> Answer {
        let (job, answer) = self.job();
        store.read(job);
        answer
    }

    /// Submits it and waits.
    pub fn outcome(self, store: &dyn Store) -> Outcome {
        self.submit(store).outcome()
    }

    fn job(self) -> (Box<dyn Job>, Answer) {
        let (tell, told) = channel();
        let answer = Answer { name: self.name, told };
        (Box::new(Told { work: self, tell }), answer)
    }
}

/// A job's outcome, to come.
#[derive(Debug)]
pub struct Answer {
    name: &'static str,
    told: Receiver<Outcome>,
}

impl Answer {
    /// Waits for the outcome.
    ///
    /// # Panics
    /// If it does not come within [`LONG`], or if the store dropped the job without a word.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        self.told.recv_timeout(LONG).unwrap_or_else(|error| panic!("{} was not answered: {error}", self.name))
    }

    /// The outcome, if it is there already.
    ///
    /// # Panics
    /// If the store dropped the job without a word.
    #[must_use]
    pub fn now(&self) -> Option<Outcome> {
        match self.told.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => panic!("{} was dropped without an answer", self.name),
        }
    }
}

struct Told {
    work: Work,
    tell: Sender<Outcome>,
}

impl Job for Told {
    fn name(&self) -> &'static str {
        self.work.name
    }

    fn keys(&self) -> &Keys {
        &self.work.keys
    }

    fn isolation(&self) -> Isolation {
        self.work.isolation
    }

    fn urgency(&self) -> Urgency {
        self.work.urgency
    }

    fn deadline_us(&self) -> u64 {
        self.work.deadline_us
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        (self.work.run)(tx).unwrap_or(Verdict::Undo)
    }

    fn done(self: Box<Self>, outcome: Outcome) {
        let Self { work, tell } = *self;
        if let Some(then) = work.then {
            then(&outcome);
        }
        // A contract that failed meanwhile no longer listens.
        let _ = tell.send(outcome);
    }
}

/// Runs a change that must be committed.
///
/// # Panics
/// If it is not.
pub fn change(store: &dyn Store, mut run: impl FnMut(&mut dyn Tx) -> StoreResult<()> + Send + 'static) {
    let outcome = work("suite.change", move |tx| run(tx).map(|()| Verdict::Keep)).outcome(store);
    assert_eq!(outcome, Outcome::Committed, "a change that must be committed");
}

/// Reads on the readers' side, a fresh snapshot of committed state.
///
/// # Panics
/// If the read fails.
pub fn look<T: Send + 'static>(
    store: &dyn Store,
    mut run: impl FnMut(&mut dyn Tx) -> StoreResult<T> + Send + 'static,
) -> T {
    let (give, given) = channel();
    let read = work("suite.look", move |tx| {
        // Nobody listens any more only if the contract has failed.
        let _ = give.send(run(tx)?);
        Ok(Verdict::Keep)
    });
    assert_eq!(read.read(store).outcome(), Outcome::Committed, "a read that must work");
    given.try_iter().last().expect("a read that worked gave its value")
}

/// A job that is running and waits: what is submitted meanwhile with the same key is queued behind it.
#[derive(Debug)]
pub struct Gate {
    open: Sender<()>,
    answer: Answer,
}

impl Gate {
    /// Submits the job and returns when it runs.
    ///
    /// # Panics
    /// If it does not run within [`LONG`].
    #[must_use]
    pub fn close(store: &Arc<dyn Store>, key: i64) -> Self {
        let (running, runs) = channel();
        let (open, opened) = channel::<()>();
        let holding = work("suite.gate", move |_| {
            let _ = running.send(());
            // Also ends when the gate is dropped, so that a failed contract leaves nothing hanging.
            let _ = opened.recv_timeout(LONG);
            Ok(Verdict::Keep)
        });
        let answer = holding.keys(&[key]).submit(store.as_ref());
        runs.recv_timeout(LONG).expect("the gate runs");
        Self { open, answer }
    }

    /// Lets the others go on.
    ///
    /// # Panics
    /// If the gate's own job was not committed.
    pub fn open(self) {
        drop(self.open);
        assert_eq!(self.answer.outcome(), Outcome::Committed, "the gate");
    }
}
