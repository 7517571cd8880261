//! The server's process: started in a folder, told apart by its own words, ended gently or not.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use crate::check::violation;
use crate::client::Client;

/// The administrator's key of every server here.
pub const KEY: &str = "a-key-for-the-tests-only";
/// Longest wait for a start or a stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to start a server.
#[derive(Debug, Clone)]
pub struct Launch {
    program: PathBuf,
    data: PathBuf,
    log: PathBuf,
    env: Vec<(String, String)>,
    below: Vec<String>,
    listen: String,
}

impl Launch {
    /// This program, with its data here, on any free port; its log goes to a file beside the data.
    #[must_use]
    pub fn new(program: &Path, data: &Path) -> Self {
        let log = data.with_extension("log");
        Self {
            program: program.to_owned(),
            data: data.to_owned(),
            log,
            env: vec![],
            below: vec![],
            listen: "127.0.0.1:0".into(),
        }
    }

    /// On this address, for those who know it already.
    #[must_use]
    pub fn listen_on(self, address: std::net::SocketAddr) -> Self {
        Self { listen: address.to_string(), ..self }
    }

    /// With a variable in its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With its log elsewhere, such as on a disk that has room.
    #[must_use]
    pub fn log_to(self, log: &Path) -> Self {
        Self { log: log.to_owned(), ..self }
    }

    /// Below another program (strace) with these words before its own.
    #[must_use]
    pub fn below(self, words: &[&str]) -> Self {
        Self { below: words.iter().map(|word| (*word).to_owned()).collect(), ..self }
    }

    /// With its data elsewhere: another server of the same environment.
    #[must_use]
    pub fn with_data(self, data: &Path) -> Self {
        Self { data: data.to_owned(), log: data.with_extension("log"), ..self }
    }

    /// Where its data is.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// What it logged so far, over all starts.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// The command, to be changed or run by hand.
    #[must_use]
    pub fn command(&self) -> Command {
        let program = self.program.display().to_string();
        let mut words = self.below.iter().map(String::as_str).chain([program.as_str()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(["serve", "--listen", &self.listen, "--data"]).arg(&self.data);
        command.env("FASTNESS_ADMIN_KEY", KEY).envs(self.env.iter().cloned());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Another command of the program on the same data.
    #[must_use]
    pub fn other_command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).arg("--data").arg(&self.data).envs(self.env.iter().cloned()).stdin(Stdio::null());
        command
    }

    /// Starts it and waits until it says where it listens.
    ///
    /// # Errors
    /// It ended, or took too long.
    pub fn start(&self) -> Result<Server> {
        self.start_as(self.command())
    }

    /// The same with a command that was changed.
    ///
    /// # Errors
    /// It ended, or took too long.
    pub fn start_as(&self, command: Command) -> Result<Server> {
        let starting = self.spawn(command)?;
        starting.ready()
    }

    /// Starts it without waiting.
    ///
    /// # Errors
    /// There is no such program.
    pub fn spawn(&self, mut command: Command) -> Result<Starting> {
        let to_log = fs::OpenOptions::new().create(true).append(true).open(&self.log).context("no log file")?;
        let mut child = command.stderr(to_log).spawn().context("the server cannot be started")?;
        let lines = lines_of(&mut child);
        Ok(Starting { child: Ended(child), lines, launch: self.clone() })
    }
}

/// A child that is ended when nobody holds it any more.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server on its way up.
pub struct Starting {
    child: Ended,
    lines: Receiver<String>,
    launch: Launch,
}

impl Starting {
    /// Waits until it says where it listens.
    ///
    /// # Errors
    /// It ended, or took too long.
    pub fn ready(self) -> Result<Server> {
        let Self { child, lines, launch } = self;
        let greeting = greeting(&lines, PATIENCE).ok_or_else(|| {
            let log = launch.log();
            let last: Vec<&str> = log.lines().rev().take(20).collect();
            anyhow!("the server did not become ready; its log, the last line first: {}", last.join("\n"))
        })?;
        let url = greeting.lines().find_map(|line| line.trim().strip_prefix("console")).context("no console line")?;
        let address = url.trim().trim_start_matches("http://").trim_end_matches("/console").parse()?;
        Ok(Server { child, address, greeting, launch })
    }

    /// Ends it without any warning after this time, unless it is ready before. Says whether it was still starting.
    ///
    /// # Errors
    /// It cannot be ended.
    pub fn kill_after(mut self, time: Duration) -> Result<bool> {
        let was_ready = greeting(&self.lines, time).is_some();
        ensure!(self.child.0.try_wait()?.is_none(), violation("the server ended by itself while it started"));
        self.child.0.kill()?;
        self.child.0.wait()?;
        Ok(!was_ready)
    }
}

/// A running server; killed when dropped.
pub struct Server {
    child: Ended,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it printed until it was ready.
    pub greeting: String,
    launch: Launch,
}

impl Server {
    /// A client with the administrator's key.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.address, KEY)
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// What it logged so far, over all starts in this folder.
    #[must_use]
    pub fn log(&self) -> String {
        self.launch.log()
    }

    /// Whether it has not ended by itself.
    ///
    /// # Errors
    /// The kernel does not say.
    pub fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.0.try_wait()?.is_none())
    }

    /// Ends it without any warning.
    ///
    /// # Errors
    /// It had ended by itself.
    pub fn kill(mut self) -> Result<()> {
        ensure!(self.is_running()?, "the server had ended by itself");
        self.child.0.kill()?;
        self.child.0.wait()?;
        Ok(())
    }

    /// Sends a signal by name and waits for the end.
    ///
    /// # Errors
    /// It does not end in time.
    pub fn end(mut self, signal: &str) -> Result<(ExitStatus, Duration)> {
        let begun = Instant::now();
        send_signal(&[self.pid()], signal)?;
        let status = wait(&mut self.child.0)?;
        Ok((status, begun.elapsed()))
    }

    /// Ends the server below a tracer: the process that holds the lock.
    ///
    /// # Errors
    /// It does not end in time.
    pub fn kill_traced(mut self) -> Result<()> {
        let pid = fs::read_to_string(self.launch.data().join("lock")).context("no lock file")?;
        send_signal(&[pid.trim().parse()?], "KILL")?;
        wait(&mut self.child.0).map(drop)
    }
}

/// Sends a signal by name.
///
/// # Errors
/// One of the processes is not there.
pub fn send_signal(pids: &[u32], signal: &str) -> Result<()> {
    let words: Vec<String> = pids.iter().map(u32::to_string).collect();
    let sent = Command::new("kill").arg(format!("-{signal}")).args(&words).stderr(Stdio::null()).status();
    ensure!(sent.context("no program `kill`")?.success(), "kill -{signal} {}", words.join(" "));
    if signal == "STOP" {
        pids.iter().try_for_each(|pid| wait_stopped(*pid))?;
    }
    Ok(())
}

/// A stop reaches each thread when it runs next: on a busy machine some go on for a while.
fn wait_stopped(pid: u32) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    while !threads_of(pid).iter().all(|stat| stands_still(stat)) {
        ensure!(Instant::now() < until, "process {pid} goes on though it was stopped");
        thread::sleep(Duration::from_millis(1)); // tidy: sleep — the kernel stops threads, and tells nobody
    }
    Ok(())
}

/// What the kernel says of each thread; nothing of a process that ended.
fn threads_of(pid: u32) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok()).collect()
}

/// The state is the letter behind the name, which may hold anything.
fn stands_still(stat: &str) -> bool {
    let state = stat.rsplit_once(") ").and_then(|(_, behind)| behind.chars().next());
    matches!(state, Some('T' | 't' | 'Z' | 'X'))
}

/// Waits for an end, bounded.
///
/// # Errors
/// It does not come in time.
pub fn wait(child: &mut Child) -> Result<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(1)); // tidy: sleep — std waits for a child for ever or not at all
    }
    Err(anyhow!("process {} does not end", child.id()))
}

/// The process's lines, read on a thread so that waiting for them is bounded.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let (tell, told) = channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
        });
    }
    told
}

fn greeting(lines: &Receiver<String>, patience: Duration) -> Option<String> {
    let until = Instant::now() + patience;
    let mut greeting = String::new();
    loop {
        match lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) if line.contains("Ctrl-C") => return Some(greeting),
            Ok(line) => greeting += &(line + "\n"),
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}
