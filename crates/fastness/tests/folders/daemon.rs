//! Two daemons on two folders, as processes: what one does the other has.

use std::fs;
use std::process::Command;

use crate::kit::{Device, Kit};

#[test]
fn fld_22_two_folders_are_kept_in_step_by_their_daemons() {
    let kit = Kit::start();
    let [laptop, desk] = kit.pair();
    laptop.write("budget.txt", "first");
    desk.wait_for("budget.txt", "first");
    desk.write("budget.txt", "second");
    laptop.wait_for("budget.txt", "second");
    laptop.write("plans/north/a.txt", "a");
    laptop.write("plans/north/b.txt", "b");
    desk.wait_for("plans/north/b.txt", "b");
    desk.wait_for("plans/north/a.txt", "a");
    fs::rename(desk.root.join("plans"), desk.root.join("ideas")).unwrap();
    laptop.wait_for("ideas/north/b.txt", "b");
    laptop.wait_until("the old name goes", || !laptop.has("plans"));
    fs::remove_file(laptop.root.join("ideas/north/a.txt")).unwrap();
    desk.wait_until("what was removed goes", || !desk.has("ideas/north/a.txt"));
    assert_eq!(desk.text("ideas/north/b.txt").as_deref(), Some("b"));
    explains(&laptop);
    ignores(&laptop, &desk);
}

/// `why` and `status`, without a key.
fn explains(device: &Device) {
    let why = |path: &str| device.json(&["why", &device.path(path)]);
    device.wait_until("all is in step", || why("ideas/north/b.txt")["standing"] == "in step");
    assert_eq!(why("budget.txt")["standing"], "in step");
    assert_eq!(why("nothing.txt")["standing"], "unknown");
    let text = device.alone(&["why", &device.path("budget.txt")]).out;
    // A machine that has much to do may see a file between its being emptied and its being written, which is a version too.
    assert!(text.contains("it is in step with the server, as version "), "{text}");
    assert!(text.contains("sent budget.txt (content)") && text.contains("fetched budget.txt"), "{text}");
    let status = || device.json(&["status"])["items"][0].clone();
    device.wait_until("it is connected", || status()["state"] == "connected" && status()["to_send"] == 0);
    let row = status();
    assert_eq!((&row["files"], &row["trouble"]), (&4.into(), &serde_json::Value::Null), "{row}");
    let table = device.alone(&["status"]).out;
    assert!(table.starts_with("FOLDER") && table.contains("connected"), "{table}");
    assert!(!table.contains(kill::server::KEY) && !row.to_string().contains(kill::server::KEY));
}

fn ignores(one: &Device, other: &Device) {
    let ran = one.alone(&["ignore", "*.tmp", "--path", one.root_text()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    other.wait_for(".fastnessignore", "*.tmp\n");
    one.write("x.tmp", "no");
    assert!(Command::new("mkfifo").arg(one.root.join("pipe")).status().unwrap().success());
    one.write("after.txt", "yes");
    other.wait_for("after.txt", "yes");
    assert!(!other.has("x.tmp"));
    assert_eq!(one.json(&["why", &one.path("x.tmp")])["standing"], "ignored");
    let checked = one.json(&["ignore", "--check", &one.path("x.tmp")]);
    assert_eq!((&checked["pattern"], &checked["file"]), (&"*.tmp".into(), &".fastnessignore".into()));
    let not_kept = || one.json(&["status"])["items"][0]["not_kept"].clone();
    one.wait_until("the pipe is told of", || not_kept()[0]["path"] == "pipe");
    assert!(one.alone(&["status"]).out.contains("a FIFO"));
    assert_eq!(one.json(&["why", &one.path("pipe")])["standing"], "not kept");
}

#[test]
fn fld_11_a_conflict_made_while_a_daemon_was_stopped_becomes_a_copy_that_all_have() {
    let kit = Kit::start();
    let [laptop, mut desk] = kit.pair();
    laptop.write("a.txt", "first");
    desk.wait_for("a.txt", "first");
    desk.wait_until("it is known", || desk.json(&["why", &desk.path("a.txt")])["standing"] == "in step");
    desk.stop_daemon();
    assert_eq!(desk.json(&["status"])["items"][0]["state"], "not running");
    laptop.write("a.txt", "of the laptop");
    let version = |device: &Device| device.json(&["history", &device.path("a.txt")])["versions"][0]["version"].clone();
    laptop.wait_until("the server has it", || version(&laptop) == 2);
    desk.write("a.txt", "of the desk");
    assert_eq!(desk.json(&["why", &desk.path("a.txt")])["standing"], "changed");
    desk.run_daemon();
    for device in [&laptop, &desk] {
        device.wait_until("there is a copy", || device.conflicts().len() == 1);
        let copy = device.conflicts()[0].clone();
        assert_eq!((&copy["of"], &copy["device"]), (&device.path("a.txt").into(), &"desk".into()), "{copy}");
        device.wait_for("a.txt", "of the laptop");
        device.wait_for(copy["copy"].as_str().unwrap(), "of the desk");
    }
    let copy = desk.conflicts()[0]["copy"].as_str().unwrap().to_owned();
    let why = desk.alone(&["why", &copy]).out;
    assert!(why.contains("it is a conflict copy of a.txt"), "{why}");
}

#[test]
fn fld_23_what_was_replaced_or_removed_is_brought_back() {
    let kit = Kit::start();
    let [laptop, desk] = kit.pair();
    laptop.write("a.txt", "first");
    desk.wait_for("a.txt", "first");
    laptop.write("a.txt", "second");
    desk.wait_for("a.txt", "second");
    let history = laptop.json(&["history", &laptop.path("a.txt")]);
    assert_eq!(history["versions"].as_array().unwrap().len(), 2, "{history}");
    let said = laptop.out(&["restore", &laptop.path("a.txt"), "--version", "1"]);
    assert_eq!(said, "version 1 of a.txt is the newest again, as version 3\n");
    laptop.wait_for("a.txt", "first");
    desk.wait_for("a.txt", "first");
    // What the desk had before lies in its backups; beside what is there now, for nothing is replaced.
    let backups = desk.json(&["restore", &desk.path("a.txt"), "--list"])["backups"].clone();
    let second = backups.as_array().unwrap().iter().find(|backup| backup["size"] == 6).unwrap().clone();
    let restored = desk.json(&["restore", &desk.path("a.txt"), "--backup", second["id"].as_str().unwrap()]);
    let beside = restored["path"].as_str().unwrap();
    assert!(beside.starts_with("a (restored, "), "{beside}");
    laptop.wait_for(beside, "second");
    fs::remove_file(laptop.root.join("a.txt")).unwrap();
    desk.wait_until("it is removed", || !desk.has("a.txt"));
    assert_eq!(laptop.alone(&["restore", &laptop.path("a.txt")]).code, 2, "which one?");
    desk.out(&["restore", &desk.path("a.txt"), "--backup", "newest"]);
    laptop.wait_for("a.txt", "first");
    // Of what was deleted the server knows the versions, too.
    fs::remove_file(desk.root.join("a.txt")).unwrap();
    laptop.wait_until("it is removed", || !laptop.has("a.txt"));
    let versions = desk.json(&["history", &desk.path("a.txt")])["versions"].clone();
    assert_eq!(versions[0]["deleted"], true, "{versions}");
}

#[test]
fn fld_13_many_removals_wait_for_a_word() {
    let kit = Kit::start();
    let [laptop, desk] = kit.pair();
    for number in 0..12 {
        laptop.write(&format!("many/{number}"), "x");
    }
    desk.wait_until("all are here", || (0..12).all(|number| desk.has(&format!("many/{number}"))));
    laptop.wait_until("nothing waits", || laptop.json(&["confirm", laptop.root_text()])["there"] == 0);
    // All at once: what is removed file by file may be seen in parts, each of which is a handful.
    fs::rename(laptop.root.join("many"), laptop.root.with_extension("taken-away")).unwrap();
    laptop.wait_until("it is held", || laptop.json(&["status"])["items"][0]["held"] == 12);
    assert_eq!(laptop.alone(&["confirm", laptop.root_text()]).code, 2, "nobody can be asked");
    assert!(desk.has("many/0"));
    let said = laptop.alone(&["confirm", laptop.root_text(), "--yes"]);
    assert_eq!(said.out, "0 removals here and 12 on the server happen now\n", "{said:?}");
    desk.wait_until("it is held there, too", || desk.json(&["status"])["items"][0]["held"] == 12);
    assert_eq!(desk.alone(&["confirm", desk.root_text(), "--yes"]).code, 0);
    desk.wait_until("they are removed", || !desk.has("many"));
}
