//! PostgreSQL stopped and started again under load (cell B1).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kill::client::Client;
use kill::load::{Plan, Told, Writer, open_pool};
use kill::postgres::{Database, FAULTY};
use kill::server::Server;

use crate::{check_all_done, launch, settle};

const WRITERS: usize = 6;
/// Longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes until told to stop; put-offs are repeated with the same key, as a patient client does.
fn write(writer: &mut Writer, client: &mut Client, stop: &AtomicBool, done: &AtomicU64) {
    loop {
        match writer.ask(client).expect("no contradiction") {
            Told::Answer(answer) if answer.status == 200 => {
                done.fetch_add(1, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) {
                    return;
                }
            }
            Told::Answer(answer) => {
                assert!(matches!(answer.status, 503 | 504 | 409), "{answer:?}");
                assert_eq!(answer.header("retry-after").is_some(), answer.status == 503, "{answer:?}");
            }
            Told::Cut(cut) => panic!("the server itself stays: {cut:?}"),
        }
    }
}

/// Waits until `/readyz` has this status, and says what it said.
fn until_ready_is(server: &Server, status: u16) -> String {
    let until = Instant::now() + PATIENCE;
    let mut client = server.client();
    loop {
        let ready = client.get("/readyz").expect("an answer");
        if ready.status == status {
            return ready.body.to_string();
        }
        assert!(Instant::now() < until, "still {ready:?}");
        thread::yield_now();
    }
}

fn until_more(done: &AtomicU64, more: u64) {
    let (goal, until) = (done.load(Ordering::Relaxed) + more, Instant::now() + PATIENCE);
    while done.load(Ordering::Relaxed) < goal {
        assert!(Instant::now() < until, "no progress");
        thread::yield_now();
    }
}

#[test]
fn ker_31_postgresql_stopped_killed_and_started_again_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(FAULTY, "faults").expect("a database");
    let server = database.launch(launch(&folder.path().join("data"))).start().expect("a server");
    open_pool(&server).expect("a pool");
    let mut writers = Writer::several(WRITERS, Plan::PLAIN);
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for writer in &mut writers {
            let (mut client, stop, done) = (server.client(), &stop, &done);
            scope.spawn(move || write(writer, &mut client, stop, done));
        }
        for word in ["stop", "kill"] {
            until_more(&done, 100);
            database.control(word).expect("no database");
            assert!(until_ready_is(&server, 503).contains("Down"));
            database.control("start").expect("a database again");
            until_ready_is(&server, 200);
            until_more(&done, 100);
        }
        stop.store(true, Ordering::Relaxed);
    });
    settle(&mut writers, &server);
    check_all_done(&server, &writers);
}
