//! The kernel itself: namespaces with their stores, and the two ways in: [`Kernel::call`] and [`Kernel::read`].

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use base::limits::{OP_TIME_AHEAD_MS, OP_TIME_OLD_MS, READ_US, REQUEST_KEPT_MS};
use base::{Clock, Entropy, Job, OpError, OpResult, Outcome, Store, StoreResult, Timers, Tx, Verdict, codes};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::{CallJob, Done};
use crate::effects::After;
use crate::feed;
use crate::home::{Home, Memory, Offer, offers};
use crate::keys::KeyRing;
use crate::late::Late;
use crate::namespaces::{AbsentStore, NamespaceRules, Registry, Standing};
use crate::op::{Op, Query};
use crate::request::{Caller, Request};
use crate::service::ServiceDef;
use crate::tasks::{Chores, TaskConfig};
use crate::wake::{Hint, Wakes};
use crate::watch::{WatchConfig, Watched};

/// Time, chance and waiting, as inputs.
#[derive(Clone)]
pub struct Env {
    /// Times.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub entropy: Arc<dyn Entropy>,
    /// Waiting.
    pub timers: Arc<dyn Timers>,
}

/// What an operator may set.
#[derive(Debug, Clone)]
pub struct KernelConfig {
    /// The namespace whose administrators are valid everywhere.
    pub admin_namespace: String,
    /// Oldest client build that is served (KER-11).
    pub build_min: u64,
    /// How long the answer of an idempotent request is kept (KER-10).
    pub request_kept_ms: i64,
    /// How tasks are run.
    pub tasks: TaskConfig,
    /// Alerts, journal and counters.
    pub watch: WatchConfig,
    /// How long events of the feed are kept, in listening time (KER-25).
    pub event_kept_ms: i64,
    /// What holds for new namespaces.
    pub namespaces: NamespaceRules,
    /// How many nodes may work on the same data.
    pub nodes: Nodes,
}

/// How many nodes may work on the same data (KER-12).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Nodes {
    /// This one alone: what it keeps in memory is as new as the store.
    #[default]
    One,
    /// Any number: what is kept in memory is compared with the store before it counts as new.
    Several,
}

impl Default for KernelConfig {
    fn default() -> Self {
        Self {
            admin_namespace: "z".into(),
            build_min: 0,
            request_kept_ms: REQUEST_KEPT_MS,
            tasks: TaskConfig::default(),
            watch: WatchConfig::default(),
            event_kept_ms: feed::KEPT_MS,
            namespaces: NamespaceRules::default(),
            nodes: Nodes::default(),
        }
    }
}

/// One sealed body of data with its store.
pub struct Namespace {
    /// 1 to 16 of `a-z0-9`.
    pub name: String,
    /// What its operations find around them.
    pub home: Arc<Home>,
    /// Its store.
    pub store: Arc<dyn Store>,
    /// Those who want to be woken after a commit.
    pub wakes: Arc<Wakes>,
    /// What is kept in memory for watching over it.
    pub watched: Arc<Watched>,
    pub(crate) keys: KeyRing,
    standing: RwLock<Arc<Standing>>,
}

impl Namespace {
    /// Passes wake-ups of other nodes on to those who listen here.
    fn hear_other_nodes(&self) {
        let wakes = self.wakes.clone();
        self.store.listen(Box::new(move |word| Hint::of_word(word).into_iter().for_each(|hint| wakes.send(hint))));
    }

    fn new(name: String, store: Arc<dyn Store>, standing: Standing, inner: &Inner) -> Self {
        let (offers, common) = (inner.offers.clone(), inner.common.clone());
        let (wakes, watched, keys) = (Arc::default(), Arc::default(), KeyRing::default());
        let administers = name == inner.config.admin_namespace;
        let home = Home::new(&name, offers, common).temporary(standing.temporary).administers(administers);
        let home = Arc::new(home.chores(inner.chores.clone()));
        let standing = RwLock::new(Arc::new(standing));
        Self { home, name, store, wakes, watched, keys, standing }
    }

    /// How it stands: its state, and what comes with it.
    #[must_use]
    pub fn standing(&self) -> Arc<Standing> {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes in what its row says.
    pub fn set_standing(&self, standing: Standing) {
        *self.standing.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(standing);
    }

    /// Where its files are: a name that no later life of the namespace has.
    #[must_use]
    pub fn place(&self) -> String {
        let place = self.standing().place.clone();
        if place.is_empty() { self.name.clone() } else { place }
    }

    /// Whether its tasks run: not while it is read-only, closed or on its way out.
    #[must_use]
    pub fn works(&self) -> bool {
        self.standing().works()
    }

    /// Whether nobody but this node changes it now, so that what is kept in memory of it is as new as its store.
    #[must_use]
    pub fn is_alone(&self, kernel: &Kernel) -> bool {
        kernel.config().nodes == Nodes::One && self.store.engine() == base::Engine::Sqlite
    }

    /// Looks every key up again, after one was revoked.
    pub fn forget_keys(&self) {
        self.keys.forget();
    }
}

pub(crate) struct Inner {
    env: Env,
    config: KernelConfig,
    tasks: Arc<TaskConfig>,
    services: Vec<&'static ServiceDef>,
    offers: Arc<[Offer]>,
    chores: Arc<Chores>,
    /// What services keep in memory for all namespaces together.
    common: Arc<Memory>,
    /// They come and go while the server runs.
    namespaces: RwLock<BTreeMap<String, Arc<Namespace>>>,
    registry: Registry,
}

/// The kernel; cheap to clone.
#[derive(Clone)]
pub struct Kernel(Arc<Inner>);

impl Kernel {
    /// A kernel of `services` over the given stores; brings every schema up to date.
    ///
    /// # Errors
    /// A schema cannot be brought up to date.
    pub fn open(
        env: Env,
        config: KernelConfig,
        services: &[&'static ServiceDef],
        stores: Vec<(String, Arc<dyn Store>)>,
    ) -> StoreResult<Self> {
        let services: Vec<_> = crate::OWN.into_iter().chain(services.iter().copied()).collect();
        let tasks = Arc::new(all_queues(&config.tasks, &services));
        let (namespaces, registry, common) = (RwLock::default(), Registry::default(), Arc::default());
        let (offers, chores) = (offers(&services), Arc::new(Chores::of(&services)));
        let inner = Inner { env, config, tasks, offers, chores, common, services, namespaces, registry };
        let kernel = Self(Arc::new(inner));
        stores.into_iter().try_for_each(|(name, store)| kernel.add_namespace(name, store).map(drop))?;
        Ok(kernel)
    }

    /// Adds a namespace with its store, whose schema it brings up to date; one of that name is replaced.
    ///
    /// # Errors
    /// The schema cannot be brought up to date.
    pub fn add_namespace(&self, name: String, store: Arc<dyn Store>) -> StoreResult<Arc<Namespace>> {
        self.add_namespace_as(name, store, Standing::OPEN)
    }

    /// The same, standing like this from the first moment on.
    ///
    /// # Errors
    /// The schema cannot be brought up to date.
    pub fn add_namespace_as(
        &self,
        name: String,
        store: Arc<dyn Store>,
        standing: Standing,
    ) -> StoreResult<Arc<Namespace>> {
        let plan: Vec<_> = self.0.services.iter().flat_map(|service| service.migrations.iter().copied()).collect();
        store.migrate(&plan)?;
        Ok(self.put_namespace(Namespace::new(name, store, standing, &self.0)))
    }

    /// Adds a namespace whose store cannot be opened now: it is there, and answers that it is not available.
    pub fn add_absent_namespace(&self, name: String, absent: AbsentStore, standing: Standing) -> Arc<Namespace> {
        self.put_namespace(Namespace::new(name, Arc::new(absent), standing, &self.0))
    }

    fn put_namespace(&self, namespace: Namespace) -> Arc<Namespace> {
        let namespace = Arc::new(namespace);
        namespace.hear_other_nodes();
        let mut all = self.0.namespaces.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(namespace.name.clone(), namespace.clone());
        namespace
    }

    /// What this node knows of all namespaces.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// What is kept in memory under a type for all namespaces together; operations find it in [`Home::common`].
    #[must_use]
    pub fn common<T: std::any::Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.0.common.get()
    }

    /// Takes a namespace out; whoever holds it can still use its store until that is closed.
    pub fn remove_namespace(&self, name: &str) -> Option<Arc<Namespace>> {
        self.0.namespaces.write().unwrap_or_else(PoisonError::into_inner).remove(name)
    }

    /// A way back that does not keep the kernel alive: for timers, which outlive it.
    pub(crate) fn downgrade(&self) -> Weak<Inner> {
        Arc::downgrade(&self.0)
    }

    pub(crate) fn upgrade(weak: &Weak<Inner>) -> Option<Self> {
        weak.upgrade().map(Self)
    }

    /// Time, chance and waiting.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.0.env
    }

    /// What an operator set.
    #[must_use]
    pub fn config(&self) -> &KernelConfig {
        &self.0.config
    }

    /// How tasks are run, with the queues of all operations.
    #[must_use]
    pub fn task_config(&self) -> &Arc<TaskConfig> {
        &self.0.tasks
    }

    /// Which tasks are the server's own.
    #[must_use]
    pub fn chores(&self) -> &Chores {
        &self.0.chores
    }

    /// The services, the kernel's own first.
    #[must_use]
    pub fn services(&self) -> &[&'static ServiceDef] {
        &self.0.services
    }

    /// All namespaces, in the order of their names.
    #[must_use]
    pub fn namespaces(&self) -> Vec<Arc<Namespace>> {
        self.0.namespaces.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// One namespace.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn namespace(&self, name: &str) -> OpResult<Arc<Namespace>> {
        let unknown = || OpError::before_start(codes::NNAMESPACE, format!("no namespace `{name}`"));
        self.0.namespaces.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned().ok_or_else(unknown)
    }

    /// The namespace whose administrators are valid everywhere.
    ///
    /// # Panics
    /// The kernel was opened without it: a bug of the program.
    #[must_use]
    pub fn admin_namespace(&self) -> Arc<Namespace> {
        self.namespace(&self.0.config.admin_namespace).expect("the administrators' namespace exists")
    }

    /// A request of `caller`, now.
    #[must_use]
    pub fn request(&self, caller: Caller) -> Request {
        Request::new(caller, self.0.env.clock.as_ref(), self.0.env.entropy.as_ref())
    }

    /// Runs an operation: at most three attempts, one commit, one answer. Only an open namespace takes it, whichever way it
    /// comes (a request, a live connection); parts of ours and administrators of all namespaces pass (KER-2).
    pub fn call<I, O>(&self, ns: &Namespace, op: &'static Op<I, O>, request: Request, input: I, done: Done<O>)
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        if let Err(error) = self.check(&request).and_then(|()| self.check_change(ns, &request.caller)) {
            return done(Err(error));
        }
        let env = self.0.env.clone();
        let deadline_us = env.clock.monotonic_us() + op.limit_ms * 1000;
        let (store, keys, kept_ms) = (ns.store.clone(), (op.keys)(&input), self.0.config.request_kept_ms);
        let job = CallJob {
            env,
            store,
            home: ns.home.clone(),
            tasks: self.0.tasks.clone(),
            wakes: ns.wakes.clone(),
            watched: ns.watched.clone(),
            op,
            request,
            input,
            keys,
            kept_ms,
            attempt: 1,
            deadline_us,
            result: None,
            after: After::default(),
            unknown_before: false,
            late: Late::default(),
            done,
        };
        ns.store.submit(Box::new(job));
    }

    /// Whether a caller may change something in a namespace as it stands now. What must not come at all was refused at the
    /// door; here pass those who work in every state. [`Self::call`] asks by itself; whoever has much to do before it asks here.
    ///
    /// # Errors
    /// `OREADONLY`, `OCLOSED` or `OREMOVING`.
    pub fn check_change(&self, ns: &Namespace, caller: &Caller) -> OpResult<()> {
        if caller.everywhere {
            return Ok(());
        }
        ns.standing().check(caller, true, self.0.env.clock.wall())
    }

    /// Whether a caller may read in a namespace as it stands now. [`Self::read`] is for parts of ours too and does not ask:
    /// the edge does before it routes a request, and a live connection before each of its queries.
    ///
    /// # Errors
    /// `OCLOSED` or `OREMOVING`.
    pub fn check_read(&self, ns: &Namespace, caller: &Caller) -> OpResult<()> {
        ns.standing().check(caller, false, self.0.env.clock.wall())
    }

    /// Runs a query on committed state.
    pub fn read<I, O>(&self, ns: &Namespace, query: &'static Query<I, O>, input: I, done: ReadDone<O>)
    where
        I: Send + 'static,
        O: Send + 'static,
    {
        let deadline_us = self.0.env.clock.monotonic_us() + READ_US;
        ns.store.read(Box::new(ReadJob { query, home: ns.home.clone(), input, deadline_us, result: None, done }));
    }

    /// Whether a request may be served at all: its build is new enough, its time is ours. [`Kernel::call`] asks by
    /// itself; whoever only reads asks here.
    ///
    /// # Errors
    /// `DBUILD` or `AOPTIME`.
    pub fn check(&self, request: &Request) -> OpResult<()> {
        let demanded = self.0.config.build_min;
        if let Some(build) = request.build.filter(|build| *build < demanded) {
            let message = format!("build {build} is too old, this server needs {demanded} or newer");
            return Err(OpError::before_start(codes::DBUILD, message));
        }
        self.check_op_time(request)
    }

    fn check_op_time(&self, request: &Request) -> OpResult<()> {
        let Some(op_time) = request.op_time else { return Ok(()) };
        let age_ms = self.0.env.clock.wall().0 - op_time.to_wall().0;
        // Older than the row of its first call is kept: a repeat could not be told from a first call any more.
        let old_ms = OP_TIME_OLD_MS.min(self.0.config.request_kept_ms);
        let message = match age_ms {
            ..0 if age_ms < -OP_TIME_AHEAD_MS => format!("op_time {op_time} is {} ms ahead of our clock", -age_ms),
            _ if age_ms >= old_ms => {
                format!("op_time {op_time} is {} s old, at most {} s", age_ms / 1000, old_ms / 1000)
            }
            _ => return Ok(()),
        };
        Err(OpError::before_start(codes::AOPTIME, message))
    }
}

/// The queues of the program's tasks, and those that an operator set instead.
fn all_queues(config: &TaskConfig, services: &[&'static ServiceDef]) -> TaskConfig {
    let defs = services.iter().flat_map(|service| service.tasks);
    let mut queues: BTreeMap<String, i64> = defs.map(|def| (def.op.to_owned(), def.queue)).collect();
    queues.extend(config.queues.clone());
    TaskConfig { queues, ..config.clone() }
}

/// Told the answer of a query, exactly once, from any thread; must return quickly.
pub type ReadDone<O> = Box<dyn FnOnce(OpResult<O>) + Send>;

struct ReadJob<I: 'static, O: 'static> {
    query: &'static Query<I, O>,
    home: Arc<Home>,
    input: I,
    deadline_us: u64,
    result: Option<OpResult<O>>,
    done: ReadDone<O>,
}

impl<I: Send, O: Send> Job for ReadJob<I, O> {
    fn name(&self) -> &'static str {
        self.query.name
    }

    fn deadline_us(&self) -> u64 {
        self.deadline_us
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        self.result = None;
        self.result = Some(self.query.run_in(tx, &self.home, &self.input));
        Verdict::Undo
    }

    fn done(self: Box<Self>, outcome: Outcome) {
        let name = self.query.name;
        let result = match outcome {
            Outcome::Failed(error) => Err(error.into()),
            Outcome::Panicked(text) => Err(OpError::new(codes::BPANIC, format!("{name} panicked: {text}"))),
            Outcome::Committed | Outcome::Undone => {
                self.result.unwrap_or_else(|| Err(OpError::new(codes::BDETECTED, format!("{name} was not run"))))
            }
        };
        (self.done)(result);
    }
}
