//! A server as `fastness serve` makes it, and a person who runs demos at a shell.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use kill::postgres::{Database, SHARED};
use kill::server::{KEY, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

pub struct Kit {
    pub server: Server,
    pub folder: TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A demo that is under way; it ends with whoever holds it.
pub struct Underway {
    pub child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Kit {
    /// On empty data, with no setting but an administrator's key.
    pub fn start() -> Self {
        Self::changed(|launch| launch)
    }

    /// The same, started in another way.
    pub fn changed(change: impl FnOnce(Launch) -> Launch) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = change(Launch::new(program(), &folder.path().join("data")));
        Self { server: launch.start().unwrap(), folder }
    }

    /// The same with PostgreSQL as its engine, in schemas of this prefix.
    pub fn on_postgres(prefix: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(program(), &folder.path().join("data"));
        let launch = Database::new(SHARED, prefix).unwrap().launch(launch);
        Self { server: launch.start().unwrap(), folder }
    }

    /// A command of the administrator; words are split at blanks.
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(program());
        for name in ["FASTNESS_NAMESPACE", "HOME"] {
            command.env_remove(name);
        }
        command.args(words.split_whitespace()).env("FASTNESS_SERVER", format!("http://{}", self.server.address));
        command.env("FASTNESS_KEY", KEY).env("XDG_CONFIG_HOME", self.folder.path().join("config"));
        command.env("XDG_STATE_HOME", self.state()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, words: &str) -> Ran {
        ran(&mut self.command(words))
    }

    /// Begins a demo that tells as JSON.
    pub fn begin(&self, words: &str) -> Underway {
        let mut command = self.command(&format!("demo {words} --json"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Underway { child, lines }
    }

    fn state(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }

    /// Names of all namespaces.
    pub fn namespaces(&self) -> Vec<String> {
        let rows = self.server.client().get("/v1/z/namespaces").unwrap().body;
        let names = rows["items"].as_array().unwrap().iter();
        names.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    }

    pub fn ask(&self, method: &str, path: &str, body: &Value) -> kill::client::Answer {
        self.server.client().ask(method, path, body, "").unwrap()
    }

    pub fn make_namespace(&self, body: &Value) {
        let made = self.ask("POST", "/v1/z/namespaces", body);
        assert_eq!((made.status, &made.body["state"]), (201, &json!("open")), "{made:?}");
    }

    /// Folders of namespaces, on the server's disk.
    pub fn folders(&self) -> Vec<String> {
        names_in(&self.folder.path().join("data/namespaces"))
    }

    /// Nothing of any demo is there any more: no namespace, no data of one, no file of a person.
    pub fn assert_clean(&self) {
        assert_eq!(self.namespaces(), ["main", "z"]);
        assert_eq!(self.folders(), ["main", "z"]);
        let messages = names_in(&self.folder.path().join("data/exchange"));
        assert!(messages.iter().all(|name| name == "main" || name == "z"), "{messages:?}");
        assert_eq!(names_in(&self.state().join("fastness/demos")), [""; 0]);
    }
}

impl Underway {
    /// The next thing that it tells.
    pub fn told(&mut self) -> Value {
        let line = self.lines.next().expect("it tells on").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Until it tells of this step.
    pub fn until_step(&mut self, step: u64) -> Value {
        loop {
            let told = self.told();
            if told["step"] == step {
                return told;
            }
        }
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}
