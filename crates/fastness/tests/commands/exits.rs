//! Exit codes and JSON of commands on the server's own files (KER-36, KER-37).

use serde_json::Value;

use crate::kit::{Kit, Ran, bare, ran};

fn told(ran: &Ran) -> Value {
    serde_json::from_str(&ran.err).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn ker_36_wrong_configuration_is_2_for_all_and_nothing_was_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let data = data.to_str().expect("text");
    let from = ["--from", "/nowhere"];
    for (words, more) in [
        ("serve", &[][..]),
        ("backup", &["--json"]),
        ("restore", &from),
        ("check", &["--json"]),
        ("config check", &["--json"]),
        ("config show", &[]),
        ("admin reset-password", &["--json"]),
    ] {
        let words: Vec<&str> = words.split(' ').chain(["--data", data]).chain(more.iter().copied()).collect();
        let wrong = ran(bare().args(&words).env("FASTNESS_STORE__ENGIN", "sqlite"), "");
        assert_eq!((wrong.code, wrong.out.as_str()), (2, ""), "{words:?}: {wrong:?}");
        assert!(wrong.err.contains("FASTNESS_STORE__ENGINE"), "{words:?}: {wrong:?}");
        if words.contains(&"--json") {
            assert_eq!(told(&wrong)["error"]["exit"], 2);
        }
    }
    assert!(!folder.path().join("data").exists(), "nothing was made");
    let doctor = ran(bare().args(["doctor", "--data", data]).env("FASTNESS_STORE__ENGIN", "sqlite"), "");
    assert_eq!(doctor.code, 1, "a mistake is what it looks for: {doctor:?}");
}

#[test]
fn ker_37_a_backup_goes_out_and_back_in_for_programs() {
    let kit = Kit::start();
    let folder = kit.folder.path();
    let (data, backups, copy) = (folder.join("data"), folder.join("backups"), folder.join("copy"));
    let run =
        |words: &[&str], data: &std::path::Path| ran(bare().args(words).arg("--data").arg(data).arg("--json"), "");
    let written = run(&["backup", "--to", backups.to_str().expect("text")], &data);
    assert_eq!((written.code, written.err.as_str()), (0, ""), "no bar where there is no terminal: {written:?}");
    let written: Value = serde_json::from_str(&written.out).expect("JSON");
    assert_eq!(written["namespaces"][0]["name"], "main");
    let backup = written["folder"].as_str().expect("a folder");
    assert_eq!(run(&["check", "--backup", backup], &data).code, 0);
    let busy = run(&["check"], &data);
    assert!(
        busy.code == 2
            && told(&busy)["error"]["message"].as_str().is_some_and(|text| text.contains("a server is using"))
    );
    let restored = run(&["restore", "--from", backup], &copy);
    assert_eq!((restored.code, restored.err.as_str()), (0, ""), "{restored:?}");
    let restored: Value = serde_json::from_str(&restored.out).expect("JSON");
    assert_eq!((&restored["backup"], &restored["aside"]), (&written["backup"], &serde_json::json!([])));
    let full = run(&["restore", "--from", backup], &copy);
    assert!(full.code == 1 && told(&full)["error"]["message"].as_str().is_some_and(|text| text.contains("--replace")));
    let held = run(&["admin", "reset-password"], &data);
    assert_eq!((held.code, told(&held)["error"]["exit"].as_u64()), (1, Some(1)), "a server runs on it: {held:?}");
    let reset = run(&["admin", "reset-password"], &copy);
    assert_eq!(reset.code, 0, "{reset:?}");
    let reset: Value = serde_json::from_str(&reset.out).expect("JSON");
    assert!(reset["account"] == "admin" && reset["password"].as_str().is_some_and(|password| password.len() > 15));
    let nothing = run(&["backup", "--to", backups.to_str().expect("text")], &folder.join("nothing"));
    assert_eq!(nothing.code, 1, "{nothing:?}");
}

#[test]
fn ker_36_a_second_server_on_the_data_is_1_and_names_the_first() {
    let kit = Kit::start();
    let data = kit.folder.path().join("data");
    let second = ran(bare().args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data), "");
    assert_eq!(second.code, 1, "{second:?}");
    assert!(second.err.contains(&format!("{}", kit.server.pid())), "{second:?}");
}

#[test]
fn ker_36_the_configuration_is_shown_to_programs_without_its_secrets() {
    let secret = "postgres://u:hidden-word@127.0.0.1/x";
    let shown = ran(bare().args(["config", "show", "--json"]).env("FASTNESS_STORE__URL", secret), "");
    assert!(shown.code == 0 && !shown.out.contains("hidden-word"), "{shown:?}");
    let keys: Value = serde_json::from_str(&shown.out).expect("JSON");
    let key =
        |name: &str| keys.as_array().expect("a list").iter().find(|key| key["key"] == name).expect("the key").clone();
    assert_eq!((&key("store.url")["hidden"], &key("store.url")["value"]), (&true.into(), &Value::Null));
    assert_eq!(key("store.url")["source"], "environment FASTNESS_STORE__URL");
    assert_eq!(key("server.listen")["source"], "default");
}

#[test]
fn ker_36_whoever_stops_reading_is_no_failure() {
    let mut command = bare();
    command.args(["config", "reference"]).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the program");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("an end");
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended:?}");
}
