//! A store that can be held or cut off, around the real one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use base::{Engine, Health, Job, Migration, Outcome, Sql, Store, StoreError, StoreResult};

/// What happens to jobs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// They run.
    Open,
    /// They wait.
    Held,
    /// They are answered "unavailable".
    CutOff,
    /// They wait, and so do reads.
    Silent,
}

/// The decorator.
pub struct Valve {
    inner: Arc<dyn Store>,
    state: Mutex<(Flow, Vec<Box<dyn Job>>)>,
    changed: Condvar,
    given: AtomicUsize,
}

impl Valve {
    pub fn around(inner: Arc<dyn Store>) -> Arc<Self> {
        let state = Mutex::new((Flow::Open, vec![]));
        Arc::new(Self { inner, state, changed: Condvar::new(), given: AtomicUsize::new(0) })
    }

    /// Changes the flow; what was held is let go.
    pub fn set(&self, flow: Flow) {
        let held = {
            let mut state = self.state.lock().unwrap();
            state.0 = flow;
            std::mem::take(&mut state.1)
        };
        for job in held {
            self.submit(job);
        }
    }

    /// Waits until so many jobs are held.
    pub fn wait_held(&self, count: usize) {
        let state = self.state.lock().unwrap();
        let bound = Duration::from_secs(20);
        let (state, timeout) = self.changed.wait_timeout_while(state, bound, |state| state.1.len() < count).unwrap();
        assert!(!timeout.timed_out(), "{} of {count} jobs are held", state.1.len());
    }

    /// Jobs and reads that the store was given so far.
    pub fn given(&self) -> usize {
        self.given.load(Ordering::SeqCst)
    }

    fn hold(&self, job: Box<dyn Job>) {
        self.state.lock().unwrap().1.push(job);
        self.changed.notify_all();
    }

    fn flow(&self) -> Flow {
        self.state.lock().unwrap().0
    }
}

fn cut_off() -> StoreError {
    StoreError::Unavailable("/secret/path/z.db: Input/output error".into())
}

impl Store for Valve {
    fn submit(&self, job: Box<dyn Job>) {
        self.given.fetch_add(1, Ordering::SeqCst);
        match self.flow() {
            Flow::Open => self.inner.submit(job),
            Flow::CutOff => job.done(Outcome::Failed(cut_off())),
            Flow::Held | Flow::Silent => self.hold(job),
        }
    }

    fn read(&self, job: Box<dyn Job>) {
        self.given.fetch_add(1, Ordering::SeqCst);
        match self.flow() {
            Flow::Open | Flow::Held => self.inner.read(job),
            Flow::Silent => self.hold(job),
            Flow::CutOff => job.done(Outcome::Failed(cut_off())),
        }
    }

    fn migrate(&self, plan: &[Migration]) -> StoreResult<()> {
        self.inner.migrate(plan)
    }

    fn prepare(&self, sql: &'static Sql) -> StoreResult<()> {
        self.inner.prepare(sql)
    }

    fn health(&self) -> Health {
        match self.flow() {
            Flow::Open | Flow::Held | Flow::Silent => self.inner.health(),
            Flow::CutOff => Health::Down("/secret/path/z.db".into()),
        }
    }

    fn waiting(&self) -> usize {
        self.inner.waiting() + self.state.lock().unwrap().1.len()
    }

    fn engine(&self) -> Engine {
        self.inner.engine()
    }

    fn close(&self) {
        self.inner.close();
    }
}
