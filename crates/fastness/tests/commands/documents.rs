//! Documents, their classes and attachments.

use expect_test::expect;
use serde_json::json;

use crate::kit::{Kit, plain};

const CLASS: &str = r#"{"class": "Contact", "items": {"Note": {"raw": true},
    "Card": {"singleton": true, "index": {"name": "string", "born": "int"}}, "Tel": {"index": {"number": "string"}}}}"#;

fn kit() -> Kit {
    let kit = Kit::start();
    let declared = kit.run_words(&["documents", "class", "declare", "--file", "-"], CLASS);
    assert_eq!(declared.out, "class Contact is declared\n", "{declared:?}");
    let card = r#"Card={"name":"Ada","born":1815}"#;
    let put = ["documents", "document", "put", "Contact", "ada", "--expect", "new", "--item", card];
    let put = [&put[..], &["--item", r#"Tel:home={"number":"1"}"#, "--item", "Note:x=text:\u{1b}[31mred"]].concat();
    assert_eq!(plain(&kit.run_words(&put, "").out), "document Contact/ada is put; version V\n");
    kit
}

#[test]
fn doc_6_documents_are_put_read_found_and_deleted() {
    let kit = kit();
    assert_eq!(kit.table("documents class list"), "CLASS  ITEMS  FILLING\nContact  Card, Note, Tel\n");
    expect![[r#"
        class  Contact
        id  ada
        version  V
        created  V
        volume  48
        attached  0

        ITEM  KEY  VERSION  CONTENT  TEXT
        Card  V  {"born":1815,"name":"Ada"}
        Note  x  V  \u{1b}[31mred
        Tel  home  V  {"number":"1"}
    "#]]
    .assert_eq(&kit.table("documents document get Contact ada"));
    assert_eq!(
        kit.table("documents document list Contact --prefix a"),
        "ID  VERSION  CHANGED  OPERATION  BY\nada  V  AGO  doc.commit  ID\n"
    );
    assert_eq!(kit.out("documents document list Contact -q"), "ada\n");
    assert!(kit.run("documents document changes Contact ada").err.starts_with("no changes"));
    let version = kit.json("documents document get Contact ada")["v"].clone();
    let stale = kit.run("documents document put Contact ada --expect new --item Card={}");
    assert_eq!(stale.code, 3);
    assert!(
        stale.err.contains("none was expected (CVERSION)") && stale.err.contains("hint: read it again"),
        "{stale:?}"
    );
    let removed = kit.out(&format!("documents document put Contact ada --expect {version} --remove Tel:home -q"));
    assert_eq!(removed.trim().len(), 15, "{removed}");
    let search = [
        "documents",
        "document",
        "search",
        "Contact",
        "Card",
        "--where",
        "name SW A",
        "--where",
        "born GELT 1800 1900",
    ];
    assert_eq!(kit.run_words(&search, "").out, "ID\nada\n");
    let items = kit.run_words(&[&search[..], &["--items", "--json"]].concat(), "").out;
    let items: serde_json::Value = serde_json::from_str(&items).expect("JSON");
    assert_eq!(items["items"][0]["j"]["born"], 1815);
    let run = ["documents", "operation", "run", "doc.get", "--param", r#"{"c":"Contact","id":"ada"}"#];
    assert!(kit.run_words(&run, "").out.contains("\"id\": \"ada\""));
    assert_eq!(
        plain(&kit.out("documents document delete Contact ada --yes")),
        "document Contact/ada is deleted; version V\n"
    );
    assert_eq!(kit.run("documents document get Contact ada").code, 3);
}

#[test]
fn doc_6_changes_come_from_a_file_all_or_none() {
    let kit = kit();
    let changes = r#"[{"c": "Contact", "id": "bob", "items": [{"c": "Card", "j": {"name": "Bob"}}]},
        {"c": "Contact", "id": "ada", "delete": true}]"#;
    let commit = ["documents", "document", "commit", "--file", "-"];
    assert_eq!(plain(&kit.run_words(&commit, changes).out), "2 documents are changed; version V\n");
    assert_eq!(kit.run_words(&commit, "{}").code, 2);
    assert_eq!(kit.run_words(&commit, "{").code, 2);
}

#[test]
fn doc_12_files_are_attached_read_exported_and_detached() {
    let kit = kit();
    let bytes = "\u{1b}bytes of any kind\n";
    let file = kit.file("photo", bytes);
    let put = kit.out(&format!("documents attachment put Contact ada photo {} --type image/png", file.display()));
    assert_eq!(put, "attachment photo of Contact/ada is put: 19 bytes\n");
    assert_eq!(kit.out("documents attachment get Contact ada photo"), bytes, "down a pipe as they are");
    let copy = kit.folder.path().join("copy");
    kit.out(&format!("documents attachment get Contact ada photo --output {}", copy.display()));
    assert_eq!(std::fs::read_to_string(&copy).expect("a copy"), bytes);
    let missing = kit.folder.path().join("missing");
    let refused = kit.run(&format!("documents attachment get Contact ada other --output {}", missing.display()));
    assert_eq!(refused.code, 3);
    assert!(!missing.exists() && !missing.with_file_name("missing.part").exists(), "nothing is left behind");
    let tar = kit.folder.path().join("ada.tar");
    let exported = kit.json(&format!("documents document export Contact/ada --output {}", tar.display()));
    assert_eq!(exported["bytes"], json!(std::fs::metadata(&tar).expect("a file").len()));
    let inside = std::fs::read(&tar).expect("bytes");
    assert!(inside.starts_with(b"documents.ndjson"), "a tar file");
    assert_eq!(kit.json("documents attachment delete Contact ada photo --yes"), json!({}));
    assert_eq!(kit.run("documents attachment get Contact ada photo").code, 3);
}
