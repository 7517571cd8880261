//! Exit codes and JSON of commands on the server's own files (KER-36, KER-37).

use serde_json::Value;

use kill::server::{Launch, send_signal};

use crate::kit::{Kit, Ran, bare, program, ran};

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
    assert!(second.err.contains("what to do: ") && second.err.contains("--data DIR"), "{second:?}");
}

#[test]
fn ker_42_whoever_follows_a_server_that_was_just_killed_waits_for_its_data_and_its_port() {
    let Kit { server, folder } = Kit::start();
    let (address, data) = (server.address, folder.path().join("data"));
    let mut command = bare();
    command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(&data).stdout(std::process::Stdio::piped());
    // Nobody waits for its end in between. Often the system is quicker all the same: the wait itself is tried in `heir`.
    send_signal(&[server.pid()], "KILL").expect("a signal");
    let next = Launch::new(program(), &data).start_as(command).expect("a server");
    assert_eq!(next.address, address);
}

#[test]
fn ker_36_a_taken_port_is_1_and_names_its_holder_and_another_port() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let data = folder.path().join("data");
    let refused = ran(bare().args(["serve", "--listen", &address.to_string(), "--data"]).arg(&data), "");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains(&format!("{address} is taken by ")), "{refused:?}");
    assert!(refused.err.contains(&format!("(pid {})", std::process::id())), "{refused:?}");
    assert!(
        refused.err.contains("what to do: stop that, or listen on another port: `--listen 127.0.0.1:"),
        "{refused:?}"
    );
    assert!(refused.err.contains("server.listen"), "{refused:?}");
}

#[test]
fn ker_36_data_that_is_no_directory_is_1_and_what_to_do_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "mine").expect("a file");
    for data in [file.clone(), file.join("below")] {
        let refused = ran(bare().args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data), "");
        assert!(refused.code == 1 && refused.err.contains("is not a directory"), "{refused:?}");
        assert!(
            refused.err.contains("what to do: move the file away") && refused.err.contains("--data DIR"),
            "{refused:?}"
        );
    }
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "mine");
}

#[test]
fn ker_36_a_configuration_that_cannot_be_read_is_2_and_what_to_do_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let (missing, bytes) = (folder.path().join("none.toml"), folder.path().join("bytes.toml"));
    std::fs::write(&bytes, [0xff, 0xfe]).expect("a file");
    for (path, what, mend) in [
        (missing.as_path(), "there is no configuration file", "fastness config example >"),
        (folder.path(), "is a directory", "name the file in it"),
        (bytes.as_path(), "is not text in UTF-8", "name a TOML file"),
    ] {
        let refused = ran(bare().args(["serve", "--config"]).arg(path).current_dir(folder.path()), "");
        assert!(refused.code == 2 && refused.err.contains(what) && refused.err.contains(mend), "{refused:?}");
        let refused = ran(bare().args(["config", "check", "--json", "--config"]).arg(path), "");
        let error = &told(&refused)["error"];
        assert!(error["message"].as_str().is_some_and(|text| text.contains(what)), "{error}");
        assert!(error["detail"][0].as_str().is_some_and(|text| text.starts_with("what to do: ")), "{error}");
    }
    assert!(!folder.path().join("fastness-data").exists(), "nothing was made");
}

#[test]
fn ker_36_a_word_that_is_none_is_2_and_the_one_that_was_meant_is_said() {
    for (words, meant) in [
        ("serv", "'serve'"),
        ("start", "'fastness serve'"),
        ("admin users", "'fastness admin account'"),
        ("tasks list", "'fastness tasks task list'"),
        ("task list", "'fastness tasks task'"),
        ("tasks task lst", "'list'"),
        ("tasks task list --stat parked", "'--state'"),
        ("tasks task list --state park", "'parked'"),
        ("serve --liste x", "'--listen'"),
        ("serve --port 80", "'--listen'"),
        ("login --user anna", "'--account'"),
    ] {
        let wrong = ran(bare().args(words.split(' ')), "");
        assert!(wrong.code == 2 && wrong.err.contains(meant), "{words}: {wrong:?}");
        let wrong = ran(bare().args(words.split(' ')).arg("--json"), "");
        assert!(wrong.code == 2 && wrong.err.contains(meant), "{words}: {wrong:?}");
    }
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
