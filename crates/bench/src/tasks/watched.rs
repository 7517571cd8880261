//! A store that tells when a run of a task is committed, and what claims took: measured from outside, so that the kernel that is
//! measured is the one that is served.

use std::cell::Cell;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use base::{
    Engine, Health, Id, Isolation, Job, Keys, Migration, Outcome, Sql, Store, StoreResult, Tx, Urgency, Verdict,
};

thread_local! {
    /// The task whose plan ran last on this thread.
    static RAN: Cell<Option<Id>> = const { Cell::new(None) };
}

/// Says which task runs; its plan calls this.
pub fn runs(task: Id) {
    RAN.set(Some(task));
}

/// A task that is done, and when that was durable.
pub type Done = (Id, Instant);

/// What was seen.
pub struct Seen {
    done: Sender<Done>,
    claims_us: Mutex<Vec<f64>>,
}

impl Seen {
    pub fn new(done: Sender<Done>) -> Arc<Self> {
        Arc::new(Self { done, claims_us: Mutex::default() })
    }

    /// What each claim since the last call took inside its transaction, in microseconds.
    pub fn take_claims(&self) -> Vec<f64> {
        std::mem::take(&mut *self.claims_us.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The store.
pub struct Watched {
    pub store: Arc<dyn Store>,
    pub seen: Arc<Seen>,
}

impl Store for Watched {
    fn submit(&self, job: Box<dyn Job>) {
        self.store.submit(Box::new(Watching { job, seen: self.seen.clone(), took_us: 0.0, task: None }));
    }

    fn read(&self, job: Box<dyn Job>) {
        self.store.read(job);
    }

    fn migrate(&self, plan: &[Migration]) -> StoreResult<()> {
        self.store.migrate(plan)
    }

    fn prepare(&self, sql: &'static Sql) -> StoreResult<()> {
        self.store.prepare(sql)
    }

    fn health(&self) -> Health {
        self.store.health()
    }

    fn waiting(&self) -> usize {
        self.store.waiting()
    }

    fn engine(&self) -> Engine {
        self.store.engine()
    }

    fn notify(&self, word: &str) {
        self.store.notify(word);
    }

    fn listen(&self, ear: base::Ear) {
        self.store.listen(ear);
    }

    fn close(&self) {
        self.store.close();
    }
}

struct Watching {
    job: Box<dyn Job>,
    seen: Arc<Seen>,
    took_us: f64,
    task: Option<Id>,
}

impl Job for Watching {
    fn name(&self) -> &'static str {
        self.job.name()
    }

    fn keys(&self) -> &Keys {
        self.job.keys()
    }

    fn isolation(&self) -> Isolation {
        self.job.isolation()
    }

    fn urgency(&self) -> Urgency {
        self.job.urgency()
    }

    fn deadline_us(&self) -> u64 {
        self.job.deadline_us()
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        RAN.set(None);
        let begun = Instant::now();
        let verdict = self.job.run(tx);
        self.took_us = begun.elapsed().as_secs_f64() * 1e6;
        self.task = RAN.take();
        verdict
    }

    fn done(self: Box<Self>, outcome: Outcome) {
        let Self { job, seen, took_us, task } = *self;
        if outcome == Outcome::Committed {
            if job.name() == "task.claim" {
                seen.claims_us.lock().unwrap_or_else(PoisonError::into_inner).push(took_us);
            }
            if let Some(task) = task {
                let _ = seen.done.send((task, Instant::now()));
            }
        }
        job.done(outcome);
    }
}
