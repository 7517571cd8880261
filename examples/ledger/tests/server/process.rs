//! The server's process: started in a folder, told apart by its own words, ended gently or not.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::Client;

/// The administrator's key of every server here.
pub(crate) const KEY: &str = "a-key-for-the-tests-only";
/// Longest wait for a start or a stop.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// What it printed until it was ready.
    pub(crate) greeting: String,
    log: PathBuf,
}

/// The command that starts the server in `data`, on any free port, with its log in a file.
pub(crate) fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger"));
    prepare(&mut command, data);
    command
}

/// The same below another program (strace).
pub(crate) fn command_below(program: &str, arguments: &[&str], data: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(env!("CARGO_BIN_EXE_ledger"));
    prepare(&mut command, data);
    command
}

fn prepare(command: &mut Command, data: &Path) {
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data).env("FASTNESS_ADMIN_KEY", KEY);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

impl Server {
    pub(crate) fn start(data: &Path) -> Self {
        Self::spawn(command(data), data)
    }

    /// Starts and waits until it says where it listens.
    pub(crate) fn spawn(mut command: Command, data: &Path) -> Self {
        let log = data.with_extension("log");
        let to_log = fs::OpenOptions::new().create(true).append(true).open(&log).expect("a log file");
        let mut child = command.stderr(to_log).spawn().expect("the server starts");
        let lines = lines_of(&mut child);
        let greeting = greeting(&lines).unwrap_or_else(|| {
            let _ = child.kill();
            panic!("the server did not become ready: {}", fs::read_to_string(&log).unwrap_or_default())
        });
        let url = greeting.lines().find_map(|line| line.trim().strip_prefix("console")).expect("a console line");
        let address = url.trim().trim_start_matches("http://").trim_end_matches('/').parse().expect("an address");
        Self { child, address, greeting, log }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address, KEY)
    }

    /// What it logged so far, over all starts in this folder.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Ends it without any warning.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("a running server");
        self.child.wait().expect("an end");
    }

    /// Sends a signal by name and waits for the end.
    pub(crate) fn end(mut self, signal: &str) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        send_signal(self.child.id(), signal);
        let status = wait(&mut self.child).expect("an end in time");
        (status, begun.elapsed())
    }

    /// Ends the server below a tracer: the process that holds the lock.
    pub(crate) fn kill_traced(mut self, data: &Path) {
        let pid = fs::read_to_string(data.join("lock")).expect("a lock file");
        send_signal(pid.trim().parse().expect("a pid"), "KILL");
        let _ = wait(&mut self.child);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn send_signal(pid: u32, signal: &str) {
    let status = Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status().expect("kill");
    assert!(status.success(), "kill -{signal} {pid}");
}

/// Waits for an end, bounded.
pub(crate) fn wait(child: &mut Child) -> Option<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status);
        }
        thread::yield_now();
    }
    None
}

/// The process's lines, read on a thread so that waiting for them is bounded.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let output = BufReader::new(child.stdout.take().expect("piped output"));
    let (tell, told) = channel();
    thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
    told
}

fn greeting(lines: &Receiver<String>) -> Option<String> {
    let mut greeting = String::new();
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) if line.contains("Ctrl-C") => return Some(greeting),
            Ok(line) => greeting += &(line + "\n"),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        }
    }
}
