//! Disks that fail: syncs that return errors (strace), and a disk that is full (a small tmpfs, so as root).

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kill::client::{Answer, Client};
use kill::disk::SmallDisk;
use kill::load::{Plan, Told, Writer, open_pool};
use kill::server::Server;
use kill::tracer::strace;
use serde_json::json;

use crate::{check_all_done, launch, settle};

const WRITERS: usize = 6;
/// Longest wait for the server to get over a fault that has ended.
const RECOVERY: Duration = Duration::from_secs(20);

/// Asks again and again, as a patient client does, until it is done. Returns how often it was put off.
fn insist(writer: &mut Writer, client: &mut Client, until: Instant) -> u64 {
    let mut put_off = 0;
    loop {
        match writer.ask(client).expect("no contradiction") {
            Told::Answer(answer) if answer.status == 200 => return put_off,
            Told::Answer(answer) => check_put_off(&answer),
            Told::Cut(cut) => panic!("the server went away: {cut:?}"),
        }
        assert!(Instant::now() < until, "put off {put_off} times");
        put_off += 1;
    }
}

fn check_put_off(answer: &Answer) {
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.header("retry-after").is_some(), "{answer:?}");
    assert!(["XSTORE", "XDISK", "XBUSY"].contains(&answer.code()), "{answer:?}");
}

/// Cell D6. A sync fails now and then: nobody is told "done" before it is, nothing is done twice, and the server goes on
/// by itself.
#[test]
fn ker_41_a_failed_sync_is_got_over_and_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut writers = Writer::several(WRITERS, Plan::PLAIN);
    let server = launch(&data).start().expect("a server");
    open_pool(&server).expect("a pool");
    server.end("TERM").expect("an end");
    let inject = "inject=fsync,fdatasync:error=EIO:when=40+45";
    let strace = strace().expect("strace");
    let words = [&strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", inject];
    let server = launch(&data).below(&words).start().expect("a traced server");
    thread::scope(|scope| {
        for writer in &mut writers {
            let mut client = server.client();
            let until = Instant::now() + Duration::from_secs(120);
            scope.spawn(move || (0..150).map(|_| insist(writer, &mut client, until)).sum::<u64>());
        }
    });
    let faults = server.log().matches("commit failed; reopening the store").count();
    assert!(faults > 2, "only {faults} failed commits: the fault was not injected");
    server.kill_traced().expect("an end");
    let server = launch(&data).start().expect("a server");
    settle(&mut writers, &server);
    check_all_done(&server, &writers);
}

/// Cell D1. The disk fills up under load: clear refusals with Retry-After, `/readyz` says so, reads and work that ends
/// something go on, and when there is room again so does everything, without a restart.
#[test]
fn ker_31_a_full_disk_refuses_clearly_and_the_service_resumes_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = SmallDisk::mount(&folder.path().join("disk"), "40m").expect("a small disk");
    let launch = launch(&disk.path().join("data")).log_to(&folder.path().join("server.log"));
    let launch = launch.env("FASTNESS_STORE__RESERVE", "2 MiB").env("FASTNESS_STORE__WAL_MAX", "4 MiB");
    let server = launch.start().expect("a server");
    open_pool(&server).expect("a pool");
    let spare = server.client().post("/v1/main/keys", &json!({ "role": "app" }), "").expect("an answer").body;
    let mut writers = Writer::several(WRITERS, Plan::PLAIN);
    let ballast = disk.fill(2 << 20).expect("a full disk");
    write_until_full(&server, &mut writers);
    check_full(&server, spare["id"].as_str().expect("an id"));
    fs::remove_file(ballast).expect("room again");
    let until = Instant::now() + RECOVERY;
    for writer in &mut writers {
        insist(writer, &mut server.client(), until);
    }
    assert_eq!(server.client().get("/readyz").expect("an answer").status, 200);
    settle(&mut writers, &server);
    check_all_done(&server, &writers);
    drop(server);
}

fn write_until_full(server: &Server, writers: &mut [Writer]) {
    let (full, done) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for writer in writers {
            let mut client = server.client();
            let (full, done) = (&full, &done);
            scope.spawn(move || {
                while !full.load(Ordering::Relaxed) {
                    match writer.ask(&mut client).expect("no contradiction") {
                        Told::Answer(answer) if answer.status == 200 => {
                            assert!(done.fetch_add(1, Ordering::Relaxed) < 1_000_000, "the disk does not fill up");
                        }
                        Told::Answer(answer) => {
                            check_put_off(&answer);
                            full.store(true, Ordering::Relaxed);
                        }
                        Told::Cut(cut) => panic!("the server went away: {cut:?}"),
                    }
                }
            });
        }
    });
    assert!(done.load(Ordering::Relaxed) > 50, "too little was done before the disk was full");
}

fn check_full(server: &Server, spare_key: &str) {
    let mut client = server.client();
    let ready = client.get("/readyz").expect("an answer");
    assert_eq!(ready.status, 503, "{ready:?}");
    assert!(ready.body.to_string().contains("ReadOnly"), "{ready:?}");
    assert_eq!(client.get("/healthz").expect("an answer").status, 200, "alive all the same");
    assert_eq!(client.get("/v1/main/ledger/accounts/pool").expect("an answer").status, 200, "reads go on");
    let ended = client.delete(&format!("/v1/main/keys/{spare_key}")).expect("an answer");
    assert_eq!(ended.status, 204, "work that ends something uses the reserve: {ended:?}");
}
