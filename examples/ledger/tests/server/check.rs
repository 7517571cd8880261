//! `check` and `doctor` on good and broken set-ups (KER-37, cell D10).

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use kill::load::{Plan, Writer, open_pool};
use kill::server::Server;
use kill::world::store_of;
use serde_json::Value;

use crate::backup::{back_up, fastness, text};
use crate::launch;

fn filled(data: &Path) -> Server {
    let server = launch(data).start().expect("a server");
    open_pool(&server).expect("a pool");
    let mut writer = Writer::new("w", Plan::PLAIN);
    let mut client = server.client();
    (0..200).for_each(|_| assert!(writer.ask(&mut client).expect("no contradiction").is_done()));
    server
}

fn words<'a>(command: &'a str, data: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    [&[command, "--data", data.to_str().expect("a path that is text")], more].concat()
}

fn check(data: &Path, more: &[&str]) -> Output {
    fastness(&words("check", data, more), &[])
}

#[test]
fn ker_37_check_finds_nothing_in_good_data_also_after_a_kill_and_in_a_backup() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = filled(&data);
    let busy = check(&data, &[]);
    assert!(busy.status.code() == Some(2) && text(&busy).contains("a server is using"), "{}", text(&busy));
    let backup = back_up(&data, &folder.path().join("backups"), &[]);
    server.kill().expect("a running server");
    let good = check(&data, &[]);
    assert_eq!(good.status.code(), Some(0), "{}", text(&good));
    assert!(text(&good).contains("namespace main") && text(&good).contains("nothing is wrong"), "{}", text(&good));
    let before = fs::read_dir(backup.join("namespaces/main")).expect("a folder").count();
    let good = check(&data, &["--backup", backup.to_str().expect("text")]);
    assert_eq!(good.status.code(), Some(0), "{}", text(&good));
    assert_eq!(
        fs::read_dir(backup.join("namespaces/main")).expect("a folder").count(),
        before,
        "nothing is left there"
    );
    launch(&data).start().expect("a server: nothing was changed");
    assert_eq!(check(&folder.path().join("nothing"), &[]).status.code(), Some(2));
    assert!(!folder.path().join("nothing").exists());
}

#[test]
fn ker_37_check_finds_a_broken_invariant_and_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    filled(&data).end("TERM").expect("an end");
    let store = rusqlite::Connection::open(store_of(&data, "main")).expect("a store");
    store.execute("UPDATE ledger_account SET balance = balance + 1 WHERE id = 'w'", []).expect("a lie");
    drop(store);
    let found = check(&data, &["--json"]);
    assert_eq!(found.status.code(), Some(1), "{}", text(&found));
    let report: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let finding = &report["findings"][0];
    assert_eq!(finding["place"], "namespace main");
    assert!(finding["what"].as_str().expect("a text").contains("balance"), "{finding}");
    assert!(!finding["mend"].as_str().expect("a text").is_empty(), "{finding}");
}

/// Cell D10: what is damaged is found and named, never believed.
#[test]
fn ker_37_check_finds_damaged_pages_and_blobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    filled(&data).end("TERM").expect("an end");
    let path = store_of(&data, "main");
    let good = fs::read(&path).expect("a store");
    let mut bad = good.clone();
    // The head of every second page: somewhere there is a page in use.
    bad.chunks_mut(4096).skip(1).step_by(2).for_each(|page| page[..8].iter_mut().for_each(|byte| *byte ^= 0x55));
    fs::write(&path, &bad).expect("a damaged store");
    let found = check(&data, &[]);
    assert!(found.status.code() == Some(1) && text(&found).contains("namespace main"), "{}", text(&found));
    assert!(text(&found).contains("restore the last good backup"), "{}", text(&found));
    fs::write(&path, &good[..good.len() - 4096]).expect("a short store");
    assert_eq!(check(&data, &[]).status.code(), Some(1));
    fs::write(&path, &good).expect("a good store");
    let name = format!("{}.01M7G3JS6KJ509P50084JZ53YF", "0".repeat(64));
    let blobs = data.join("namespaces/main/blobs/00/00");
    fs::create_dir_all(&blobs).expect("a folder");
    fs::write(blobs.join(&name), "not that").expect("a blob");
    let found = check(&data, &[]);
    assert!(found.status.code() == Some(1) && text(&found).contains(&name), "{}", text(&found));
}

/// Cell D10: a bit of the write-ahead log that a killed server left.
#[test]
fn ker_41_a_damaged_log_before_acknowledged_commits_is_named_and_not_served_as_good() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = filled(&data);
    server.kill().expect("a running server");
    let log = data.join("namespaces/main/store.db-wal");
    let good = fs::read(&log).expect("a log");
    assert!(good.len() > 20 * 4120, "too short a log to prove anything");
    let mut bad = good.clone();
    bad[32 + 3 * 4120 + 2000] ^= 1;
    fs::write(&log, &bad).expect("a damaged log");
    let server = launch(&data).start().expect("the others are served");
    let refused = server.client().get("/v1/main/ledger/accounts/x").expect("an answer");
    assert_eq!((refused.status, &refused.body["code"]), (503, &serde_json::json!("XSTORE")));
    let row = server.client().get("/v1/z/namespaces/main").expect("an answer");
    assert!(row.body["fault"].as_str().is_some_and(|fault| fault.contains("store.db-wal: damaged")), "{row:?}");
    server.end("TERM").expect("an end");
    let found = check(&data, &[]);
    assert!(found.status.code() == Some(1) && text(&found).contains("store.db-wal: damaged"), "{}", text(&found));
    assert_eq!(fs::read(&log).expect("a log"), bad, "nothing was changed");
    fs::write(&log, &good).expect("a good log");
    launch(&data).start().expect("a server: nothing was lost");
}

#[test]
fn ker_39_check_and_doctor_name_a_newer_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    filled(&data).end("TERM").expect("an end");
    let store = rusqlite::Connection::open(store_of(&data, "main")).expect("a store");
    store.execute("INSERT INTO schema_step VALUES ('kernel', 999, 0)", []).expect("a newer step");
    drop(store);
    let found = check(&data, &[]);
    assert!(found.status.code() == Some(1) && text(&found).contains("is at step 999"), "{}", text(&found));
    assert!(bad_line(&doctor(&data, &[]), "newer than this program").is_some());
}

fn doctor(data: &Path, environment: &[(&str, &str)]) -> Output {
    let environment: Vec<_> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").to_string();
    let listen =
        environment.iter().find(|(name, _)| name == "FASTNESS_SERVER__LISTEN").map_or(port, |(_, value)| value.clone());
    fastness(&words("doctor", data, &["--json", "--listen", &listen]), &environment)
}

fn line(output: &Output, part: &str) -> Option<Value> {
    let lines: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(output)));
    let lines = lines.as_array().expect("a list");
    lines.iter().find(|line| line["what"].as_str().is_some_and(|what| what.contains(part))).cloned()
}

fn bad_line(output: &Output, part: &str) -> Option<Value> {
    let line = line(output, part).filter(|line| line["state"] == "bad");
    line.inspect(|line| assert!(line["why"].is_string() && line["mend"].is_string() && output.status.code() == Some(1)))
}

#[test]
fn ker_37_doctor_finds_nothing_bad_before_the_first_start_and_beside_a_running_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let first = doctor(&data, &[]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first));
    assert!(line(&first, "is made at the first start").is_some() && !data.exists());
    assert!(line(&first, "a sync on the disk").is_some(), "{}", text(&first));
    let server = filled(&data);
    let address = server.address.to_string();
    let beside = doctor(&data, &[("FASTNESS_SERVER__LISTEN", &address)]);
    assert_eq!(beside.status.code(), Some(0), "{}", text(&beside));
    assert!(line(&beside, &format!("pid {}", server.pid())).is_some(), "{}", text(&beside));
    assert!(line(&beside, "it is ready").is_some(), "{}", text(&beside));
    assert_eq!(server.client().get("/readyz").expect("an answer").status, 200, "not disturbed");
}

#[test]
fn ker_37_doctor_names_what_is_wrong_and_how_to_mend_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let found = bad_line(&doctor(&data, &[("FASTNESS_SERVER__LISTEN", &address)]), "is taken by").expect("a line");
    assert!(
        found["what"].as_str().is_some_and(|what| what.contains(&format!("pid {}", std::process::id()))),
        "{found}"
    );
    let wrong = doctor(&data, &[("FASTNESS_STORE__ENGIN", "sqlite")]);
    assert!(bad_line(&wrong, "ENGINE").is_some(), "{}", text(&wrong));
    fs::write(&data, "").expect("a file");
    assert!(bad_line(&doctor(&data, &[]), "is not a directory").is_some());
    fs::remove_file(&data).expect("a file");
    fs::create_dir_all(data.join("restoring")).expect("a folder");
    assert!(bad_line(&doctor(&data, &[]), "was not finished").is_some());
    fs::remove_dir(data.join("restoring")).expect("a folder");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).expect("rights");
    fs::write(data.join("diagnosis-261115000000000.txt"), "").expect("a diagnosis");
    let open = doctor(&data, &[]);
    assert_eq!(line(&open, "mode 755").map(|line| line["state"].clone()), Some("warn".into()), "{}", text(&open));
    assert!(line(&open, "diagnosis-261115000000000.txt").is_some() && open.status.code() == Some(0));
    let postgres = [("FASTNESS_STORE__ENGINE", "postgres"), ("FASTNESS_STORE__URL", "host=127.0.0.1 port=1 user=u")];
    assert!(bad_line(&doctor(&data, &postgres), "PostgreSQL cannot be used").is_some());
}
