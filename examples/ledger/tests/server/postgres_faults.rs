//! PostgreSQL stopped and started again under load (cell B1).

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::load::{Writer, check_totals, open_pool};
use crate::postgres::Database;
use crate::process::Server;

const WRITERS: usize = 6;
/// Longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

fn control(word: &str) {
    let script = std::env::var("FASTNESS_TEST_POSTGRES_FAULTS_CTL").expect("run this by `cargo xtask ci`");
    assert!(Command::new(script).arg(word).status().expect("the control script").success(), "{word}");
}

/// Writes until told to stop; put-offs are repeated with the same key, as a patient client does.
fn write(writer: &mut Writer, client: &mut Client, stop: &AtomicBool, done: &AtomicU64) {
    let mut answer = writer.ask(client).expect("the server itself stays");
    loop {
        match answer.status {
            200 => {
                done.fetch_add(1, Ordering::Relaxed);
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                answer = writer.ask(client).expect("the server itself stays");
            }
            status => {
                assert!(matches!(status, 503 | 504 | 409), "{answer:?}");
                assert_eq!(answer.header("retry-after").is_some(), status == 503, "{answer:?}");
                let key = writer.history.keys().next_back().expect("a key").clone();
                answer = writer.repeat(client, &key).expect("the server itself stays");
            }
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
    let data = folder.path().join("data");
    let server = Server::spawn(Database::new("FASTNESS_TEST_POSTGRES_FAULTS", "faults").command(&data), &data);
    open_pool(&server);
    let mut writers: Vec<Writer> = (0..WRITERS).map(|number| Writer::new(format!("w{number}"))).collect();
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for writer in &mut writers {
            let (mut client, stop, done) = (server.client(), &stop, &done);
            scope.spawn(move || write(writer, &mut client, stop, done));
        }
        for word in ["stop", "kill"] {
            until_more(&done, 100);
            control(word);
            assert!(until_ready_is(&server, 503).contains("Down"));
            control("start");
            until_ready_is(&server, 200);
            until_more(&done, 100);
        }
        stop.store(true, Ordering::Relaxed);
    });
    writers.iter_mut().for_each(|writer| writer.settle(&server));
    check_totals(&server, &writers);
}
