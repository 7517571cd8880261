//! The same on PostgreSQL, with real time.

use std::sync::Arc;

use base::{Outbound, Store};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::tasks::Dispatcher;
use kernel::{Env, Kernel, KernelConfig, Nodes, ServiceDef};
use store_postgres::{PostgresConfig, PostgresStore};
use web::Service;

use crate::Edge;

/// Nothing here calls outside.
struct Nobody;

impl Outbound for Nobody {
    fn perform(&self, _: base::Call, _: Box<dyn FnOnce(base::CallResult) + Send>) {}
}

/// A kernel on PostgreSQL with real time, and a dispatcher; its stores are closed when it goes.
pub struct PostgresKernel {
    /// The kernel, with the namespaces `main` and `z`.
    pub kernel: Kernel,
    dispatcher: Dispatcher,
}

impl PostgresKernel {
    /// One service in schemas of this name; a run of the tests has its own.
    #[must_use]
    pub fn open(name: &str, service: &'static ServiceDef) -> Self {
        Self::open_as(name, service, KernelConfig::default())
    }

    /// Several nodes that share these schemas.
    #[must_use]
    pub fn open_nodes(name: &str, service: &'static ServiceDef, count: usize) -> Vec<Self> {
        let node = |_| Self::open_as(name, service, KernelConfig { nodes: Nodes::Several, ..KernelConfig::default() });
        (0..count).map(node).collect()
    }

    /// Leaves all tasks to dispatchers that the test starts itself: ours makes no calls to the outside, and whoever waits for one would wait in vain.
    pub fn rest(&self) {
        self.dispatcher.stop();
    }

    fn open_as(name: &str, service: &'static ServiceDef, config: KernelConfig) -> Self {
        let url =
            std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
        let clock = Arc::new(RealClock::new());
        let store = |place: &str| {
            let config = PostgresConfig::new(url.clone(), format!("{name}_{place}_{}", std::process::id()));
            let store = PostgresStore::open(config, clock.clone(), Arc::new(OsEntropy)).expect("the store opens");
            Arc::new(store) as Arc<dyn Store>
        };
        let stores = vec![("main".to_owned(), store("main")), ("z".to_owned(), store("z"))];
        let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
        let kernel = Kernel::open(env, config, &[service], stores).expect("the kernel opens");
        let dispatcher = Dispatcher::start(&kernel, Arc::new(Nobody));
        Self { kernel, dispatcher }
    }
}

impl Drop for PostgresKernel {
    fn drop(&mut self) {
        ["main", "z"].into_iter().filter_map(|name| self.kernel.namespace(name).ok()).for_each(|ns| ns.store.close());
    }
}

/// A server without a connection, on PostgreSQL.
pub struct OnPostgres {
    /// The server.
    pub edge: Edge,
    _kernel: PostgresKernel,
}

impl OnPostgres {
    /// One service in schemas of this name.
    #[must_use]
    pub fn open(name: &str, root: &'static str, service: Service) -> Self {
        let below = PostgresKernel::open(name, service.def);
        Self { edge: Edge::of(root, below.kernel.clone(), service), _kernel: below }
    }
}
