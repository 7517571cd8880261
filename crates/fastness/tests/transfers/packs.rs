//! A backup of a store whose texts of messages lie in packs (EXC-8, KER-37): all of them come back, and what came later is sent again.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Instant;

use kill::client::{Answer, Client};
use kill::postgres::{Database, SHARED};
use kill::server::{KEY, Launch, Server};
use serde_json::{Value, json};

use crate::kit::{PATIENCE, Site, program};

const X: &str = "/v1/main/exchange";

/// Who takes part, and what was sent.
struct Shop {
    phone: (String, String),
    database: String,
    sent: u32,
}

fn good(server: &Server, key: &str, method: &str, path: &str, body: &Value) -> Value {
    let answer = ask(server, key, method, path, body);
    assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
    answer.body
}

fn ask(server: &Server, key: &str, method: &str, path: &str, body: &Value) -> Answer {
    Client::new(server.address, key).ask(method, &format!("{X}/{path}"), body, "").unwrap()
}

impl Shop {
    fn open(server: &Server) -> Self {
        let made = |path: &str, body: Value| good(server, KEY, "POST", path, &body);
        made("companies", json!({ "id": "acme", "name": "Acme" }));
        made("subsystems", json!({ "id": "sales", "company": "acme", "name": "s" }));
        let database = made("databases", json!({ "id": "erp", "company": "acme" }));
        let device = made("devices", json!({ "company": "acme", "subsystem": "sales", "name": "Anna" }));
        let active = made("activate", json!({ "code": device["activation_code"] }));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self { phone: (text(&active["device"]), text(&active["key"])), database: text(&database["key"]), sent: 0 }
    }

    fn message(&self, number: u32) -> Value {
        let head = json!({ "company": "acme", "subsystem": "sales", "from": self.phone.0, "to": "erp", "created_at": "2026-11-16T12:00:00Z" });
        let body = json!({ "type": "order", "version": 1, "payload": { "lines": number } });
        json!({ "version": 1, "id": format!("m-{number}"), "head": head, "body": body })
    }

    /// The phone sends, as often as it is not sure.
    fn send(&self, server: &Server, number: u32) {
        good(server, &self.phone.1, "POST", "messages", &self.message(number));
    }

    fn send_next(&mut self, server: &Server) {
        self.sent += 1;
        self.send(server, self.sent);
    }

    /// The database takes all that waits; ids.
    fn take_all(&self, server: &Server) -> Vec<String> {
        let mut taken = vec![];
        loop {
            let started = good(server, &self.database, "POST", "processes", &json!({ "db": "erp" }));
            let Some(process) = started["process"].as_str() else { return taken };
            let messages = started["messages"].as_array().unwrap();
            taken.extend(messages.iter().map(|message| message["id"].as_str().unwrap().to_owned()));
            let done = |message: &Value| json!({ "id": message["id"], "status": "PROCESSED" });
            let results: Vec<Value> = messages.iter().map(done).collect();
            for (step, body) in [("prepare", json!({ "results": results })), ("commit", json!({}))] {
                let answer = good(server, &self.database, "POST", &format!("processes/{process}/{step}"), &body);
                assert_eq!(answer["status"], "OK", "{step}");
            }
        }
    }

    fn trade(&mut self, server: &Server, many: u32) {
        (0..many).for_each(|_| self.send_next(server));
        assert_eq!(self.take_all(server).len(), many as usize);
    }

    /// Each text of what is done is what was sent; names of their files.
    fn check_texts(&self, server: &Server, many: u32) -> Vec<String> {
        let listed = good(server, KEY, "GET", "folders?db=erp&folder=Log&limit=1000", &Value::Null);
        let name = |file: &Value| file["name"].as_str().unwrap().to_owned();
        let log: Vec<String> = listed["items"].as_array().unwrap().iter().map(name).collect();
        assert_eq!(log.len(), many as usize);
        for (name, number) in log.iter().zip(1..) {
            assert_eq!(good(server, KEY, "GET", &format!("files/{name}"), &Value::Null), self.message(number));
        }
        log
    }

    /// Waits until the texts of what is done lie in packs below this folder.
    fn wait_packed(&self, data: &Path, numbers: std::ops::RangeInclusive<u32>) {
        let end = Instant::now() + PATIENCE;
        loop {
            let packs: Vec<String> = packs(data).iter().map(|pack| text_of(pack)).collect();
            let is_packed = |number: u32| packs.iter().any(|pack| pack.contains(&self.message(number).to_string()));
            if numbers.clone().all(is_packed) {
                return;
            }
            assert!(Instant::now() < end, "texts stay in the store: {packs:?}");
            std::thread::yield_now();
        }
    }
}

/// Files of blobs, which are packs here.
fn packs(data: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![data.join("namespaces/main/blobs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    found
}

fn text_of(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What a command says that must go well.
fn done(launch: &Launch, command: &[&str]) -> String {
    let output = launch.other_command(command).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", words(&output));
    words(&output)
}

/// The only backup in a folder.
fn backup_in(folder: &Path) -> PathBuf {
    let found = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    found.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("backup-")).max().unwrap()
}

fn check(site: &Site, then: &Launch) {
    let launch = site.launch.clone().env("FASTNESS_EXCHANGE__BODIES", "blobs");
    let (then, backups) = (then.clone().env("FASTNESS_EXCHANGE__BODIES", "blobs"), site.path("backups"));
    let server = launch.start().unwrap();
    let mut shop = Shop::open(&server);
    shop.trade(&server, 30);
    shop.wait_packed(launch.data(), 1..=30);
    shop.send_next(&server);
    done(&launch, &["backup", "--to", backups.to_str().unwrap()]);

    // Acknowledged after the backup: one more waits, four are done and packed, and one of the first pack is put back.
    let first = shop.check_texts(&server, 30).remove(0);
    good(&server, KEY, "POST", &format!("files/{first}/requeue"), &Value::Null);
    (0..4).for_each(|_| shop.send_next(&server));
    assert_eq!(shop.take_all(&server).len(), 6);
    shop.wait_packed(launch.data(), 31..=35);
    server.kill().unwrap();
    assert!(done(&launch, &["check"]).contains("nothing is wrong"));

    let backup = backup_in(&backups);
    let backup = backup.to_str().unwrap();
    assert!(done(&launch, &["check", "--backup", backup]).contains("nothing is wrong"));
    done(&then, &["restore", "--from", backup]);
    assert!(done(&then, &["check"]).contains("nothing is wrong"));
    let server = then.start().unwrap();
    let log = shop.check_texts(&server, 30);
    // The one that waited then waits again; what came later is not known, and the phone sends it again.
    let status = |number: u32| ask(&server, &shop.phone.1, "GET", &format!("messages/m-{number}/status"), &Value::Null);
    assert_eq!((status(31).status, status(32).status, status(32).code()), (200, 404, "NMESSAGE"));
    (31..=35).for_each(|number| shop.send(&server, number));
    assert_eq!(shop.take_all(&server), ["m-31", "m-32", "m-33", "m-34", "m-35"]);
    shop.check_texts(&server, 35);
    // A text of the backup's pack is given on again.
    good(&server, KEY, "POST", &format!("files/{}/requeue", log[29]), &Value::Null);
    assert_eq!(shop.take_all(&server), ["m-30"]);
    shop.wait_packed(then.data(), 31..=35);
    server.end("TERM").unwrap();
    assert!(done(&then, &["check"]).contains("nothing is wrong"));

    // A pack that is gone is told by whoever looks.
    let lost = packs(then.data()).into_iter().find(|pack| text_of(pack).contains("\"m-1\"")).unwrap();
    std::fs::remove_file(&lost).unwrap();
    for command in [vec!["check"], vec!["backup", "--to", backups.to_str().unwrap()]] {
        let ran = then.other_command(&command).output().unwrap();
        assert!(
            ran.status.code() == Some(1) && words(&ran).contains(lost.to_str().unwrap()),
            "{command:?}: {}",
            words(&ran)
        );
    }
}

#[test]
fn exc_8_ker_37_texts_in_packs_come_back_from_a_backup() {
    let site = Site::new();
    check(&site, &Launch::new(program(), &site.path("restored")));
}

#[test]
fn exc_8_ker_37_texts_in_packs_come_back_from_a_backup_of_postgres() {
    let (now, then) = (Database::new(SHARED, "packs").unwrap(), Database::new(SHARED, "packs_then").unwrap());
    let site = Site::new();
    // Blobs on a disk are those of one server.
    let site = Site { launch: now.launch(site.launch).env("FASTNESS_STORE__NODES", "one"), folder: site.folder };
    let restored = Launch::new(program(), &site.path("restored")).env("FASTNESS_STORE__NODES", "one");
    check(&site, &then.launch(restored));
}
