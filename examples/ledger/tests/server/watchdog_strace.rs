//! A slow disk is not a stuck server (KER-47, cell D11).

use std::time::Duration;

use kill::load::{Allowed, Crowd, Plan, Writer, open_pool};
use kill::tracer::Tracer;

use crate::watchdog::{comes_true, diagnoses};
use crate::{check_all_done, launch, settle};

#[test]
fn ker_47_a_disk_that_needs_a_fifth_of_a_second_for_each_sync_ends_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut server = launch(&data).start().expect("a server");
    open_pool(&server).expect("a pool");
    let tracer = Tracer::attach(server.pid(), "fsync,fdatasync", "delay_exit=200000").expect("strace");
    let crowd = Crowd::start(Writer::several(8, Plan::PLAIN), server.address, Allowed::TROUBLE, None);
    assert!(!comes_true(Duration::from_secs(20), || !server.is_running().expect("a state")), "it ended");
    let slow = tracer.detach().expect("strace ends");
    let (mut writers, counts, told) = crowd.stop();
    told.expect("nobody was told what must not be");
    assert!(slow > 50 && counts.acked > 100, "{slow} slow syncs, {} done", counts.acked);
    assert!(diagnoses(&data).is_empty());
    settle(&mut writers, &server);
    check_all_done(&server, &writers);
}
