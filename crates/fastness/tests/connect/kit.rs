//! A server with a company; phones and databases of it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use client::Client;
use client::exchange::{Activated, Message};
use kill::server::{Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Longest wait for anything.
pub const PATIENCE: Duration = Duration::from_secs(150);

pub struct Kit {
    pub server: Server,
    pub folder: TempDir,
}

/// A phone and the database that it sends to.
pub struct Pair {
    pub database: String,
    pub database_key: String,
    phone: Activated,
    client: Client,
    runtime: Runtime,
}

impl Kit {
    /// Processes have little time, so that what is left lying is found soon.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(program(), &folder.path().join("data"))
            .env("FASTNESS_EXCHANGE__PREPARE_WITHIN", "3s")
            .env("FASTNESS_EXCHANGE__COMMIT_WITHIN", "3s");
        let kit = Self { server: launch.start().unwrap(), folder };
        kit.post("companies", &json!({"id": "acme", "name": "Acme"}));
        kit.post("subsystems", &json!({"id": "shop", "company": "acme", "name": "Shop"}));
        kit
    }

    pub fn post(&self, what: &str, body: &Value) -> Value {
        let answer = self.server.client().post(&format!("/v1/main/exchange/{what}"), body, "").unwrap();
        assert!(answer.status < 300, "{what}: {answer:?}");
        answer.body
    }

    pub fn get(&self, what: &str) -> Value {
        let answer = self.server.client().get(&format!("/v1/main/exchange/{what}")).unwrap();
        assert!(answer.status < 300, "{what}: {answer:?}");
        answer.body
    }

    /// A database and a phone, both new.
    pub fn pair(&self, name: &str) -> Pair {
        let database = format!("erp-{name}");
        let made = self.post("databases", &json!({"id": database, "company": "acme"}));
        let device = json!({"company": "acme", "subsystem": "shop", "name": name});
        let code = self.post("devices", &device)["activation_code"].as_str().unwrap().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let url = format!("http://{}", self.server.address);
        let phone = runtime.block_on(Client::new(&url, "main", "").unwrap().activate(&code)).unwrap();
        let client = Client::new(&url, "main", &phone.key).unwrap();
        Pair { database, database_key: made["key"].as_str().unwrap().to_owned(), phone, client, runtime }
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Pair {
    pub fn send(&self, id: &str, kind: &str, order: i64) {
        let message = json!({"version": 1, "id": id, "head": {
                "company": "acme", "subsystem": "shop", "from": self.phone.device, "to": self.database,
                "created_at": "2026-11-16T12:00:00Z", "order": order},
            "body": {"type": kind, "version": 1, "payload": {"item": id}}});
        let message: Message = serde_json::from_str(&message.to_string()).unwrap();
        self.runtime.block_on(self.client.send_message(&message)).unwrap();
    }

    /// Fetches and acknowledges until so many answers came; gives what they answer.
    pub fn answers(&self, many: usize) -> Vec<String> {
        let (begun, mut found) = (Instant::now(), vec![]);
        while found.len() < many && begun.elapsed() < PATIENCE {
            for reply in self.runtime.block_on(self.client.fetch_messages(10, 2)).unwrap() {
                assert_eq!(reply.body.payload.get(), "\"да\"");
                self.runtime.block_on(self.client.acknowledge_message(&reply.id)).unwrap();
                found.push(reply.head.reply_to.unwrap());
            }
        }
        found.sort();
        found
    }

    /// What became of a message, as its phone hears it.
    pub fn status(&self, id: &str) -> (String, Option<i64>, Option<String>) {
        let status = self.runtime.block_on(self.client.message_status(id)).unwrap();
        (status.state, status.error_code, status.error_text)
    }

    /// Waits until a message is in this state.
    pub fn wait_for(&self, id: &str, state: &str) {
        let begun = Instant::now();
        while self.status(id).0 != state {
            assert!(begun.elapsed() < PATIENCE, "message {id} is {:?}, not {state}", self.status(id));
            std::thread::sleep(Duration::from_millis(100)); // tidy: sleep — another process works on it
        }
    }
}

/// The connector as a process.
pub fn connect(server: SocketAddr, key: &str, config: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(["exchange", "connect", "--config"]).arg(config).args(more);
    command.env("FASTNESS_SERVER", format!("http://{server}")).env("FASTNESS_KEY", key);
    command.env_remove("FASTNESS_NAMESPACE").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The same, in the background, with what it says kept in a file.
pub fn connect_on(server: SocketAddr, key: &str, config: &Path) -> Child {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(config.with_extension("log")).unwrap();
    let mut command = connect(server, key, config, &[]);
    command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}
