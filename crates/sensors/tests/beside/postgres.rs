//! The same on PostgreSQL, as the server has it: real threads, the real dispatcher.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Sql, Store, args};
use host::{HostOutbound, OsEntropy, OutboundSettings, RealClock, ThreadTimers};
use kernel::tasks::Dispatcher;
use kernel::{Caller, Env, Kernel, KernelConfig, Namespace, Nodes, Op, Query};
use sensors::SERVICE;
use sensors::history::{Archive, Archives};
use sensors::outbox::{BEGIN, WRITE, perform};
use store_postgres::{PostgresConfig, PostgresStore};

use crate::kit::{HAPPEN, Shelf};

fn open(name: &str) -> (Kernel, Arc<HostOutbound>, Dispatcher) {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("run by `cargo xtask services run`");
    let clock = Arc::new(RealClock::new());
    let store = |place: &str| {
        let config = PostgresConfig::new(url.clone(), format!("{name}_{place}_{}", std::process::id()));
        let store = PostgresStore::open(config, clock.clone(), Arc::new(OsEntropy)).unwrap();
        (place.to_owned(), Arc::new(store) as Arc<dyn Store>)
    };
    let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    let config = KernelConfig { nodes: Nodes::Several, ..KernelConfig::default() };
    let kernel = Kernel::open(env, config, &[&SERVICE], vec![store("main"), store("z")]).unwrap();
    let outbound = Arc::new(HostOutbound::new(OutboundSettings::default()).unwrap());
    let works = kernel.clone();
    outbound.register(WRITE, move |call| perform(&works, &call));
    let dispatcher = Dispatcher::start(&kernel, outbound.clone());
    (kernel, outbound, dispatcher)
}

fn call<I: Send + 'static>(kernel: &Kernel, ns: &Namespace, op: &'static Op<I, ()>, input: I) {
    let (tell, told) = channel();
    let request = kernel.request(Caller::server("test"));
    kernel.call(ns, op, request, input, Box::new(move |reply| tell.send(reply.map(drop)).unwrap()));
    told.recv().unwrap().unwrap();
}

/// Rows of history in the store.
fn rows(kernel: &Kernel, ns: &Namespace) -> i64 {
    static COUNT: Sql = Sql::new("test.rows_left", "SELECT COUNT(*) FROM sensor_history");
    static ROWS: Query<(), i64> =
        Query::new("test.rows_left", |tx, ()| Ok(tx.query_one(&COUNT, args![])?.map_or(0, |row| row.int(0))));
    let (tell, told) = channel();
    kernel.read(ns, &ROWS, (), Box::new(move |rows| tell.send(rows).unwrap()));
    told.recv().unwrap().unwrap()
}

#[test]
fn sen_11_history_moves_on_postgres() {
    let (kernel, outbound, dispatcher) = open("sen_moves");
    let (shelf, ns) = (Arc::new(Shelf::default()), kernel.namespace("main").unwrap());
    kernel.common::<Archives>().set(shelf.clone() as Arc<dyn Archive>);
    for first in [0, 1_000, 2_000] {
        call(&kernel, &ns, &HAPPEN, (first, first + 1_000));
    }
    let (tell, committed) = channel();
    ns.wakes.watch_commits(move || tell.send(()).unwrap_or_default());
    call(&kernel, &ns, &BEGIN, ());
    while rows(&kernel, &ns) > 0 {
        committed.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    }
    assert_eq!((shelf.rows.lock().unwrap().len(), shelf.tries.lock().unwrap().len()), (3_000, 1_350));
    dispatcher.stop();
    outbound.close();
    kernel.namespaces().iter().for_each(|ns| ns.store.close());
}
