//! Folders and files over HTTP, in the store alone and with real folders.

use std::path::Path;
use std::sync::Arc;

use base::{Call, CallResult, Files, Sql};
use exchange::folders::{BEGIN, Shelves, perform};
use exchange::{Bodies, Rules, Settings};
use host::DiskFiles;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::edge::{Office, ids, results};

/// An office with folders on a real disk.
pub struct Shelf {
    pub office: Office,
    folder: TempDir,
}

impl Shelf {
    pub fn open() -> Self {
        let (office, folder) = (Office::open(), tempfile::tempdir().unwrap());
        let root = folder.path().to_owned();
        let open = move |namespace: &str| -> std::io::Result<Arc<dyn Files>> {
            Ok(Arc::new(DiskFiles::open(&root.join(namespace))?))
        };
        host::make_root(folder.path()).unwrap();
        office.edge.kernel.common::<Shelves>().set(open);
        office.edge.kernel.common::<Rules>().set(Settings { bodies: Bodies::Folders, ..Settings::default() });
        Self { office, folder }
    }

    /// Has the clerk do all that is due.
    pub fn lay(&self) {
        let world = self.office.edge.world();
        world.call(&BEGIN, ()).unwrap();
        for _ in 0..100 {
            world.pass_ms(0);
            let Some((call, done)) = world.partner.next() else { return };
            match call {
                Call::Work(call) => done(match perform(&world.kernel, &call) {
                    Ok(said) => CallResult::Worked(said),
                    Err(why) => CallResult::NotMade(why),
                }),
                _ => done(CallResult::NotMade("not here".into())),
            }
        }
        panic!("the clerk never ends")
    }

    /// Paths of all files.
    pub fn files(&self) -> Vec<String> {
        let root = self.folder.path().join("main");
        let mut found = vec![];
        walk(&root, &root, &mut found);
        found.sort();
        found
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.folder.path().join("main").join(file)
    }
}

fn walk(root: &Path, at: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

/// Two are done, one is wrong, one waits.
pub fn fill(office: &Office) {
    office.sent(&["a", "b", "c"]);
    let process = office.started();
    let said = json!({ "results": [
        { "id": "a", "status": "PROCESSED" },
        { "id": "b", "status": "PROCESSED_INCORRECT", "error_code": 7, "error_text": "wrong" },
        { "id": "c", "status": "PROCESSED" },
    ] });
    office.step(&process, "prepare", said);
    office.step(&process, "commit", json!({}));
    office.sent(&["d"]);
}

pub fn names(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn exc_4_a_folder_is_listed_by_names_and_sizes() {
    let office = Office::open();
    fill(&office);
    check_folders(&office);
}

/// On every engine.
pub fn check_folders(office: &Office) {
    let log = office.edge.all("/folders?db=erp&folder=Log", 1);
    assert_eq!(log.iter().map(|file| file["id"].clone()).collect::<Vec<_>>(), ["a", "c"]);
    let size = office.message("a", 0).to_string().len();
    assert_eq!((&log[0]["size"], &log[0]["from"], &log[0]["to"]), (&json!(size), &json!(office.phone), &json!("erp")));
    let name = names(&log)[0].clone();
    assert!(name.starts_with("00179") && name.ends_with("~erp~sales.json") && name.contains("~a~"), "{name}");
    let wrong = office.edge.get_as(&office.db_key, "/folders?folder=Error")["items"][0].clone();
    assert_eq!((&wrong["id"], &wrong["error_code"], &wrong["error_text"]), (&json!("b"), &json!(7), &json!("wrong")));
    assert_eq!(office.edge.all("/folders?db=erp&folder=Messages", 5).len(), 1);
    for folder in ["Prepared", "Unknown"] {
        assert!(office.edge.all(&format!("/folders?db=erp&folder={folder}"), 5).is_empty());
    }
    for (query, code) in [
        ("?db=erp", "ABODY"),
        ("?folder=Log", "ABODY"),
        ("?db=erp&folder=log", "ABODY"),
        ("?db=erp&folder=..", "ABODY"),
        ("?db=erp&folder=Log&after=x", "ABODY"),
        ("?db=erp&folder=Log&after=1.2", "ABODY"),
        ("?db=erp&folder=Log&limit=0", "ALIMIT"),
        ("?db=nothing&folder=Log", "NPARTY"),
    ] {
        assert_eq!(office.edge.refused("GET", &format!("/folders{query}"), &Value::Null).1, code, "{query}");
    }
}

#[test]
fn exc_4_a_file_is_read_by_its_name_only() {
    let office = Office::open();
    fill(&office);
    let name = names(&office.edge.all("/folders?db=erp&folder=Log", 5))[0].clone();
    assert_eq!(office.edge.get(&format!("/files/{name}")), office.message("a", 0));
    assert_eq!(office.edge.get_as(&office.db_key, &format!("/files/{name}")), office.message("a", 0));
    let other = office.edge.register("/databases", json!({ "id": "erp2", "company": "acme" }));
    let refused =
        office.edge.refused_as(other["key"].as_str().unwrap(), "GET", &format!("/files/{name}"), &Value::Null);
    assert_eq!(refused, (404, "NMESSAGE".into()), "as if it were not there");
    let edited = name.replace("~a~", "~c~");
    for wrong in ["x", "..%2F..%2Fetc%2Fpasswd", "%2e%2e", &edited, &format!("..%2F{name}")] {
        let (status, code) = office.edge.refused("GET", &format!("/files/{wrong}"), &Value::Null);
        assert_eq!((status, code.as_str()), (404, "NMESSAGE"), "{wrong}");
        let (status, code) = office.edge.refused("POST", &format!("/files/{wrong}/requeue"), &Value::Null);
        assert_eq!((status, code.as_str()), (404, "NMESSAGE"), "{wrong}");
    }
    let refused = office.edge.refused_as(&office.phone_key, "GET", &format!("/files/{name}"), &Value::Null);
    assert_eq!(refused, (403, "SROLE".into()));
}

#[test]
fn exc_5_a_message_is_put_back_into_the_queue() {
    let office = Office::open();
    fill(&office);
    check_requeue(&office);
    office.check();
}

/// On every engine, and with folders.
pub fn check_requeue(office: &Office) {
    let name = |folder: &str| names(&office.edge.all(&format!("/folders?db=erp&folder={folder}"), 5))[0].clone();
    let (done, wrong) = (name("Log"), name("Error"));
    let requeue = |name: &str| office.edge.refused("POST", &format!("/files/{name}/requeue"), &Value::Null);
    let reader = office.edge.key("reader", &json!({}));
    let refused = office.edge.refused_as(&reader, "POST", &format!("/files/{done}/requeue"), &Value::Null);
    assert_eq!(refused, (403, "SROLE".into()));
    assert_eq!((requeue(&wrong).0, requeue(&wrong).0), (204, 204), "the second time it waits already");
    assert_eq!((requeue(&done).0, office.state("a"), office.state("b")), (204, json!("queued"), json!("queued")));
    let ledger = office.edge.get("/ledger?db=erp");
    assert_eq!((&ledger["queued"], &ledger["log"], &ledger["error"]), (&json!(3), &json!(1), &json!(0)));
    assert_eq!(ledger["balances"], json!(true));
    let started = office.start();
    assert_eq!(ids(&started), ["a", "d", "b"]);
    assert_eq!(requeue(&done), (409, "APROCESS".into()), "a process has it");
    office.step(started["process"].as_str().unwrap(), "interrupt", json!({ "message": "enough" }));
}

#[test]
fn exc_6_files_follow_and_texts_come_from_them_when_the_store_has_none() {
    static BODIES: Sql = Sql::new("test.bodies", "SELECT COUNT(*) FROM exc_body");
    let shelf = Shelf::open();
    let office = &shelf.office;
    fill(office);
    shelf.lay();
    assert_eq!(office.edge.count(&BODIES), 2, "of what can be given, or is wrong and may be given again");
    let files = shelf.files();
    assert_eq!(files.iter().filter(|file| file.starts_with("erp/Log/")).count(), 2, "{files:?}");
    let name = names(&office.edge.all("/folders?db=erp&folder=Log", 5))[0].clone();
    assert_eq!(office.edge.get(&format!("/files/{name}")), office.message("a", 0));
    check_requeue(office);
    office.check();
    shelf.lay();
    let files = shelf.files();
    assert_eq!(files.iter().filter(|file| file.starts_with("erp/Messages/")).count(), 3, "{files:?}");
    office.check();
}

#[test]
fn exc_7_a_file_that_is_not_what_was_received_is_never_served_nor_given() {
    let shelf = Shelf::open();
    let office = &shelf.office;
    fill(office);
    shelf.lay();
    let log = names(&office.edge.all("/folders?db=erp&folder=Log", 5));
    let changed = office.message("a", 0).to_string().replace("order", "0rder");
    std::fs::write(shelf.path(&format!("erp/Log/{}", log[0])), changed).unwrap();
    std::fs::remove_file(shelf.path(&format!("erp/Log/{}", log[1]))).unwrap();
    for name in &log {
        assert_eq!(office.edge.refused("GET", &format!("/files/{name}"), &Value::Null), (500, "XBLOB".into()));
        let refused = office.edge.refused("POST", &format!("/files/{name}/requeue"), &Value::Null);
        assert_eq!(refused, (500, "XBLOB".into()));
    }
    assert_eq!((office.state("a"), office.state("c")), (json!("processed"), json!("processed")));
}

#[test]
fn exc_14_a_failed_process_is_resumed_at_once() {
    let shelf = Shelf::open();
    let office = &shelf.office;
    office.sent(&["a"]);
    shelf.lay();
    let process = office.started();
    office.step(&process, "prepare", json!({ "results": results("PROCESSED", &["a"]) }));
    // A file where a folder should be: the move fails.
    std::fs::write(shelf.path("erp/Log"), "in the way").unwrap();
    assert_eq!(office.step(&process, "commit", json!({})), json!("OK"));
    shelf.lay();
    let state = || office.edge.get(&format!("/processes/{process}"))["state"].clone();
    assert_eq!(state(), json!("FAILED"));
    std::fs::remove_file(shelf.path("erp/Log")).unwrap();
    let database =
        office.edge.refused_as(&office.db_key, "POST", &format!("/processes/{process}/resume"), &Value::Null);
    assert_eq!(database, (403, "SROLE".into()), "an administrator's call");
    let (status, answer) = office.edge.ask("POST", &format!("/processes/{process}/resume"), Value::Null);
    assert_eq!((status, answer), (200, json!({ "status": "OK" })));
    shelf.lay();
    assert_eq!((state(), office.state("a")), (json!("ENDED"), json!("processed")));
    assert_eq!(office.edge.refused("POST", &format!("/processes/{process}/resume"), &Value::Null).1, "APROCESS");
    office.check();
}
