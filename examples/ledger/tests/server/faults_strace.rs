//! Disks that fail: syncs that return errors (strace), and a disk that is full (a small tmpfs, so as root).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Answer, Client};
use crate::load::{Writer, check_totals, open_pool};
use crate::process::{Server, command, command_below};

const WRITERS: usize = 6;
/// Longest wait for the server to get over a fault that has ended.
const RECOVERY: Duration = Duration::from_secs(20);

fn strace() -> String {
    std::env::var("FASTNESS_TEST_STRACE").expect("FASTNESS_TEST_STRACE is not set: run this by `cargo xtask ci`")
}

/// Asks again and again, as a patient client does, until it is done. Returns how often it was put off.
fn insist(writer: &mut Writer, client: &mut Client, until: Instant) -> u64 {
    let mut put_off = 0;
    let mut answer = writer.ask(client);
    loop {
        match &answer {
            Ok(answer) if answer.status == 200 => return put_off,
            Ok(answer) => check_put_off(answer),
            Err(error) => panic!("the server went away: {error}"),
        }
        assert!(Instant::now() < until, "put off {put_off} times, last: {answer:?}");
        put_off += 1;
        let key = writer.history.keys().next_back().expect("a key").clone();
        answer = writer.repeat(client, &key);
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
    let mut writers: Vec<Writer> = (0..WRITERS).map(|number| Writer::new(format!("w{number}"))).collect();
    let server = Server::start(&data);
    open_pool(&server);
    server.end("TERM");
    let inject = "inject=fsync,fdatasync:error=EIO:when=40+45";
    let strace = strace();
    let below =
        command_below(&strace, &["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", inject], &data);
    let server = Server::spawn(below, &data);
    thread::scope(|scope| {
        for writer in &mut writers {
            let mut client = server.client();
            let until = Instant::now() + Duration::from_secs(120);
            scope.spawn(move || (0..150).map(|_| insist(writer, &mut client, until)).sum::<u64>());
        }
    });
    let faults = server.log().matches("commit failed; reopening the store").count();
    assert!(faults > 2, "only {faults} failed commits: the fault was not injected");
    server.kill_traced(&data);
    let server = Server::start(&data);
    writers.iter_mut().for_each(|writer| writer.settle(&server));
    check_totals(&server, &writers);
}

/// A file system of a few megabytes, gone when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, size: &str) -> Self {
        fs::create_dir_all(at).expect("a mount point");
        let options = format!("size={size}");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).status();
        assert!(mount.expect("mount").success(), "mounting a tmpfs needs root");
        Self(at.to_owned())
    }

    /// Leaves no room but `left` bytes.
    fn fill(&self, left: usize) -> PathBuf {
        let ballast = self.0.join("ballast");
        fs::write(&ballast, vec![1; left]).expect("room to leave");
        let rest = self.0.join("rest");
        let mut file = fs::File::create(&rest).expect("a file");
        while std::io::Write::write(&mut file, &[1; 4096]).is_ok_and(|written| written == 4096) {}
        fs::remove_file(ballast).expect("room is left");
        rest
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Cell D1. The disk fills up under load: clear refusals with Retry-After, `/readyz` says so, reads and work that ends
/// something go on, and when there is room again so does everything, without a restart.
#[test]
fn ker_31_a_full_disk_refuses_clearly_and_the_service_resumes_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = SmallDisk::mount(&folder.path().join("disk"), "40m");
    let data = disk.0.join("data");
    let mut start = command(&data);
    start.env("FASTNESS_STORE__RESERVE", "2 MiB").env("FASTNESS_STORE__WAL_MAX", "4 MiB");
    let server = Server::spawn(start, &folder.path().join("outside"));
    open_pool(&server);
    let spare = server.client().post("/v1/main/keys", &json!({ "role": "app" }), "").expect("an answer").body;
    let mut writers: Vec<Writer> = (0..WRITERS).map(|number| Writer::new(format!("w{number}"))).collect();
    let ballast = disk.fill(2 << 20);
    write_until_full(&server, &mut writers);
    check_full(&server, spare["id"].as_str().expect("an id"));
    fs::remove_file(ballast).expect("room again");
    let until = Instant::now() + RECOVERY;
    for writer in &mut writers {
        insist(writer, &mut server.client(), until);
    }
    assert_eq!(server.client().get("/readyz").expect("an answer").status, 200);
    writers.iter_mut().for_each(|writer| writer.settle(&server));
    check_totals(&server, &writers);
}

fn write_until_full(server: &Server, writers: &mut [Writer]) {
    let (full, done) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        for writer in writers {
            let mut client = server.client();
            let (full, done) = (&full, &done);
            scope.spawn(move || {
                while !full.load(Ordering::Relaxed) {
                    let answer = writer.ask(&mut client).expect("an answer");
                    match answer.status {
                        200 => assert!(done.fetch_add(1, Ordering::Relaxed) < 1_000_000, "the disk does not fill up"),
                        _ => {
                            check_put_off(&answer);
                            full.store(true, Ordering::Relaxed);
                        }
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
