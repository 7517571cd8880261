//! Administration: namespaces, accounts, keys, alerts, journal, counters.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use expect_test::expect;
use serde_json::json;

use crate::kit::{Kit, plain};

#[test]
fn ker_2_namespaces_live_and_end() {
    let kit = Kit::start();
    assert_eq!(
        kit.run_words(&["admin", "namespace", "create", "shop", "--label", "the shop"], "").out,
        "namespace shop is open\n"
    );
    expect![[r#"
        NAME  STATE  ENGINE  STORE  CREATED  LABEL  MESSAGE
        main  open  sqlite  Good  AGO
        shop  open  sqlite  Good  AGO  the shop
        z  open  sqlite  Good  AGO  administrators
    "#]]
    .assert_eq(&kit.table("admin namespace list"));
    assert_eq!(kit.out("admin namespace list -q"), "main\nshop\nz\n");
    let closed = kit.out("admin namespace change shop --state read-only --message moving --reopens-at 2030-01-01");
    assert_eq!(closed, "namespace shop is read-only\n");
    let shown = kit.table("admin namespace show shop");
    assert!(shown.contains("message  moving\nreopens  AT AT UTC\n"), "{shown}");
    assert_eq!(kit.json("admin namespace show shop")["state"], "read-only");
    assert_eq!(kit.out("admin grant give shop main Contact"), "main may read documents of class Contact of shop\n");
    assert_eq!(kit.table("admin grant list shop"), "READER  CLASS  GRANTED\nmain  Contact  AGO\n");
    assert_eq!(kit.json("admin grant take shop main Contact --yes"), json!({}));
    assert!(
        kit.out("admin namespace delete shop --yes")
            .starts_with("namespace shop is removed; its data is kept as removed-shop-")
    );
    assert_eq!(kit.run("admin namespace change main").code, 2);
}

#[test]
fn ker_2_resources_are_put_listed_and_removed() {
    let kit = Kit::start();
    let put = ["admin", "resource", "put", "main", "a/hello.txt", "-", "--type", "text/plain"];
    assert_eq!(kit.run_words(&put, "hello").out, "resource a/hello.txt of main is put\n");
    assert_eq!(
        kit.table("admin resource list main"),
        "PATH  TYPE  BYTES  CHANGED\na/hello.txt  text/plain; charset=utf-8  5  AGO\n"
    );
    assert_eq!(kit.json("admin resource delete main a/hello.txt --yes"), json!({}));
    assert_eq!(kit.run("admin resource list main").err, "no resources\n");
}

#[test]
fn con_2_the_overview_is_one_table() {
    let kit = Kit::start();
    let table = kit.table("admin overview show --namespace z");
    assert!(table.starts_with("NAMESPACE  STORE  DUE  RUNNING  PARKED  OLDEST  ALERTS  STUCK  BLOBS"), "{table}");
    assert!(table.contains("\nmain  Good  ") && table.contains("\nz  Good  "), "{table}");
    assert_eq!(kit.json("admin overview show")["items"][0]["namespace"], "main");
}

#[test]
fn ker_32_accounts_are_made_changed_and_deleted() {
    let kit = Kit::start();
    let made = kit.out("admin account create anna --role operator");
    assert!(made.starts_with("account anna is created; its one-time password, shown this once: "), "{made}");
    expect![[r#"
        NAME  ROLE  CREATED  BLOCKED  MUST CHANGE PASSWORD
        anna  operator  AGO  yes
    "#]]
    .assert_eq(&kit.table("admin account list"));
    assert_eq!(kit.json("admin account change anna --block")["role"], "operator");
    assert!(kit.json("admin account show anna")["blocked_at"].is_string());
    assert_eq!(kit.out("admin account change anna --unblock --role reader"), "account anna is changed\n");
    assert_eq!(kit.out("admin account change anna --new-password -q").trim().split('-').count(), 4);
    assert_eq!(kit.out("admin account delete anna --yes"), "account anna is deleted\n");
    let gone = kit.run("admin account change anna --block");
    let told =
        "error: no account `anna` (NPERSON)\n  hint: looked for in namespace `main`; another one: --namespace NAME\n";
    assert_eq!((gone.code, gone.err.as_str()), (3, told));
    let key = kit.run("admin key revoke 01KA2B3C4D5E6F7G8H9JKMNPQR --yes --namespace z");
    assert!(key.code == 3 && key.err.contains("(NKEY)\n  hint: looked for in namespace `z`; "), "{key:?}");
}

#[test]
fn ker_32_keys_are_made_rotated_relabelled_and_revoked() {
    let kit = Kit::start();
    let words = ["admin", "key", "create", "--role", "reader", "--label", "till 7", "--json"];
    let made: serde_json::Value = serde_json::from_str(&kit.run_words(&words, "").out).expect("JSON");
    let (id, key) = (made["id"].as_str().expect("id"), made["key"].as_str().expect("key"));
    let with = |key: &str, words: &str| {
        let path = kit.file("key", key);
        let mut command = kit.command();
        command.env_remove("FASTNESS_KEY").args(words.split(' ')).arg("--key-file").arg(path);
        crate::kit::ran(&mut command, "")
    };
    assert_eq!(with(key, "admin session whoami -q").out.trim(), id);
    let refused = with(key, "tasks queue suspend all");
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("(SROLE)\n  hint: `fastness admin session whoami`"), "{refused:?}");
    let rotated = kit.out(&format!("admin key rotate {id} --overlap-s 0 -q"));
    assert_eq!((with(key, "admin session whoami").code, with(&rotated, "admin session whoami").code), (3, 0));
    let change = |label: &str| kit.run_words(&["admin", "key", "change", id, "--label", label], "").out;
    assert_eq!(["Anna", ""].map(|label| plain(&change(label))), ["key ID is changed\n"; 2]);
    assert_eq!(kit.json("admin key list")["items"][0]["label"], "");
    assert_eq!(plain(&kit.out(&format!("admin key revoke {id} --yes"))), "key ID is revoked\n");
    change("till 8");
    expect![[r#"
        ID  ROLE  STATE  CREATED  LABEL  SCOPE
        ID  reader  revoked  AGO  till 8
    "#]]
    .assert_eq(&kit.table("admin key list"));
    assert!(kit.out("admin secret show").starts_with("whsec_"));
}

#[test]
fn ker_27_alerts_and_their_channels() {
    let kit = Kit::start();
    assert_eq!(kit.run("admin alert list --state open").err, "no alerts\n");
    let refused = kit.run("admin alert acknowledge 01KA2B3C4D5E6F7G8H9JKMNPQR");
    assert_eq!((refused.code, refused.err.as_str()), (3, "error: no alert 01KA2B3C4D5E6F7G8H9JKMNPQR (NALERT)\n"));
    assert_eq!(kit.out("admin channel set --mail ops@example.org,b@example.org"), "alerts go by 1 channel\n");
    assert_eq!(
        kit.table("admin channel list"),
        "KIND  CHANNEL  SIGNED\nmail  mail to ops@example.org, b@example.org\n"
    );
    assert_eq!(kit.json("admin channel list")["own"], true);
    assert_eq!(kit.out("admin channel set --none"), "alerts go by the channels of the server\n");
    let file = kit.file("channels.json", r#"[{"kind": "webhook", "url": "https://sms.example/send"}]"#);
    assert_eq!(kit.json(&format!("admin channel set --file {}", file.display())), json!({}));
    assert_eq!(kit.run("admin channel set").code, 2);
    assert_eq!(kit.run("admin message list").err, "no messages\n");
}

#[test]
fn ker_29_counters_and_who_i_am() {
    let kit = Kit::start();
    let table = kit.table("admin counter list --kind operation");
    assert!(table.starts_with("KIND  NAME  SENT  PROCESSED  ERRORS  DEADLOCKS  RETRIES  LAST SEEN\n"), "{table}");
    assert_eq!(kit.json("admin counter list --kind none")["items"], json!([]));
    assert_eq!(kit.table("admin session whoami"), "caller  ID\nrole  admin\n");
}

#[test]
fn ker_28_the_journal_is_searched_and_followed() {
    let kit = Kit::start();
    kit.out("tasks queue suspend 1");
    expect![[r#"
        AT  KIND  SUBJECT  BY  TEXT
        AT AT  queue.suspended  1  ID
    "#]]
    .assert_eq(&kit.table("admin journal list --kind queue. --from -1h"));
    assert_eq!(kit.json("admin journal list --q nobody-wrote-this")["items"], json!([]));

    let mut command = kit.command();
    command.args(["admin", "journal", "list", "--follow", "--kind", "queue.", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).expect("JSON") };
    assert_eq!(next()["kind"], "queue.suspended", "what is there");
    kit.out("tasks queue resume 1");
    assert_eq!(next()["kind"], "queue.resumed", "what comes, and nothing twice");
    child.kill().expect("an end");
    child.wait().expect("an end");
}
