//! The same on PostgreSQL: every statement prepares, and the routes answer the same.

use std::sync::Arc;

use base::{Outbound, Store};
use exchange::{Rules, Settings, Watch};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::tasks::Dispatcher;
use kernel::{Env, Kernel, KernelConfig};
use serde_json::json;
use store_postgres::{PostgresConfig, PostgresStore};

use crate::edge::{Edge, Office};

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
    let kernel = Kernel::open(env, KernelConfig::default(), &[&exchange::SERVICE], stores).expect("the kernel opens");
    let dispatcher = Dispatcher::start(&kernel, Arc::new(Nobody));
    (Edge::of(kernel), dispatcher)
}

fn close(edge: &Edge) {
    for name in ["main", "z"] {
        edge.kernel.namespace(name).unwrap().store.close();
    }
}

#[test]
fn every_statement_of_the_exchange_prepares_on_postgres() {
    let (edge, _dispatcher) = open("exc_statements");
    let store = edge.kernel.namespace("main").unwrap().store.clone();
    for sql in exchange::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
    close(&edge);
}

#[test]
fn exc_1_who_takes_part_is_listed_the_same_on_postgres() {
    let (edge, _dispatcher) = open("exc_registry");
    crate::registry::check_lists(&edge);
    close(&edge);
}

#[test]
fn exc_10_21_the_handshake_and_the_ledger_are_the_same_on_postgres() {
    let (edge, _dispatcher) = open("exc_handshake");
    let office = Office::of(edge);
    crate::numbers::check_ledger(&office);
    crate::refusals::check_two_starts(&office);
    close(&office.edge);
}

#[test]
fn exc_22_an_outcome_that_nobody_came_to_know_is_forgotten_on_postgres() {
    let (edge, _dispatcher) = open("exc_forgotten");
    let office = Office::of(edge);
    office.edge.kernel.common::<Rules>().set(Settings { ready_ms: 1, kept_ms: 2_000, ..Settings::default() });
    let process = office.prepared();
    let ended = (0..20_000).any(|_| {
        // Each looks at once for what took too long, and for what is too old.
        let _watch = Watch::start(&office.edge.kernel);
        office.edge.get(&format!("/processes/{process}"))["outcome"] == json!("forgotten")
    });
    // The process itself is not to be forgotten while we look at it.
    office.edge.kernel.common::<Rules>().set(Settings::default());
    assert!(ended, "{}", office.edge.get(&format!("/processes/{process}")));
    crate::retention::check_forgotten(&office, &process);
    close(&office.edge);
}

#[test]
fn exc_4_folders_are_listed_and_messages_put_back_the_same_on_postgres() {
    let (edge, _dispatcher) = open("exc_files");
    let office = Office::of(edge);
    crate::files::fill(&office);
    crate::files::check_folders(&office);
    crate::files::check_requeue(&office);
    assert_eq!(office.edge.get("/ledger?db=erp")["balances"], json!(true));
    close(&office.edge);
}
