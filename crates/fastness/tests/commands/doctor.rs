//! The usual mistakes, really made: `fastness doctor` finds each and says what to do (KER-37). Those of the store are tested with the
//! ledger's server.

use std::fs::{self, File, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::kit::{Kit, bare, program, ran};

/// What the doctor says with these settings, on a port that is free.
pub fn lines(data: &Path, settings: &[(&str, &str)]) -> Vec<Value> {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
    let mut command = bare();
    command.args(["doctor", "--json", "--data"]).arg(data).env("FASTNESS_SERVER__LISTEN", free.to_string());
    command.envs(settings.iter().copied()).current_dir(std::env::temp_dir());
    let ran = ran(&mut command, "");
    let lines: Vec<Value> = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let is_bad = lines.iter().any(|line| line["state"] == "bad");
    assert_eq!(ran.code, i32::from(is_bad), "{ran:?}");
    lines
}

/// Asserts that it says so, why it matters and how to mend it.
#[track_caller]
pub fn finds(data: &Path, settings: &[(&str, &str)], state: &str, part: &str) {
    let lines = lines(data, settings);
    let found = lines.iter().find(|line| line["what"].as_str().is_some_and(|what| what.contains(part)));
    let found = found.unwrap_or_else(|| panic!("no `{part}` in {lines:#?}"));
    assert_eq!(found["state"], state, "{found}");
    let told = |name: &str| found[name].as_str().is_some_and(|text| text.len() > 5);
    assert!(told("why") && told("mend"), "{found}");
}

#[test]
fn ker_37_doctor_finds_servers_that_are_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let mail = [("FASTNESS_MAIL__URL", "smtp://127.0.0.1:1"), ("FASTNESS_MAIL__FROM", "fastness@example.org")];
    finds(&data, &mail, "bad", "the mail server cannot be used");
    finds(&data, &[("FASTNESS_SENSORS__REDIS_URL", "redis://127.0.0.1:1")], "bad", "Redis cannot be used");
    finds(&data, &[("FASTNESS_SENSORS__CLICKHOUSE_URL", "http://127.0.0.1:1/")], "bad", "ClickHouse cannot be used");
    finds(&data, &[("FASTNESS_SENSORS__AMQP_URL", "amqp://127.0.0.1:1")], "bad", "the broker cannot be used");
    let s3 = [
        ("FASTNESS_BLOBS__PLACE", "s3"),
        ("FASTNESS_BLOBS__URL", "http://127.0.0.1:1"),
        ("FASTNESS_BLOBS__BUCKET", "b"),
        ("FASTNESS_BLOBS__ACCESS_KEY", "k"),
        ("FASTNESS_BLOBS__SECRET_KEY", "s"),
    ];
    finds(&data, &s3, "bad", "the storage of blobs (S3) cannot be used");
    assert!(!data.exists(), "looking makes nothing");
}

/// A certificate until the beginning of a year, and its key, in files.
fn certificate(folder: &Path, name: &str, year: i32) -> (String, String) {
    let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let key = rcgen::KeyPair::generate().expect("a key");
    let made = params.self_signed(&key).expect("a certificate");
    let paths = [format!("{name}.crt"), format!("{name}.key")].map(|name| folder.join(name));
    fs::write(&paths[0], made.pem()).expect("a file");
    fs::write(&paths[1], key.serialize_pem()).expect("a file");
    let [certificate, key] = paths.map(|path| path.display().to_string());
    (certificate, key)
}

#[test]
fn ker_37_doctor_finds_certificates_that_cannot_be_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let (good, key) = certificate(folder.path(), "good", 2090);
    let (old, old_key) = certificate(folder.path(), "old", 2020);
    let with = |certificate: &str, key: &str| {
        [("FASTNESS_SERVER__TLS_CERTIFICATE", certificate.to_owned()), ("FASTNESS_SERVER__TLS_KEY", key.to_owned())]
    };
    let settings = with(&good, &key);
    let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
    let lines = lines(&data, &settings);
    assert!(
        lines.iter().any(|line| line["what"].as_str().is_some_and(|what| what.contains("good until 2090"))),
        "{lines:?}"
    );
    for (certificate, key, part) in [
        (good.as_str(), old_key.as_str(), "no TLS with"),
        ("/nowhere.crt", key.as_str(), "cannot read /nowhere.crt"),
        (old.as_str(), old_key.as_str(), "the certificate ended at 2020-01-01"),
    ] {
        let settings = with(certificate, key);
        finds(&data, &settings.each_ref().map(|(name, value)| (*name, value.as_str())), "bad", part);
    }
}

#[test]
fn ker_37_doctor_finds_wrong_places_for_data() {
    finds(Path::new("/proc/sys"), &[], "bad", "cannot be written");
    let memory = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
    finds(memory.path(), &[], "warn", "is in memory (tmpfs)");
}

#[test]
fn ker_37_doctor_finds_what_a_stopped_server_lacks() {
    let Kit { server, folder } = Kit::start();
    let data = folder.path().join("data");
    server.end("TERM").expect("an end");
    let backups = folder.path().join("backups");
    let to = [("FASTNESS_BACKUP__DIR", backups.to_str().expect("text"))];
    finds(&data, &to, "warn", "no backup is scheduled");
    finds(&data, &to, "warn", "there is no backup in");
    let old = backups.join("backup-200101000000000");
    fs::create_dir_all(&old).expect("a folder");
    fs::write(old.join("manifest.json"), "{}").expect("a manifest");
    finds(&data, &to, "warn", "hours old");
    finds(&data, &to, "warn", "backups are on the same disk as the data");
    finds(&data, &[("FASTNESS_STORE__RESERVE", "0")], "warn", "store.reserve is 0");
    fs::remove_file(data.join("namespaces/main/store.reserve")).expect("a reserve");
    finds(&data, &[], "warn", "namespace main has 0 bytes of its reserve");
    let store = File::options().write(true).open(data.join("namespaces/main/store.db")).expect("a store");
    store.set_modified(SystemTime::now() + Duration::from_secs(7200)).expect("a time");
    finds(&data, &[], "warn", "behind the last write of namespace main");
}

#[test]
fn ker_37_doctor_finds_plain_http_beyond_this_machine_and_too_few_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let plain = [("FASTNESS_SERVER__LISTEN", "0.0.0.0:0"), ("FASTNESS_SERVER__ALLOW_PLAIN_HTTP", "true")];
    finds(&data, &plain, "warn", "plain HTTP is served on 0.0.0.0");
    let script = format!(
        "ulimit -n 256; exec '{}' doctor --data '{}' --listen 127.0.0.1:0",
        program().display(),
        data.display()
    );
    let seen = ran(Command::new("sh").args(["-c", &script]), "");
    assert!(seen.out.contains("warn    256 files may be open") && seen.out.contains("ulimit -n"), "{seen:?}");
}

/// Another user than the one who runs the tests where these may look everywhere, else the same; and a program that it can start.
fn stranger(folder: &Path) -> Command {
    let copy = folder.join("fastness");
    fs::copy(program(), &copy).expect("a copy");
    fs::set_permissions(folder, Permissions::from_mode(0o755)).expect("rights");
    let mut command = Command::new(copy);
    if fs::metadata("/proc/self").expect("ourselves").uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    command
}

#[test]
fn ker_37_doctor_says_so_where_it_may_not_look() {
    let Kit { server, folder } = Kit::start();
    let data = folder.path().join("data");
    let mut doctor = stranger(folder.path());
    fs::set_permissions(&data, Permissions::from_mode(0o000)).expect("rights");
    doctor.args(["doctor", "--data"]).arg(&data).args(["--listen", &server.address.to_string()]);
    let seen = ran(doctor.current_dir("/"), "");
    fs::set_permissions(&data, Permissions::from_mode(0o700)).expect("rights");
    assert_eq!(seen.code, 1, "{seen:?}");
    assert!(!seen.out.contains("no server is running"), "{seen:?}");
    assert!(seen.out.contains("BAD     ") && seen.out.contains("may not be used by this user"), "{seen:?}");
    assert!(seen.out.contains("warn    it cannot be seen whether a server is running"), "{seen:?}");
    assert!(seen.out.contains("sudo -u") && seen.out.contains("a server answers on"), "{seen:?}");
}

#[test]
fn ker_37_doctor_tells_each_mistake_in_the_configuration_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let says = |file: &Path| {
        let seen = ran(bare().args(["doctor", "--json", "--config"]).arg(file), "");
        let lines: Vec<Value> = serde_json::from_str(&seen.out).unwrap_or_else(|error| panic!("{error}: {seen:?}"));
        assert_eq!(seen.code, 1, "{seen:?}");
        lines
    };
    let missing = says(&folder.path().join("none.toml"));
    assert!(missing.len() == 1 && missing[0]["mend"].as_str().is_some_and(|mend| mend.contains("config example")));
    let wrong = folder.path().join("wrong.toml");
    fs::write(&wrong, "[server]\nlisten = 1\ndrian = 2\n").expect("a file");
    let found = says(&wrong);
    let what: Vec<&str> = found.iter().filter_map(|line| line["what"].as_str()).collect();
    assert!(what.len() == 2 && what[0].contains("wrong.toml:2") && what[1].contains("`server.drain`"), "{what:?}");
}

#[test]
fn ker_36_a_variable_that_nobody_reads_is_told_by_doctor_config_and_serve() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = "FASTNESS_LISTN: nobody reads this variable; the nearest is FASTNESS_SERVER__LISTEN";
    finds(&folder.path().join("data"), &[("FASTNESS_LISTN", "127.0.0.1:1")], "warn", told);
    let checked = ran(bare().args(["config", "check"]).env("FASTNESS_LISTN", "x").env("FASTNESS_KEY", "k"), "");
    assert_eq!(checked.out, format!("warning: environment {told}\nthe configuration is good\n"), "{checked:?}");
    let checked = ran(bare().args(["config", "check", "--json"]).env("FASTNESS_LISTN", "x"), "");
    assert!(checked.code == 0 && checked.out.contains("FASTNESS_SERVER__LISTEN"), "{checked:?}");
    let launch = kill::server::Launch::new(program(), &folder.path().join("other")).env("FASTNESS_LISTN", "x");
    let server = launch.start().expect("a server");
    assert!(server.log().contains(told), "{}", server.log());
}
