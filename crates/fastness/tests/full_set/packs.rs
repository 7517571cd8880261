//! Texts of messages in S3 for real (EXC-8): one server on SQLite, its packs in the storage, and both are killed and started again.

use std::path::Path;
use std::process::Command;

use kill::client::{Answer, Client};
use kill::server::{KEY, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::site::{program, wait_until};
use crate::storage::{self, Storage};

const X: &str = "/v1/main/exchange";

/// A server, its storage, and who takes part.
struct Shop {
    folder: TempDir,
    storage: Storage,
    launch: Launch,
    server: Option<Server>,
    phone: (String, String),
    database: String,
    sent: u32,
}

impl Shop {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::start(&folder.path().join("storage"));
        let launch = launch(&folder.path().join("data"), &storage);
        let server = Some(launch.start().unwrap());
        let nobody = (String::new(), String::new());
        let mut shop = Self { folder, storage, launch, server, phone: nobody, database: String::new(), sent: 0 };
        shop.register();
        shop
    }

    fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    fn ask_as(&self, key: &str, method: &str, path: &str, body: &Value) -> Answer {
        Client::new(self.server().address, key).ask(method, path, body, "").unwrap()
    }

    fn good(&self, key: &str, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask_as(key, method, path, body);
        assert!((200..300).contains(&answer.status), "{method} {path}: {answer:?}");
        answer.body
    }

    fn get(&self, path: &str) -> Value {
        self.good(KEY, "GET", path, &Value::Null)
    }

    fn register(&mut self) {
        let made = |path: &str, body: Value| self.good(KEY, "POST", &format!("{X}/{path}"), &body);
        made("companies", json!({ "id": "acme", "name": "Acme" }));
        made("subsystems", json!({ "id": "sales", "company": "acme", "name": "s" }));
        let database = made("databases", json!({ "id": "erp", "company": "acme" }));
        let device = made("devices", json!({ "company": "acme", "subsystem": "sales", "name": "Anna" }));
        let active = made("activate", json!({ "code": device["activation_code"] }));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        self.database = text(&database["key"]);
        self.phone = (text(&active["device"]), text(&active["key"]));
    }

    fn message(&self, number: u32) -> Value {
        let head = json!({ "company": "acme", "subsystem": "sales", "from": self.phone.0, "to": "erp", "created_at": "2026-11-16T12:00:00Z" });
        let body = json!({ "type": "order", "version": 1, "payload": { "lines": number } });
        json!({ "version": 1, "id": format!("m-{number}"), "head": head, "body": body })
    }

    /// Messages come and are done.
    fn trade(&mut self, many: u32) {
        for _ in 0..many {
            self.sent += 1;
            self.good(&self.phone.1, "POST", &format!("{X}/messages"), &self.message(self.sent));
        }
        loop {
            let started = self.good(&self.database, "POST", &format!("{X}/processes"), &json!({ "db": "erp" }));
            let Some(process) = started["process"].as_str() else { break };
            let done = |message: &Value| json!({ "id": message["id"], "status": "PROCESSED" });
            let results: Vec<Value> = started["messages"].as_array().unwrap().iter().map(done).collect();
            for (step, body) in [("prepare", json!({ "results": results })), ("commit", json!({}))] {
                let answer = self.good(&self.database, "POST", &format!("{X}/processes/{process}/{step}"), &body);
                assert_eq!(answer["status"], "OK", "{step}");
            }
        }
    }

    /// Names of the files of what is done, in the order of messages.
    fn log(&self) -> Vec<String> {
        let listed = self.get(&format!("{X}/folders?db=erp&folder=Log&limit=1000"));
        listed["items"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap().to_owned()).collect()
    }

    /// How many of the messages have their texts in the storage.
    fn packed(&self) -> usize {
        let objects = self.storage.objects();
        let is_there = |number: &u32| {
            let text = self.message(*number).to_string();
            objects.iter().any(|object| String::from_utf8_lossy(object).contains(&text))
        };
        (1..=self.sent).filter(is_there).count()
    }

    fn wait_packed(&self) {
        wait_until("all texts are in the storage", || self.packed() == self.sent as usize);
    }

    /// Each text is what was sent, wherever it lies.
    fn check_texts(&self, namespace: &str) {
        let log = self.log();
        assert_eq!(log.len(), self.sent as usize);
        for (name, number) in log.iter().zip(1..) {
            assert_eq!(self.get(&format!("/v1/{namespace}/exchange/files/{name}")), self.message(number));
        }
    }

    fn kill_server(&mut self) {
        self.server.take().unwrap().kill().unwrap();
        self.server = Some(self.launch.start().unwrap());
    }

    /// Runs a command as the administrator.
    fn run(&self, words: &[&str]) {
        let mut command = Command::new(program());
        command
            .args(words)
            .env("FASTNESS_SERVER", format!("http://{}", self.server().address))
            .env("FASTNESS_KEY", KEY);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }
}

fn launch(data: &Path, storage: &Storage) -> Launch {
    let values = [
        ("PLACE", "s3".to_owned()),
        ("URL", format!("http://{}", storage.address)),
        ("BUCKET", storage::BUCKET.to_owned()),
        ("REGION", "eu-central-1".to_owned()),
        ("ACCESS_KEY", storage::KEY.to_owned()),
        ("SECRET_KEY", storage::SECRET.to_owned()),
    ];
    let launch = Launch::new(program(), data).env("FASTNESS_EXCHANGE__BODIES", "blobs");
    values.iter().fold(launch, |launch, (name, value)| launch.env(&format!("FASTNESS_BLOBS__{name}"), value))
}

#[test]
fn exc_8_exc_6_texts_of_messages_are_in_s3_whatever_is_killed() {
    let mut shop = Shop::open();
    shop.trade(25);
    shop.check_texts("main");
    shop.wait_packed();
    shop.check_texts("main");

    // The storage is away: everything goes on, but texts that are there can only be read later.
    shop.storage.kill();
    shop.trade(25);
    let first = shop.log().remove(0);
    for (method, path) in [("GET", format!("{X}/files/{first}")), ("POST", format!("{X}/files/{first}/requeue"))] {
        let answer = shop.ask_as(KEY, method, &path, &Value::Null);
        assert_eq!((answer.status, answer.code()), (503, "XSTORE"), "{answer:?}");
        assert!(answer.header("retry-after").is_some());
    }
    shop.kill_server();
    shop.trade(25);
    assert_eq!((shop.packed(), shop.log().len()), (25, 75), "nothing is lost, and nothing was put back");
    assert_eq!(shop.get("/v1/main/stuck")["items"], json!([]));

    // It is back, and the server is killed while it packs what waited.
    shop.storage.begin();
    wait_until("packing goes on by itself", || shop.packed() > 25);
    shop.kill_server();
    shop.trade(5);
    shop.wait_packed();
    shop.check_texts("main");
    assert_eq!(shop.get("/v1/main/alerts?state=open")["items"], json!([]));

    // A copy of the namespace has its packs with it.
    let file = shop.folder.path().join("main.archive");
    shop.run(&["namespace", "export", "main", "--to", file.to_str().unwrap()]);
    shop.run(&["namespace", "import", "copy", "--from", file.to_str().unwrap()]);
    wait_until("the copy is there", || {
        shop.ask_as(KEY, "GET", "/v1/copy/exchange/databases", &Value::Null).status == 200
    });
    shop.check_texts("copy");
    let requeued = shop.ask_as(KEY, "POST", &format!("/v1/copy/exchange/files/{first}/requeue"), &Value::Null);
    assert_eq!(requeued.status, 204, "{requeued:?}");
}
