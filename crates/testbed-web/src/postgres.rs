//! The same on PostgreSQL, with real time.

use std::sync::Arc;

use base::{Outbound, Store};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::tasks::Dispatcher;
use kernel::{Env, Kernel, KernelConfig};
use store_postgres::{PostgresConfig, PostgresStore};
use web::Service;

use crate::Edge;

/// Nothing here calls outside.
struct Nobody;

impl Outbound for Nobody {
    fn perform(&self, _: base::Call, _: Box<dyn FnOnce(base::CallResult) + Send>) {}
}

/// A server without a connection, on PostgreSQL; its stores are closed when it goes.
pub struct OnPostgres {
    /// The server.
    pub edge: Edge,
    _dispatcher: Dispatcher,
}

impl OnPostgres {
    /// One service in schemas of this name; a run of the tests has its own.
    #[must_use]
    pub fn open(name: &str, root: &'static str, service: Service) -> Self {
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
        let kernel = Kernel::open(env, KernelConfig::default(), &[service.def], stores).expect("the kernel opens");
        let dispatcher = Dispatcher::start(&kernel, Arc::new(Nobody));
        Self { edge: Edge::of(root, kernel, service), _dispatcher: dispatcher }
    }
}

impl Drop for OnPostgres {
    fn drop(&mut self) {
        ["main", "z"]
            .into_iter()
            .filter_map(|name| self.edge.kernel.namespace(name).ok())
            .for_each(|ns| ns.store.close());
    }
}
