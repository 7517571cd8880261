//! A kernel in one thread: manual clock, counted chance, timers that run when told.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use base::{
    Clock, Engine, Entropy, Health, Job, Migration, OpError, OpResult, Outcome, Row, Sql, Store, StoreError,
    StoreResult, Timers, Tx, Wall, args,
};
use kernel::{Caller, Env, Invariant, Kernel, KernelConfig, Namespace, Op, OpCx, Query, Reply, Request, ServiceDef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store_sqlite::InlineStore;

/// 2026-11-15T12:00:00Z.
pub const NOON: i64 = 1_794_744_000_000;

#[derive(Default)]
pub struct ManualClock {
    pub wall_ms: AtomicI64,
    pub ran_ms: AtomicU64,
}

impl Clock for ManualClock {
    fn wall(&self) -> Wall {
        Wall(self.wall_ms.load(Ordering::Relaxed))
    }
    fn monotonic_us(&self) -> u64 {
        self.ran_ms.load(Ordering::Relaxed) * 1000
    }
    fn ran_ms(&self) -> u64 {
        self.ran_ms.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
struct CountedEntropy(AtomicU64);

impl Entropy for CountedEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        bytes.iter_mut().zip(count.iter().cycle()).for_each(|(byte, count)| *byte = *count);
    }
}

type Waiting = (u64, Box<dyn FnOnce() + Send>);

#[derive(Default)]
pub struct ManualTimers(Mutex<VecDeque<Waiting>>);

impl Timers for ManualTimers {
    fn after(&self, ms: u64, then: Box<dyn FnOnce() + Send>) {
        self.0.lock().unwrap().push_back((ms, then));
    }
}

pub struct World {
    pub kernel: Kernel,
    pub clock: Arc<ManualClock>,
    pub timers: Arc<ManualTimers>,
    /// Pauses that were waited for.
    pub pauses: Mutex<Vec<u64>>,
}

static TEST: ServiceDef = ServiceDef {
    name: "test",
    migrations: &[Migration {
        service: "test",
        version: 1,
        text: "CREATE TABLE thing (id {text} PRIMARY KEY, version {int} NOT NULL) {strict};",
    }],
    ..ServiceDef::EMPTY
};

impl World {
    pub fn new() -> Self {
        Self::with(KernelConfig::default())
    }

    pub fn with(config: KernelConfig) -> Self {
        let clock = Arc::new(ManualClock::default());
        clock.wall_ms.store(NOON, Ordering::Relaxed);
        let timers = Arc::new(ManualTimers::default());
        let env = Env { clock: clock.clone(), entropy: Arc::new(CountedEntropy::default()), timers: timers.clone() };
        let store = || Arc::new(InlineStore::in_memory(clock.clone()).unwrap()) as Arc<dyn Store>;
        let stores = vec![("main".to_owned(), store()), ("z".to_owned(), store())];
        let kernel = Kernel::open(env, config, &[&TEST], stores).unwrap();
        Self { kernel, clock, timers, pauses: Mutex::default() }
    }

    pub fn main(&self) -> Arc<Namespace> {
        self.kernel.namespace("main").unwrap()
    }

    pub fn request(&self) -> Request {
        self.kernel.request(Caller::server("test"))
    }

    /// Calls and waits, running every timer that the call sets.
    pub fn call<I, O>(&self, op: &'static Op<I, O>, request: Request, input: I) -> OpResult<Reply<O>>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let answer = Arc::new(Mutex::new(None));
        let told = answer.clone();
        let done = Box::new(move |result| assert!(told.lock().unwrap().replace(result).is_none(), "told twice"));
        self.kernel.call(&self.main(), op, request, input, done);
        self.run_timers();
        let result = answer.lock().unwrap().take();
        result.expect("an answer")
    }

    /// Calls on a store that only fails, as the script says.
    pub fn call_on_failing_store<I, O>(
        &self,
        op: &'static Op<I, O>,
        request: Request,
        input: I,
        script: Vec<StoreError>,
    ) -> OpResult<Reply<O>>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let store = Arc::new(FailingStore(Mutex::new(script.into()))) as Arc<dyn Store>;
        let stores = vec![("z".to_owned(), store)];
        let kernel = Kernel::open(self.kernel.env().clone(), KernelConfig::default(), &[], stores).unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let done = Box::new(move |result| tell.send(result).unwrap());
        kernel.call(&kernel.admin_namespace(), op, request, input, done);
        self.run_timers();
        told.try_recv().unwrap()
    }

    pub fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let (tell, told) = std::sync::mpsc::channel();
        self.kernel.read(&self.main(), query, input, Box::new(move |result| tell.send(result).unwrap()));
        told.try_recv().unwrap()
    }

    pub fn run_timers(&self) {
        loop {
            let Some((ms, then)) = self.timers.0.lock().unwrap().pop_front() else { return };
            self.pauses.lock().unwrap().push(ms);
            self.clock.ran_ms.fetch_add(ms, Ordering::Relaxed);
            then();
        }
    }

    /// Runs the timers that are set now, not those that they set.
    pub fn run_timers_once(&self) {
        let due: Vec<Waiting> = self.timers.0.lock().unwrap().drain(..).collect();
        for (ms, then) in due {
            self.clock.ran_ms.fetch_add(ms, Ordering::Relaxed);
            self.clock.wall_ms.fetch_add(i64::try_from(ms).unwrap(), Ordering::Relaxed);
            then();
        }
    }

    /// Rows of a statement of the test's.
    pub fn rows(&self, sql: &'static Sql) -> Vec<Row> {
        static ROWS: Query<&'static Sql, Vec<Row>> =
            Query::new("test.rows", |tx, sql| Ok(tx.query(sql, args![], 100)?));
        self.read(&ROWS, sql).unwrap()
    }

    pub fn count(&self, sql: &'static Sql) -> i64 {
        self.rows(sql)[0].int(0)
    }

    /// Every invariant of every service holds.
    pub fn check_invariants(&self) {
        static CHECK: Query<&'static Invariant, usize> =
            Query::new("test.invariant", |tx, invariant| Ok((invariant.check)(tx)?.len()));
        for service in self.kernel.services() {
            for invariant in service.invariants {
                assert_eq!(self.read(&CHECK, invariant), Ok(0), "{}", invariant.name);
            }
        }
    }
}

pub static THINGS: Sql = Sql::new("test.things", "SELECT COUNT(*) FROM thing");
pub static THING_INSERT: Sql = Sql::new("test.insert", "INSERT INTO thing (id, version) VALUES (?1, ?2)");

/// Inserts a thing whose name is the next id.
pub fn insert_thing(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<String> {
    let (id, stamp) = (cx.id().to_string(), cx.stamp());
    tx.write(&THING_INSERT, args![&id, stamp])?;
    Ok(id)
}

pub fn error_code<T: std::fmt::Debug>(result: OpResult<T>) -> (&'static str, u8) {
    let OpError { code, phase, .. } = result.unwrap_err();
    (code.name, phase as u8)
}

/// A store that answers every job with the next failure of its script.
struct FailingStore(Mutex<VecDeque<StoreError>>);

impl Store for FailingStore {
    fn submit(&self, job: Box<dyn Job>) {
        let error = self.0.lock().unwrap().pop_front().expect("a scripted failure");
        job.done(Outcome::Failed(error));
    }
    fn read(&self, job: Box<dyn Job>) {
        self.submit(job);
    }
    fn migrate(&self, _: &[Migration]) -> StoreResult<()> {
        Ok(())
    }
    fn prepare(&self, _: &'static Sql) -> StoreResult<()> {
        Ok(())
    }
    fn health(&self) -> Health {
        Health::Good
    }
    fn waiting(&self) -> usize {
        0
    }
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }
    fn close(&self) {}
}
