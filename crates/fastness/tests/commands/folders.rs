//! Directories of the server at a terminal: who may what, how much, and which files are there.

use serde_json::json;

use crate::kit::Kit;

#[test]
fn fld_25_directories_and_members_are_changed_by_name() {
    let kit = Kit::start();
    kit.run_words(&["folders", "create", "Plans"], "");
    assert_eq!(kit.json("folders directory list")["items"][0]["name"], "Plans");
    assert_eq!(kit.run("folders directory change Plans").code, 2, "nothing to change");
    kit.out("folders directory change Plans --quota-bytes 1000 --anyone read --kept 30d");
    let seen = kit.json("folders directory show Plans");
    assert_eq!(
        (&seen["quota_bytes"], &seen["anyone"], &seen["kept_ms"]),
        (&json!(1000), &json!("read"), &json!(2_592_000_000_i64))
    );
    kit.out("folders directory change Plans --no-quota --kept default");
    let seen = kit.json("folders directory show Plans");
    assert!(seen["quota_bytes"].is_null() && seen["kept_ms"].is_null(), "{seen}");
    kit.out("folders member set Plans --device laptop --role write");
    let members = kit.json("folders member list Plans");
    let laptop = members["items"].as_array().expect("a list").iter().find(|member| member["role"] == "write");
    let who = laptop.and_then(|member| member["who"].as_str()).expect("the laptop").to_owned();
    assert!(who.contains("laptop"), "{who}");
    kit.out(&format!("folders member remove Plans {who} --yes"));
    assert_eq!(kit.json("folders member list Plans")["items"].as_array().map(Vec::len), Some(1));
    for nothing in ["folders file list Plans", "folders device list Plans", "folders lock list Plans"] {
        assert_eq!(kit.out(&format!("{nothing} -q")), "", "{nothing}");
    }
    assert_eq!(kit.run("folders directory show Nowhere").code, 2);
    assert_eq!(kit.run("folders directory delete Plans").code, 2, "nobody can be asked");
    kit.out("folders directory delete Plans --yes");
    assert_eq!(kit.out("folders directory list -q"), "");
}

#[test]
fn fld_24_a_directory_goes_back_to_what_it_was_by_a_task() {
    let kit = Kit::start();
    kit.out("folders create Plans");
    let begun = kit.json("folders directory restore Plans --at -1h --yes");
    assert_eq!(begun["task"].as_str().map(str::len), Some(26), "{begun}");
    let undone = kit.out("folders directory undo Plans --device laptop --since -1h --yes");
    assert!(undone.starts_with("task "), "{undone}");
    let unknown = kit.run("folders file history 3a7c9c1e-5d0b-4b7e-9d53-0d8f3a1b2c4d");
    assert!(unknown.code == 3 && unknown.err.contains("NFILE"), "{unknown:?}");
}
