//! A server that may use PostgreSQL beside SQLite, and a person at a shell.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use kill::client::{Answer, Client};
use kill::postgres::{Database, SHARED};
use kill::server::{KEY, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest wait for what must come.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Where a server lives.
pub struct Site {
    pub folder: TempDir,
    pub launch: Launch,
}

impl Site {
    /// With SQLite alone.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let launch = Launch::new(program(), &folder.path().join("data"));
        // A webhook that is tried again would change rows under our eyes.
        let launch = launch.env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "false");
        Self { folder, launch }
    }

    /// The same, with a PostgreSQL to move to.
    pub fn with_postgres(prefix: &str) -> Self {
        let site = Self::new();
        let database = Database::new(SHARED, prefix).expect("a database");
        let launch = database.launch(site.launch).env("FASTNESS_STORE__ENGINE", "sqlite");
        Self { folder: site.folder, launch }
    }

    pub fn start(&self) -> Server {
        self.launch.start().expect("a server")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn place(&self, server: &Server, name: &str) -> PathBuf {
        let row = get(server, &format!("/v1/z/namespaces/{name}")).body;
        self.launch.data().join("namespaces").join(row["place"].as_str().expect("a place"))
    }
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    #[expect(dead_code, reason = "shown when something is not as it should be")]
    pub err: String,
}

/// Runs a command as the administrator.
pub fn run(server: &Server, words: &[&str]) -> Ran {
    let mut command = Command::new(program());
    for name in ["FASTNESS_NAMESPACE", "XDG_CONFIG_HOME", "HOME"] {
        command.env_remove(name);
    }
    command.args(words).env("FASTNESS_SERVER", format!("http://{}", server.address)).env("FASTNESS_KEY", KEY);
    let output = command.output().expect("the program");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

pub fn get(server: &Server, path: &str) -> Answer {
    server.client().get(path).expect("an answer")
}

pub fn post(server: &Server, path: &str, body: &Value) -> Answer {
    server.client().post(path, body, "").expect("an answer")
}

pub fn create(server: &Server, name: &str) {
    let made = post(server, "/v1/z/namespaces", &json!({ "name": name }));
    assert_eq!(made.status, 201, "{made:?}");
    // On a busy machine the answer may come before the store.
    until(server, &format!("/v1/z/namespaces/{name}"), |answer| answer.body["state"] == "open");
}

/// Asks until an answer is as wished.
pub fn until(server: &Server, path: &str, wished: impl Fn(&Answer) -> bool) -> Answer {
    let (end, mut client) = (Instant::now() + PATIENCE, Client::new(server.address, KEY));
    loop {
        let answer = client.get(path).expect("an answer");
        if wished(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "{path} is still {answer:?}; {}", server.log());
        thread::yield_now();
    }
}

/// Waits for the end of a transfer, and until the namespace is open.
pub fn settled(server: &Server, name: &str) -> Value {
    let transfer = until(server, &format!("/v1/z/namespaces/{name}/transfer"), |answer| answer.body["ended"] == true);
    until(server, &format!("/v1/z/namespaces/{name}"), |answer| {
        answer.body["state"] == "open" && answer.body["health"] == "Good"
    });
    transfer.body
}

pub fn begin_move(server: &Server, name: &str, engine: &str) -> Value {
    let begun = post(server, &format!("/v1/z/namespaces/{name}/move"), &json!({ "engine": engine }));
    assert_eq!(begun.status, 202, "{begun:?}");
    begun.body
}

/// Waits until a server has ended itself.
pub fn dead(server: Server) {
    let (end, pid) = (Instant::now() + PATIENCE, server.pid());
    let is_gone = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    while !is_gone() {
        assert!(Instant::now() < end, "it does not end: {}", server.log());
        thread::yield_now();
    }
}
