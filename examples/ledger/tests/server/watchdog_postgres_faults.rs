//! A database that is away or frozen is not a stuck server (KER-47, KER-31).

use std::thread;
use std::time::Duration;

use kill::load::{Allowed, Crowd, Plan, Writer, open_pool};
use kill::postgres::{Database, FAULTY};

use crate::watchdog::{comes_true, diagnoses};
use crate::{check_all_done, launch, settle};

#[test]
fn ker_47_a_frozen_database_ends_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let database = Database::new(FAULTY, "watch").expect("a database");
    let mut server = database.launch(launch(&data)).start().expect("a server");
    open_pool(&server).expect("a pool");
    let crowd = Crowd::start(Writer::several(8, Plan::PLAIN), server.address, Allowed::DATABASE, None);
    crowd.wait_acked(100).expect("progress");
    let frozen = database.freeze().expect("a frozen database");
    thread::sleep(Duration::from_secs(60)); // tidy: sleep — the time that must not count
    drop(frozen);
    assert!(server.is_running().expect("a state") && diagnoses(&data).is_empty());
    let ready = || server.client().get("/readyz").is_ok_and(|answer| answer.status == 200);
    assert!(comes_true(Duration::from_secs(30), ready), "not ready again");
    crowd.wait_acked(100).expect("progress again");
    let (mut writers, _, told) = crowd.stop();
    told.expect("nobody was told what must not be");
    settle(&mut writers, &server);
    check_all_done(&server, &writers);
}
