//! kill -9 at any moment of a write load (cells P1, P2, D9).

use kill::check::{Books, check_invariants, judge};
use kill::load::{Allowed, Crowd, Plan, Writer, open_pool};
use kill::server::Server;
use kill::world::store_of;

use crate::{check_all_done, launch, settle};

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
    let mut writers = Writer::several(WRITERS, Plan::PLAIN);
    let mut server = launch(&data).start().expect("a server");
    open_pool(&server).expect("a pool");
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        let acked;
        (writers, acked) = write_and_kill(server, writers, victims(round));
        acknowledged += acked;
        server = launch(&data).start().expect("a server after a kill");
        settle(&mut writers, &server);
    }
    check_all_done(&server, &writers);
    server.end("TERM").expect("an end");
    check_file(&data, &writers);
    assert!(
        acknowledged > 20 * ROUNDS,
        "only {acknowledged} acknowledgements: the load was too small to prove anything"
    );
}

/// Lets the writers go, waits for `victims` acknowledgements, kills.
fn write_and_kill(server: Server, writers: Vec<Writer>, victims: u64) -> (Vec<Writer>, u64) {
    let crowd = Crowd::start(writers, server.address, Allowed::NONE, None);
    crowd.wait_acked(victims).expect("the server makes progress");
    server.kill().expect("a running server");
    crowd.point_to(None);
    let (writers, counts, told) = crowd.stop();
    told.expect("nobody was told what must not be");
    (writers, counts.acked)
}

/// The files themselves, read without the server: sound, as they were told, and every invariant of every service holds.
fn check_file(data: &std::path::Path, writers: &[Writer]) {
    let books = Books::of_file(&store_of(data, "main")).expect("a sound file");
    judge(&books, &writers.iter().collect::<Vec<_>>()).expect("nothing lost, nothing twice");
    check_invariants(&store_of(data, "main")).expect("invariants hold");
}
