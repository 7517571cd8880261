//! What a person does on one machine: bring a directory here, look without a server, change and end a link.

use std::fs;

use crate::kit::Kit;

#[test]
fn fld_22_pull_and_once_end_when_everything_is_here() {
    let kit = Kit::start();
    let [laptop, desk] = [kit.device("laptop"), kit.device("desk")];
    let id = laptop.out(&["create", "Plans", "-q"]);
    laptop.write("a/b/c.txt", "deep");
    laptop.write("odd \u{1b}[31m\nname", "odd");
    assert_eq!(
        laptop.alone(&["link", id.trim(), laptop.root_text()]).code,
        2,
        "the server is asked, which needs a key"
    );
    laptop.out(&["link", id.trim(), laptop.root_text()]);
    let ran = laptop.alone(&["run", laptop.root_text(), "--once"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("sent a/b/c.txt (content)"), "{ran:?}");
    assert!(ran.out.ends_with("everything is in step: 4 files\n"), "{ran:?}");
    assert!(ran.out.contains("odd \\u{1b}[31m\\nname") && !ran.out.contains('\u{1b}'), "{ran:?}");
    let ran = desk.run(&["pull", "Plans", desk.root_text(), "-q"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    assert_eq!(desk.text("a/b/c.txt").as_deref(), Some("deep"));
    assert_eq!(desk.run(&["pull", "Plans", desk.root_text()]).code, 0, "again: nothing is to be done");
    assert_eq!(desk.run(&["pull", "None", desk.root_text()]).code, 2);
    let nested = desk.run(&["link", "Plans", &desk.path("a")]);
    assert_eq!(nested.code, 2, "{nested:?}");
    let text = desk.alone(&["why", &desk.path("odd \u{1b}[31m\nname")]).out;
    assert!(text.contains("odd \\u{1b}[31m\\nname") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn fld_22_what_is_about_this_machine_needs_no_server() {
    let kit = Kit::start();
    let laptop = kit.device("laptop");
    laptop.out(&["create", "Plans", laptop.root_text(), "--device", "laptop"]);
    laptop.write("a.txt", "a");
    assert_eq!(laptop.alone(&["run", "--once", "-q"]).code, 0);
    let rekeyed = laptop.run(&["config", laptop.root_text(), "--rekey", "--json"]);
    assert_eq!(rekeyed.code, 0, "{rekeyed:?}");
    assert!(!rekeyed.out.contains(kill::server::KEY), "{rekeyed:?}");
    kit.server.kill().unwrap();
    laptop.write("b.txt", "b");
    let status = laptop.json(&["status"])["items"][0].clone();
    assert_eq!((&status["state"], &status["files"]), (&"not running".into(), &1.into()), "{status}");
    assert_eq!(laptop.json(&["why", &laptop.path("b.txt")])["standing"], "new");
    assert_eq!(laptop.conflicts().len(), 0);
    assert_eq!(laptop.alone(&["ignore", "build/", "--path", laptop.root_text()]).code, 0);
    assert_eq!(laptop.json(&["ignore", "--list", "--path", laptop.root_text()])["items"][0]["pattern"], "build/");
    let changed = laptop.json(&["config", laptop.root_text(), "--rescan", "60", "--links", "off"]);
    assert_eq!((&changed["rescan_s"], &changed["links"]), (&60.into(), &false.into()));
    assert_eq!(laptop.alone(&["confirm", laptop.root_text()]).code, 1, "nobody holds anything");
    let history = laptop.alone(&["history", &laptop.path("a.txt"), "--json", "--timeout", "1"]);
    assert_eq!(history.code, 4, "{history:?}");
    assert!(history.out.contains("\"backups\""), "what is here is shown: {history:?}");
    let unreached = laptop.alone(&["run", "--once", "--timeout", "1"]);
    assert_eq!(unreached.code, 4, "{unreached:?}");
    assert!(unreached.err.contains("nothing listens at http://127.0.0.1:"), "as other commands say it: {unreached:?}");
    assert!(laptop.alone(&["service"]).out.contains(" folders run\n"));
    assert_eq!(laptop.alone(&["unlink", laptop.root_text()]).code, 2, "nobody can be asked");
    assert_eq!(laptop.alone(&["unlink", laptop.root_text(), "--yes"]).code, 0);
    assert_eq!(laptop.json(&["status"])["items"].as_array().unwrap().len(), 0);
    assert_eq!(fs::read_to_string(laptop.root.join("a.txt")).unwrap(), "a", "files stay");
    assert_eq!(laptop.alone(&["why", &laptop.path("a.txt")]).code, 2);
}

#[test]
fn fld_22_a_running_daemon_takes_up_new_links_and_lets_go_of_old_ones() {
    let kit = Kit::start();
    let [mut laptop, desk] = [kit.device("laptop"), kit.device("desk")];
    fs::create_dir_all(laptop.root.parent().unwrap()).unwrap();
    laptop.run_daemon();
    laptop.out(&["create", "Plans", laptop.root_text()]);
    laptop.write("a.txt", "a");
    let state = || laptop.json(&["status"])["items"][0]["state"].clone();
    laptop.wait_until("it is kept", || state() == "connected");
    let busy = laptop.alone(&["run", laptop.root_text(), "--once"]);
    assert_eq!(busy.code, 1, "{busy:?}");
    assert!(busy.err.contains("another daemon"), "{busy:?}");
    laptop.wait_until("it is sent", || laptop.json(&["why", &laptop.path("a.txt")])["standing"] == "in step");
    desk.out(&["pull", "Plans", desk.root_text()]);
    assert_eq!(desk.text("a.txt").as_deref(), Some("a"));
    assert_eq!(laptop.alone(&["unlink", laptop.root_text(), "--yes"]).code, 0);
    assert_eq!(laptop.alone(&["why", &laptop.path("a.txt")]).code, 2);
    laptop.stop_daemon();
}

#[test]
fn fld_22_a_key_that_is_refused_is_told_at_once() {
    let kit = Kit::start();
    let laptop = kit.device("laptop");
    laptop.out(&["create", "Plans", laptop.root_text()]);
    let file = kit.folder.path().join("key");
    fs::write(&file, "no-such-key").unwrap();
    let url = format!("http://{}", kit.server.address);
    let words = ["config", laptop.root_text(), "--rekey", "--server", &url, "--key-file", file.to_str().unwrap()];
    assert_eq!(laptop.alone(&words).code, 0);
    let refused = laptop.alone(&["run", "--once"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(!format!("{refused:?}").contains("no-such-key"));
    let told = "the server does not know the key of this folder (any more): `fastness folders config PATH --rekey`";
    assert!(refused.err.contains(told), "what a person can do: {refused:?}");
}
