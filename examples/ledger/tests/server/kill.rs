//! kill -9 at any moment of a write load (cells P1, P2, D9).

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use base::Store;
use host::RealClock;
use std::sync::Arc;
use store_sqlite::InlineStore;

use crate::load::{Writer, check_totals, open_pool};
use crate::process::Server;

const ROUNDS: u64 = 60;
const WRITERS: usize = 8;

/// A round's number of acknowledgements after which the server is killed: from none at all to some hundreds.
fn victims(round: u64) -> u64 {
    round.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 33 & 0xFF
}

/// Every acknowledged operation is there, every repeat gives the first answer, nothing is half-written. 60 kills.
#[test]
fn ker_10_ker_6_kill_9_loses_nothing_and_doubles_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut writers: Vec<Writer> = (0..WRITERS).map(|number| Writer::new(format!("w{number}"))).collect();
    let mut server = Server::start(&data);
    open_pool(&server);
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        acknowledged += write_and_kill(server, &mut writers, victims(round));
        server = Server::start(&data);
        writers.iter_mut().for_each(|writer| {
            writer.settle(&server);
            writer.forget();
        });
    }
    check_totals(&server, &writers);
    server.end("TERM");
    check_invariants(&data);
    assert!(
        acknowledged > 20 * ROUNDS,
        "only {acknowledged} acknowledgements: the load was too small to prove anything"
    );
}

/// Lets the writers go, waits for `victims` acknowledgements, kills.
fn write_and_kill(server: Server, writers: &mut [Writer], victims: u64) -> u64 {
    let (tell, told) = channel();
    let address = server.address;
    thread::scope(|scope| {
        for writer in writers {
            let tell = tell.clone();
            scope.spawn(move || writer.write_until_cut(address, &tell));
        }
        for _ in 0..victims {
            told.recv_timeout(Duration::from_secs(30)).expect("the server makes progress");
        }
        server.kill();
    });
    victims + told.try_iter().count() as u64
}

/// The files themselves, read without the server: every invariant of every service holds.
fn check_invariants(data: &std::path::Path) {
    let path = data.join("namespaces/main/store.db");
    let store = InlineStore::open(&path, Arc::new(RealClock::new())).expect("the store opens");
    for service in [&kernel::KERNEL, &ledger::LEDGER] {
        for invariant in service.invariants {
            let found = store_suite::look(&store as &dyn Store, |tx| (invariant.check)(tx));
            assert!(found.is_empty(), "{}: {found:?}", invariant.name);
        }
    }
}
