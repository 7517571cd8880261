//! What the exit code tells when it does not go well (CON-10).

use std::io::Read;
use std::net::TcpListener;

use kill::server::{KEY, Launch};
use serde_json::Value;

use crate::kit::{Kit, Ran, bare, program, ran};

fn at(server: &str, words: &str) -> Ran {
    ran(
        bare().env("FASTNESS_SERVER", server).env("FASTNESS_KEY", "a-key-for-nobody").args(words.split_whitespace()),
        "",
    )
}

#[test]
fn ker_36_wrong_use_is_2_and_names_the_nearest() {
    for (words, tip) in [
        ("taks", "'tasks'"),
        ("tasks tsk list", "'task'"),
        ("tasks task lst", "'list'"),
        ("tasks task list --stat parked", "'--state'"),
        ("tasks task list --state odd", "[possible values: waiting, behind, running, parked]"),
        ("tasks task move 01 --start-at tomorrow", "a moment is"),
        ("documents document put C a --item Card", "an item is"),
        ("tasks task delete 01", "needs --yes"),
        ("admin namespace delete shop", "needs --yes"),
        ("tasks queue suspend some", "a number or `all`"),
        ("admin key create --role actr", "'actor'"),
        ("admin account change anna --role app", "[possible values: admin, operator, reader]"),
        ("status --server h:1", "`h:1` is no address of a server: write https://h:1"),
        ("login --server h:1", "`h:1` is no address of a server: write https://h:1"),
        ("tasks task list --server h:1", "`h:1` is no address of a server: write https://h:1"),
    ] {
        let wrong = at("http://127.0.0.1:9", words);
        assert_eq!(wrong.code, 2, "{words}: {wrong:?}");
        assert!(wrong.err.starts_with("error: ") && wrong.err.contains(tip), "{words}: {}", wrong.err);
        assert_eq!(wrong.out, "");
    }
    assert_eq!(at("nowhere", "tasks task list").code, 2);
    let json = at("http://127.0.0.1:9", "tasks task lst --json");
    let json: Value = serde_json::from_str(&json.err).expect("JSON");
    assert_eq!(json["error"]["exit"], 2);
}

#[test]
fn ker_36_no_server_is_4_and_says_so_in_json_too() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let free = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    for words in ["tasks task list", "tasks task run 01 --timeout 1", "status --timeout 1"] {
        let down = at(&free, words);
        assert_eq!(down.code, 4, "{words}: {down:?}");
        let told = format!("error: no server: nothing listens at {free} (connection refused)\n  hint: is it running?");
        assert!(down.err.starts_with(&told), "{down:?}");
        assert!(down.err.contains("`fastness serve`") && down.err.contains("--server URL"), "{down:?}");
    }
    // Not after somebody typed a password.
    let login = at(&free, "login --timeout 1");
    assert!(login.code == 4 && !login.err.contains("assword"), "{login:?}");
    let down = at(&free, "tasks task run 01 --json --timeout 1");
    let told: Value = serde_json::from_str(&down.err).expect("JSON");
    assert_eq!((down.code, &told["error"]["exit"], &told["error"]["code"]), (4, &4.into(), &Value::Null));
}

#[test]
fn ker_10_a_change_without_an_answer_is_5_and_a_read_is_4() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mute = format!("http://{}", listener.local_addr().expect("an address"));
    // Takes every request and answers none.
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let _ = (&stream).read(&mut [0; 65536]);
        }
    });
    let change = at(&mute, "tasks task run 01 --timeout 2");
    assert_eq!(change.code, 5, "{change:?}");
    assert!(change.err.contains("repeat it safely with --idempotency-key "), "{change:?}");
    assert_eq!(at(&mute, "tasks task show 01 --timeout 2").code, 4);
}

#[test]
fn ker_9_refusals_are_3_with_their_code() {
    let kit = Kit::start();
    let wrong_key = at(&kit.url(), "tasks task list");
    assert_eq!(wrong_key.code, 3);
    assert!(wrong_key.err.contains("(SKEY)\n  hint: shown was the key in FASTNESS_KEY; "), "{wrong_key:?}");
    let file = kit.file("a.key", "a-key-for-nobody");
    let wrong_key = at(&kit.url(), &format!("tasks task list --key-file {}", file.display()));
    let told =
        format!("  hint: shown was the key in {}; {} does not know it in namespace `main`", file.display(), kit.url());
    assert!(wrong_key.err.contains(&told), "{wrong_key:?}");
    for (words, code) in [
        ("tasks task show 01KA2B3C4D5E6F7G8H9JKMNPQR", "(NTASK)"),
        ("tasks task list --namespace nowhere", "(NNAMESPACE)"),
        ("admin account create Anna --role reader", "(ABODY)"),
        ("documents document get Nothing x", "(NCLASS)"),
        ("documents operation run no.such", "(NOPERATION)"),
    ] {
        let refused = kit.run(words);
        assert_eq!(refused.code, 3, "{words}: {refused:?}");
        assert!(refused.err.contains(code), "{words}: {}", refused.err);
    }
    let json = kit.run("tasks task show 01KA2B3C4D5E6F7G8H9JKMNPQR --json");
    let told: Value = serde_json::from_str(&json.err).expect("JSON");
    assert_eq!((json.code, &told["error"]["code"]), (3, &"NTASK".into()));
}

#[test]
fn ker_10_a_change_rides_over_a_restart_and_is_done_once() {
    let Kit { server, folder } = Kit::start();
    let (address, data) = (server.address, folder.path().join("data"));
    server.kill().expect("an end");
    let words = "tasks task create x.y --target http://127.0.0.1:9/x --start-at 2030-01-01 --timeout 60 -q";
    let url = format!("http://{address}");
    let made = std::thread::spawn(move || {
        ran(bare().env("FASTNESS_SERVER", url).env("FASTNESS_KEY", KEY).args(words.split(' ')), "")
    });
    let mut command = bare();
    command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(&data).stdout(std::process::Stdio::piped());
    let server = Launch::new(program(), &data).start_as(command).expect("a server");
    let made = made.join().expect("an end");
    assert_eq!(made.code, 0, "{made:?}");
    let kit = Kit { server, folder };
    assert_eq!(kit.out("tasks task list --op x.y -q"), made.out);
}

#[test]
fn ker_30_status_needs_no_key() {
    let kit = Kit::start();
    let status = ran(bare().args(["status", "--server", &kit.url()]), "");
    assert_eq!(status.code, 0, "{status:?}");
    assert!(status.out.starts_with(&format!("{} is ready\n\nNAMESPACE", kit.url())), "{}", status.out);
    assert_eq!(kit.json("status")["ready"], true);
    let bare = ran(bare().args(["status", "--server", &kit.server.address.to_string()]), "");
    assert_eq!(bare.out, status.out, "an address of this machine needs no scheme");
}
