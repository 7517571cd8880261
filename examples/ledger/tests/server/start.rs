//! Starting, stopping, and what a newcomer sees (KER-35, KER-36, KER-39, KER-42).

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use kill::client::{Answer, Client};
use kill::server::{KEY, Server};
use serde_json::json;

use crate::{launch, program};

fn command(data: &Path) -> Command {
    launch(data).command()
}

fn start(data: &Path) -> Server {
    launch(data).start().expect("a server")
}

fn start_as(command: Command, data: &Path) -> Server {
    launch(data).start_as(command).expect("a server")
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the program runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn with_data(test: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    test(&folder.path().join("data"));
}

/// Without the key of automation.
fn plain(data: &Path) -> Command {
    let mut command = command(data);
    command.env_remove("FASTNESS_ADMIN_KEY");
    command
}

/// The password that a first start shows.
fn password(server: &Server) -> Option<String> {
    let line = server.greeting.lines().find_map(|line| line.trim().strip_prefix("password "));
    line.map(|password| password.trim().to_owned())
}

fn login(server: &Server, password: &str) -> Answer {
    let body = json!({ "account": "admin", "password": password });
    Client::new(server.address, "").post("/v1/z/sessions", &body, "").expect("an answer")
}

#[test]
fn ker_35_the_first_start_shows_url_and_password_once_and_the_password_works() {
    with_data(|data| {
        let server = start_as(plain(data), data);
        let password = password(&server).expect("a password");
        assert_eq!(login(&server, "another password").code(), "SLOGIN");
        let session = login(&server, &password);
        assert_eq!((session.status, &session.body["role"]), (201, &json!("admin")));
        let mut person = Client::with_session(server.address, &session);
        assert_eq!(person.get("/v1/z/keys").expect("an answer").body["items"], json!([]), "nobody asked for a key");
        let made = person.post("/v1/z/keys", &json!({ "role": "admin" }), "").expect("an answer");
        let key = made.body["key"].as_str().expect("a key").to_owned();
        assert_eq!(Client::new(server.address, &key).get("/v1/main/keys").expect("an answer").status, 200);
        server.end("TERM").expect("an end");
        let server = start_as(plain(data), data);
        assert!(!server.greeting.contains("password"), "{}", server.greeting);
        assert_eq!(login(&server, &password).status, 201);
        let mut person = Client::with_session(server.address, &session);
        assert_eq!(person.get("/v1/main/sessions").expect("an answer").status, 200, "sessions outlive a restart");
    });
}

#[test]
fn ker_35_a_first_start_that_finds_its_port_taken_does_not_use_up_the_password() {
    with_data(|data| {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = taken.local_addr().expect("an address").to_string();
        let mut command = Command::new(program());
        let refused = output(command.args(["serve", "--listen", &address, "--data"]).arg(data));
        assert_eq!(refused.status.code(), Some(1));
        assert!(password(&start_as(plain(data), data)).is_some());
    });
}

#[test]
fn ker_33_reset_password_works_on_the_machine_while_the_server_is_stopped() {
    let reset = |data: &Path, more: &[&str]| {
        output(Command::new(program()).args(["admin", "reset-password", "--data"]).arg(data).args(more))
    };
    with_data(|data| {
        let missing = reset(data, &[]);
        assert_eq!(missing.status.code(), Some(1));
        assert!(errors(&missing).contains("no data directory") && !data.exists(), "{}", errors(&missing));
        let server = start_as(plain(data), data);
        let (old, session) = (password(&server).expect("a password"), login(&server, &password(&server).expect("one")));
        let running = reset(data, &[]);
        assert_eq!(running.status.code(), Some(1));
        assert!(errors(&running).contains("stop it first"), "{}", errors(&running));
        server.end("TERM").expect("an end");
        let done = reset(data, &[]);
        let printed = String::from_utf8_lossy(&done.stdout).into_owned();
        let new =
            printed.lines().map(str::trim).find(|line| line.len() == 23 && line.contains('-')).expect("a password");
        assert!(errors(&reset(data, &["--account", "nobody"])).contains("no account `nobody`"));
        let server = start_as(plain(data), data);
        assert_eq!((login(&server, &old).code(), login(&server, new).status), ("SLOGIN", 201));
        let mut person = Client::with_session(server.address, &session);
        assert_eq!(person.get("/v1/main/sessions").expect("an answer").status, 401, "its sessions ended");
    });
}

#[test]
fn ker_32_the_administrators_key_of_the_environment_works_from_the_first_start_on() {
    with_data(|data| {
        let server = start(data);
        assert!(!server.greeting.contains(KEY), "a given key is not printed");
        let late = "FASTNESS_ADMIN_KEY counts at the first start only, and changed nothing";
        assert!(!launch(data).log().contains(late), "it was not late");
        assert_eq!(server.client().get("/v1/main/keys").expect("an answer").status, 200);
        assert_eq!(
            Client::new(server.address, "another-key-of-some-length").get("/v1/main/keys").expect("an answer").status,
            401
        );
        server.end("TERM").expect("an end");
        let mut other = command(data);
        other.env("FASTNESS_ADMIN_KEY", "a-later-key-is-not-added");
        let server = start_as(other, data);
        let log = launch(data).log();
        assert!(log.contains(late) && !log.contains("a-later-key-is-not-added"), "{log}");
        assert_eq!(
            Client::new(server.address, "a-later-key-is-not-added").get("/v1/main/keys").expect("an answer").status,
            401
        );
        assert_eq!(server.client().get("/v1/main/keys").expect("an answer").status, 200);
    });
}

#[test]
fn ker_32_a_short_administrators_key_is_refused() {
    with_data(|data| {
        let refused = output(command(data).env("FASTNESS_ADMIN_KEY", "short"));
        assert_eq!(refused.status.code(), Some(1));
        assert!(errors(&refused).contains("FASTNESS_ADMIN_KEY is shorter than 16"), "{}", errors(&refused));
        let refused = output(command(data).env("FASTNESS_ADMIN_KEY", "a key with spaces in it"));
        assert!(errors(&refused).contains("cannot carry"), "{}", errors(&refused));
    });
}

#[test]
fn ker_35_sigterm_and_ctrl_c_stop_within_ten_seconds_with_nothing_lost() {
    with_data(|data| {
        for (round, signal) in ["TERM", "INT"].into_iter().enumerate() {
            let server = start(data);
            let body = json!({ "account": "a", "amount": 1 });
            let answer = server.client().post("/v1/main/ledger/entries", &body, "").expect("an answer");
            assert_eq!(answer.body["balance"], round + 1);
            let (status, took) = server.end(signal).expect("an end");
            assert!(status.success() && took < Duration::from_secs(10), "{signal}: {status} after {took:?}");
        }
    });
}

#[test]
fn ker_42_a_second_server_on_the_same_data_refuses_at_once_and_leaves_the_first_alone() {
    with_data(|data| {
        let server = start(data);
        let second = output(&mut command(data));
        assert_eq!(second.status.code(), Some(1));
        assert!(errors(&second).contains("data"), "{}", errors(&second));
        assert_eq!(server.client().get("/readyz").expect("an answer").status, 200);
        server.kill().expect("a running server");
        start(data);
    });
}

#[test]
fn ker_36_a_wrong_key_is_named_with_its_nearest_and_nothing_is_started() {
    with_data(|data| {
        let refused = output(command(data).env("FASTNESS_SERVER__LISTN", "127.0.0.1:1"));
        assert_eq!(refused.status.code(), Some(2));
        assert!(errors(&refused).contains("FASTNESS_SERVER__LISTEN"), "{}", errors(&refused));
        assert!(!data.exists());
    });
}

#[test]
fn ker_36_config_check_show_reference_and_example_work() {
    let run = |words: &[&str]| output(Command::new(program()).arg("config").args(words));
    assert!(run(&["check"]).status.success());
    let shown = run(&["show", "--listen", "127.0.0.1:9"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("127.0.0.1:9"));
    assert!(String::from_utf8_lossy(&run(&["reference"]).stdout).contains("server.listen"));
    assert!(String::from_utf8_lossy(&run(&["example"]).stdout).contains("[server]"));
    let missing = run(&["check", "--config", "no-such-file.toml"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(errors(&missing).contains("no-such-file.toml"));
}

#[test]
fn a_port_that_is_taken_is_named() {
    with_data(|data| {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = taken.local_addr().expect("an address").to_string();
        let mut command = Command::new(program());
        let refused =
            output(command.args(["serve", "--listen", &address, "--data"]).arg(data).env("FASTNESS_ADMIN_KEY", KEY));
        assert_eq!(refused.status.code(), Some(1));
        assert!(errors(&refused).contains(&format!("{address} is taken by ")), "{}", errors(&refused));
    });
}

fn make_newer(data: &Path, name: &str) {
    let store = rusqlite::Connection::open(data.join("namespaces").join(name).join("store.db")).expect("the store");
    store.execute("INSERT INTO schema_step VALUES ('kernel', 999, 0)", []).expect("a newer step");
}

/// One that comes from a newer server, say: its store is refused, and nothing else.
#[test]
fn ker_39_ker_2_a_namespace_with_a_newer_schema_is_refused_alone() {
    with_data(|data| {
        start(data).end("TERM").expect("an end");
        make_newer(data, "main");
        let server = start(data);
        let refused = server.client().get("/v1/main/keys").expect("an answer");
        assert_eq!((refused.status, refused.code()), (503, "XSTORE"), "{refused:?}");
        let shown = server.client().get("/v1/z/namespaces/main").expect("an answer").body;
        assert!(shown["fault"].as_str().expect("a reason").contains("newer than this program"), "{shown}");
        assert!(server.log().contains("newer than this program"));
        assert_eq!(server.client().get("/readyz").expect("an answer").status, 503, "`main` is what most people use");
    });
}

/// The administrators' store is the first that a newer program changes, so that it tells for all.
#[test]
fn ker_39_an_older_program_refuses_a_newer_schema() {
    with_data(|data| {
        start(data).end("TERM").expect("an end");
        make_newer(data, "z");
        let refused = output(&mut command(data));
        assert_eq!(refused.status.code(), Some(1));
        assert!(errors(&refused).contains("newer than this program"), "{}", errors(&refused));
    });
}
