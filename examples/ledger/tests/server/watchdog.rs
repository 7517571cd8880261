//! A part of the server that is stuck, and the supervisor that brings it back (KER-47, cell P6).

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kill::client::Client;
use kill::load::{Allowed, Crowd, Plan, Writer, open_pool};
use kill::server::{KEY, send_signal, wait};

use crate::namespaces::{create, place};
use crate::{check_all_done, launch, program, settle};

/// KER-47: 10 s of silence, then the end.
const ENDS_WITHIN: Duration = Duration::from_secs(15);
const BACK_WITHIN: Duration = Duration::from_secs(5);

/// Looks again and again; true as soon as it holds, false when the time is over.
pub(crate) fn comes_true(within: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + within;
    while Instant::now() < until {
        if holds() {
            return true;
        }
        thread::sleep(Duration::from_millis(5)); // tidy: sleep — another process is waited for
    }
    false
}

fn hang(data: &Path) {
    fs::write(data.join("namespaces/main/store.hang"), "").expect("a wish");
}

pub(crate) fn diagnoses(data: &Path) -> Vec<PathBuf> {
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("diagnosis-"));
    fs::read_dir(data).expect("a folder").flatten().map(|entry| entry.path()).filter(named).collect()
}

#[test]
fn ker_47_a_writer_that_hangs_ends_the_process_with_a_diagnosis() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut server = launch(&data).env("FASTNESS_TEST_HANG", "1").start().expect("a server");
    hang(&data);
    assert!(comes_true(ENDS_WITHIN, || !server.is_running().expect("a state")), "still there after {ENDS_WITHIN:?}");
    let diagnosis = fs::read_to_string(diagnoses(&data).pop().expect("a diagnosis")).expect("a text");
    assert!(diagnosis.starts_with("store of namespace main neither answered nor moved for 10"), "{diagnosis}");
    assert!(diagnosis.contains("jobs wait") && diagnosis.contains("  sqlite-writer "), "{diagnosis}");
    assert!(server.log().contains("a part of the server is stuck"), "{}", server.log());
    launch(&data).start().expect("a server again");
}

#[test]
fn ker_47_the_store_of_a_namespace_that_was_made_meanwhile_is_watched_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut server = launch(&data).env("FASTNESS_TEST_HANG", "1").start().expect("a server");
    let made = create(&server, "shop");
    fs::write(place(&data, &made).join("store.hang"), "").expect("a wish");
    assert!(comes_true(ENDS_WITHIN, || !server.is_running().expect("a state")), "still there after {ENDS_WITHIN:?}");
    let diagnosis = fs::read_to_string(diagnoses(&data).pop().expect("a diagnosis")).expect("a text");
    assert!(diagnosis.starts_with("store of namespace shop neither answered nor moved for 10"), "{diagnosis}");
}

/// Whoever takes the watchdog out is noticed by the test above.
#[test]
#[cfg(feature = "mutants")]
fn ker_47_a_server_without_its_watchdog_stays_stuck() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let launch = launch(&data).env("FASTNESS_TEST_HANG", "1").env("FASTNESS_MUTANT", "watchdog-off");
    let mut server = launch.start().expect("a server");
    hang(&data);
    assert!(!comes_true(ENDS_WITHIN, || !server.is_running().expect("a state")), "the mutant was not on");
    assert!(diagnoses(&data).is_empty());
}

#[test]
fn ker_43_ker_47_a_stop_of_the_whole_process_is_not_taken_for_stuck() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut server = launch(&data).start().expect("a server");
    for _ in 0..2 {
        send_signal(&[server.pid()], "STOP").expect("a stop");
        thread::sleep(Duration::from_secs(14)); // tidy: sleep — the time that must not count
        send_signal(&[server.pid()], "CONT").expect("it goes on");
        assert_eq!(server.client().get("/readyz").expect("an answer").status, 200);
    }
    assert!(server.is_running().expect("a state") && diagnoses(&data).is_empty());
}

/// A supervisor with its server; both are ended when dropped.
struct Supervised {
    child: Child,
    address: SocketAddr,
    data: PathBuf,
}

impl Supervised {
    fn start(data: &Path) -> Self {
        let address = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
        let log = fs::File::create(data.with_extension("log")).expect("a log");
        let mut command = Command::new(program());
        command.args(["serve", "--supervise", "--listen", &address.to_string(), "--data"]).arg(data);
        command.env("FASTNESS_ADMIN_KEY", KEY).env("FASTNESS_TEST_HANG", "1");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Self { child: command.spawn().expect("the program runs"), address, data: data.to_owned() }
    }

    fn is_ready(&self) -> bool {
        let ready = Client::new(self.address, KEY).with_patience(Duration::from_secs(1)).get("/readyz");
        ready.is_ok_and(|answer| answer.status == 200)
    }

    /// The server's process, as it wrote it itself.
    fn server_pid(&self) -> u32 {
        fs::read_to_string(self.data.join("lock")).expect("a lock").trim().parse().expect("a pid")
    }

    fn is_alive(pid: u32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn ker_47_a_supervised_server_is_back_after_a_hang_and_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = launch(&data).start().expect("a server");
    open_pool(&server).expect("a pool");
    server.end("TERM").expect("an end");
    let supervised = Supervised::start(&data);
    assert!(comes_true(BACK_WITHIN, || supervised.is_ready()), "not ready");
    let crowd = Crowd::start(Writer::several(4, Plan::PLAIN), supervised.address, Allowed::TROUBLE, None);
    crowd.wait_acked(200).expect("progress");
    let first = supervised.server_pid();
    hang(&data);
    assert!(comes_true(ENDS_WITHIN, || !Supervised::is_alive(first)), "the stuck server is still there");
    assert!(comes_true(BACK_WITHIN, || supervised.is_ready()), "not back");
    assert_eq!(diagnoses(&data).len(), 1);
    assert_ne!(supervised.server_pid(), first);
    crowd.wait_acked(200).expect("progress again");
    let (mut writers, _, told) = crowd.stop();
    told.expect("nobody was told what must not be");
    drop(supervised);
    let mut started = None;
    // The server ends with its supervisor, also when that was killed.
    assert!(comes_true(Duration::from_secs(15), || {
        started = launch(&data).start().ok();
        started.is_some()
    }));
    let server = started.expect("a server");
    settle(&mut writers, &server);
    check_all_done(&server, &writers);
}

#[test]
fn ker_47_a_supervisor_starts_a_killed_server_again_and_stops_with_it_when_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mut supervised = Supervised::start(&data);
    for _ in 0..3 {
        assert!(comes_true(BACK_WITHIN, || supervised.is_ready()), "not ready");
        let pid = supervised.server_pid();
        send_signal(&[pid], "KILL").expect("a kill");
        assert!(comes_true(BACK_WITHIN, || !Supervised::is_alive(pid) && supervised.is_ready()), "not back");
    }
    let pid = supervised.server_pid();
    send_signal(&[supervised.child.id()], "TERM").expect("a stop");
    assert!(wait(&mut supervised.child).expect("an end").success());
    assert!(!Supervised::is_alive(pid));
}

#[test]
fn ker_47_a_wrong_configuration_is_not_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(program());
    let output =
        command.args(["serve", "--supervise", "--listen", "nowhere", "--data"]).arg(folder.path().join("data"));
    assert_eq!(output.output().expect("the program runs").status.code(), Some(2));
}
