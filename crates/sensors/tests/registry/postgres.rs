//! The same on PostgreSQL: every statement prepares, and what is registered is found in the same order.

use std::sync::Arc;

use base::{Outbound, Store};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::tasks::Dispatcher;
use kernel::{Env, Kernel, KernelConfig};
use store_postgres::{PostgresConfig, PostgresStore};

use crate::edge::Edge;

/// Nothing here calls outside.
struct Nobody;

impl Outbound for Nobody {
    fn perform(&self, _: base::Call, _: Box<dyn FnOnce(base::CallResult) + Send>) {}
}

fn open(name: &str) -> (Edge, Dispatcher) {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let clock = Arc::new(RealClock::new());
    let store = |place: &str| {
        let config = PostgresConfig::new(url.clone(), format!("{name}_{place}_{}", std::process::id()));
        let store = PostgresStore::open(config, clock.clone(), Arc::new(OsEntropy)).expect("the store opens");
        Arc::new(store) as Arc<dyn Store>
    };
    let stores = vec![("main".to_owned(), store("main")), ("z".to_owned(), store("z"))];
    let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    let kernel = Kernel::open(env, KernelConfig::default(), &[&sensors::SERVICE], stores).expect("the kernel opens");
    let dispatcher = Dispatcher::start(&kernel, Arc::new(Nobody));
    (Edge::of(kernel), dispatcher)
}

fn close(edge: &Edge) {
    for name in ["main", "z"] {
        edge.kernel.namespace(name).unwrap().store.close();
    }
}

#[test]
fn every_statement_of_sensors_prepares_on_postgres() {
    let (edge, _dispatcher) = open("sen_statements");
    let store = edge.kernel.namespace("main").unwrap().store.clone();
    for sql in sensors::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
    close(&edge);
}

#[test]
fn sen_1_what_is_registered_is_listed_the_same_on_postgres() {
    let (edge, _dispatcher) = open("sen_registry");
    crate::sensors::check_lists(&edge);
    crate::sensors::check_addresses(&edge);
    crate::links::check_links(&edge);
    crate::told::check_history(&edge);
    close(&edge);
}
