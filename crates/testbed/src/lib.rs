//! For tests of services: a kernel in one thread on the real SQLite engine. Time passes when told; tasks are run by the real
//! dispatcher; calls outside wait until the test answers them.
//!
//! ```ignore
//! let world = World::of(&[&documents::SERVICE]);
//! let reply = world.call(&COMMIT, commit)?;
//! world.pass_ms(60_000);       // tasks that are due run
//! world.check_invariants();
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Call, CallResult, Clock, Entropy, OpResult, Outbound, Row, Sql, Store, Timers, Wall, args};
use kernel::tasks::Dispatcher;
use kernel::{Caller, Env, Invariant, Kernel, KernelConfig, Namespace, Op, Query, Reply, Request, Role, ServiceDef};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store_sqlite::InlineStore;

/// 2026-11-15T12:00:00Z.
pub const NOON: i64 = 1_794_744_000_000;

/// A clock that stands until it is moved.
#[derive(Default)]
pub struct ManualClock {
    wall_ms: AtomicI64,
    ran_ms: AtomicU64,
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
struct Counted(AtomicU64);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) {
        let count = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.iter_mut().zip(count.iter().cycle()).for_each(|(byte, count)| *byte = *count);
    }
}

type Then = Box<dyn FnOnce() + Send>;

/// The number of the last timer, and timers in the order of their time.
type Times = (u64, BTreeMap<(u64, u64), Then>);

#[derive(Default)]
struct Agenda(Mutex<Times>, Arc<ManualClock>);

impl Timers for Agenda {
    fn after(&self, ms: u64, then: Then) {
        let mut agenda = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        agenda.0 += 1;
        let key = (self.1.ran_ms() + ms, agenda.0);
        agenda.1.insert(key, then);
    }
}

impl Agenda {
    /// The next timer that is due by then, with its time.
    fn due(&self, until_ms: u64) -> Option<(u64, Then)> {
        let mut agenda = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, _) = *agenda.1.first_key_value()?.0;
        let ((at, _), then) = (at <= until_ms).then(|| agenda.1.pop_first()).flatten()?;
        Some((at, then))
    }
}

type Done = Box<dyn FnOnce(CallResult) + Send>;

/// Calls outside, waiting for the test to answer them.
#[derive(Default)]
pub struct Partner(Mutex<VecDeque<(Call, Done)>>);

impl Outbound for Partner {
    fn perform(&self, call: Call, done: Done) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back((call, done));
    }
}

impl Partner {
    /// The oldest call that waits, with what tells its result.
    #[must_use]
    pub fn next(&self) -> Option<(Call, Done)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

/// A kernel with the namespaces `main` and `z`, and a dispatcher.
pub struct World {
    /// The kernel.
    pub kernel: Kernel,
    /// What runs its tasks.
    pub dispatcher: Dispatcher,
    /// The outside.
    pub partner: Arc<Partner>,
    clock: Arc<ManualClock>,
    agenda: Arc<Agenda>,
}

#[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "tests end by panicking")]
impl World {
    /// A world of these services.
    #[must_use]
    pub fn of(services: &[&'static ServiceDef]) -> Self {
        Self::configured(services, KernelConfig::default())
    }

    /// The same with other settings.
    #[must_use]
    pub fn configured(services: &[&'static ServiceDef], config: KernelConfig) -> Self {
        let clock = Arc::new(ManualClock::default());
        clock.wall_ms.store(NOON, Ordering::Relaxed);
        let agenda = Arc::new(Agenda(Mutex::default(), clock.clone()));
        let env = Env { clock: clock.clone(), entropy: Arc::new(Counted::default()), timers: agenda.clone() };
        let store = || Arc::new(InlineStore::in_memory(clock.clone()).expect("a store")) as Arc<dyn Store>;
        let stores = vec![("main".to_owned(), store()), ("z".to_owned(), store())];
        let kernel = Kernel::open(env, config, services, stores).expect("a kernel");
        let partner = Arc::new(Partner::default());
        let dispatcher = Dispatcher::start(&kernel, partner.clone());
        Self { kernel, dispatcher, partner, clock, agenda }
    }

    /// The namespace that tests work in.
    #[must_use]
    pub fn main(&self) -> Arc<Namespace> {
        self.kernel.namespace("main").expect("it is there")
    }

    /// A request of a key of role app.
    #[must_use]
    pub fn request(&self) -> Request {
        let caller = Caller { role: Role::App, everywhere: false, name: "app".into(), ..Caller::server("test") };
        self.kernel.request(caller)
    }

    /// Calls an operation and waits for its answer, letting pass what time its attempts need.
    ///
    /// # Errors
    /// What it answers.
    pub fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<Reply<O>>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        self.call_as(op, self.request(), input)
    }

    /// The same with a request of the test's.
    ///
    /// # Errors
    /// What it answers.
    pub fn call_as<I, O>(&self, op: &'static Op<I, O>, request: Request, input: I) -> OpResult<Reply<O>>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = channel();
        self.kernel.call(&self.main(), op, request, input, Box::new(move |result| tell.send(result).expect("heard")));
        for _ in 0..20 {
            if let Ok(answer) = told.try_recv() {
                return answer;
            }
            self.pass_ms(100);
        }
        panic!("{} was not answered", op.name)
    }

    /// Asks a query.
    ///
    /// # Errors
    /// What it answers.
    pub fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let (tell, told) = channel();
        self.kernel.read(&self.main(), query, input, Box::new(move |result| tell.send(result).expect("heard")));
        told.try_recv().expect("answered at once")
    }

    /// Lets time pass, with all that is due meanwhile: timers, and so tasks.
    pub fn pass_ms(&self, ms: u64) {
        let until = self.clock.ran_ms() + ms;
        while let Some((at, then)) = self.agenda.due(until) {
            self.move_to(at);
            then();
        }
        self.move_to(until);
    }

    /// Puts the calendar forward or back; listening time stands.
    pub fn jump_calendar_ms(&self, ms: i64) {
        self.clock.wall_ms.fetch_add(ms, Ordering::Relaxed);
    }

    fn move_to(&self, ran_ms: u64) {
        let moved = ran_ms.saturating_sub(self.clock.ran_ms());
        self.clock.ran_ms.fetch_add(moved, Ordering::Relaxed);
        self.clock.wall_ms.fetch_add(i64::try_from(moved).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// Rows of a statement of the test's.
    #[must_use]
    pub fn rows(&self, sql: &'static Sql) -> Vec<Row> {
        static ROWS: Query<&'static Sql, Vec<Row>> =
            Query::new("test.rows", |tx, sql| Ok(tx.query(sql, args![], 10_000)?));
        self.read(&ROWS, sql).expect("rows")
    }

    /// The number that a statement of the test's gives.
    #[must_use]
    pub fn count(&self, sql: &'static Sql) -> i64 {
        self.rows(sql).first().expect("a row").int(0)
    }

    /// Every invariant of every service holds.
    pub fn check_invariants(&self) {
        static CHECK: Query<&'static Invariant, Vec<String>> = Query::new("test.invariant", |tx, invariant| {
            Ok((invariant.check)(tx)?.into_iter().map(|violation| violation.0).collect())
        });
        for service in self.kernel.services() {
            for invariant in service.invariants {
                assert_eq!(self.read(&CHECK, invariant), Ok(vec![]), "{}", invariant.name);
            }
        }
    }
}
