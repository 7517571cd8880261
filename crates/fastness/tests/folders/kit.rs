//! A server, and devices with a folder and a daemon each, driven by commands as a person would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kill::server::{KEY, Launch, Server, send_signal, wait};
use serde_json::Value;
use tempfile::TempDir;

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Kit {
    pub server: Server,
    pub folder: TempDir,
}

/// A folder, and what its daemon remembers.
pub struct Device {
    pub name: &'static str,
    home: PathBuf,
    pub root: PathBuf,
    url: String,
    daemon: Option<Child>,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Kit {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(program(), &folder.path().join("data"));
        Self { server: launch.start().unwrap(), folder }
    }

    pub fn device(&self, name: &'static str) -> Device {
        Device::new(name, self.folder.path(), &self.server)
    }

    /// Two devices that keep a new directory in step.
    pub fn pair(&self) -> [Device; 2] {
        let [mut one, mut two] = [self.device("laptop"), self.device("desk")];
        one.out(&["create", "Plans", one.root_text(), "--device", "laptop"]);
        two.out(&["link", "Plans", two.root_text(), "--device", "desk"]);
        one.run_daemon();
        two.run_daemon();
        [one, two]
    }
}

impl Device {
    pub fn new(name: &'static str, below: &Path, server: &Server) -> Self {
        let (at, url) = (below.join(name), format!("http://{}", server.address));
        Self { name, home: at.join("home"), root: at.join("plans"), url, daemon: None }
    }

    pub fn root_text(&self) -> &str {
        self.root.to_str().unwrap()
    }

    pub fn path(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_owned()
    }

    /// A command of this device's person, who has a key.
    pub fn run(&self, words: &[&str]) -> Ran {
        ran(self.command(words).env("FASTNESS_SERVER", &self.url).env("FASTNESS_KEY", KEY))
    }

    /// The same without a key: what is about this machine needs none.
    pub fn alone(&self, words: &[&str]) -> Ran {
        ran(&mut self.command(words))
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(program());
        for name in ["FASTNESS_SERVER", "FASTNESS_KEY", "FASTNESS_NAMESPACE", "XDG_STATE_HOME", "HOME"] {
            command.env_remove(name);
        }
        command.arg("folders").args(words).env("FASTNESS_FOLDERS_HOME", &self.home);
        command.env("XDG_CONFIG_HOME", self.home.with_file_name("config")).stdin(Stdio::null());
        command
    }

    /// What a command prints that does well.
    pub fn out(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
        ran.out
    }

    /// The same without a key, as JSON.
    pub fn json(&self, words: &[&str]) -> Value {
        let ran = self.alone(&[words, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    pub fn run_daemon(&mut self) {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log_path()).unwrap();
        let mut command = self.command(&["run", "--json"]);
        self.daemon = Some(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap());
    }

    fn log_path(&self) -> PathBuf {
        self.home.with_extension("log")
    }

    /// A word to end, which is followed in good order.
    pub fn stop_daemon(&mut self) {
        let mut daemon = self.daemon.take().unwrap();
        send_signal(&[daemon.id()], "TERM").unwrap();
        let status = wait(&mut daemon).unwrap();
        assert_eq!(status.code(), Some(0), "{}: {}", self.name, self.log());
    }

    /// It ends in the middle of whatever it does.
    pub fn kill_daemon(&mut self) {
        let mut daemon = self.daemon.take().unwrap();
        daemon.kill().unwrap();
        wait(&mut daemon).unwrap();
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root.join(name)).ok()
    }

    pub fn has(&self, name: &str) -> bool {
        self.root.join(name).symlink_metadata().is_ok()
    }

    /// Waits until a file holds this.
    pub fn wait_for(&self, name: &str, text: &str) {
        self.wait_until(name, || self.text(name).as_deref() == Some(text));
    }

    /// Waits until something is so.
    pub fn wait_until(&self, what: &str, holds: impl FnMut() -> bool) {
        self.wait_or(what, holds, || format!("{}\n{}", self.alone(&["status", "--json"]).out, self.log()));
    }

    /// The same, with other words where it never is.
    pub fn wait_or(&self, what: &str, mut holds: impl FnMut() -> bool, told: impl Fn() -> String) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "{}: {what}\n{}", self.name, told());
            std::thread::sleep(Duration::from_millis(20)); // tidy: sleep — another process changes the disk, and tells nobody
        }
    }

    /// Conflict copies, as the command tells them.
    pub fn conflicts(&self) -> Vec<Value> {
        self.json(&["conflicts"])["items"].as_array().unwrap().clone()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}
