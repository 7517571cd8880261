//! Faults in system calls of a running process, put there by strace.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::server::{send_signal, wait};

/// The variable that names the program.
pub const STRACE: &str = "FASTNESS_TEST_STRACE";
/// Longest wait for a fault to strike.
const PATIENCE: Duration = Duration::from_secs(60);

/// strace, attached; it lets go when dropped.
pub struct Tracer {
    child: Child,
    lines: Receiver<String>,
    fired: u64,
}

/// Where strace is.
///
/// # Errors
/// Nobody told.
pub fn strace() -> Result<String> {
    std::env::var(STRACE).with_context(|| format!("{STRACE} is not set: run this by `cargo xtask`"))
}

impl Tracer {
    /// Attaches to all threads of a process: `calls` (`fsync,fdatasync`) get what `inject` says (`error=EIO:when=2+3`).
    /// Calls are counted for each thread by itself.
    ///
    /// # Errors
    /// There is no strace, or no right to use it.
    pub fn attach(pid: u32, calls: &str, inject: &str) -> Result<Self> {
        let mut command = Command::new(strace()?);
        command.args(["-f", "-qq", "-p", &pid.to_string(), "-e", &format!("trace={calls}")]);
        command.args(["-e", "signal=none", "-e", &format!("inject={calls}:{inject}")]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let (tell, lines) = channel();
        if let Some(output) = child.stderr.take() {
            thread::spawn(move || {
                BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
            });
        }
        Ok(Self { child, lines, fired: 0 })
    }

    /// Waits until so many calls got it.
    ///
    /// # Errors
    /// They do not come.
    pub fn wait_fired(&mut self, count: u64) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        while self.fired < count {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => self.count(&line),
                Err(_) => bail!("strace: {} of {count} faults struck", self.fired),
            }
        }
        Ok(())
    }

    /// Lets go. Says how many calls got it.
    ///
    /// # Errors
    /// strace does not end.
    pub fn detach(mut self) -> Result<u64> {
        self.end()?;
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.count(&line);
        }
        Ok(self.fired)
    }

    fn count(&mut self, line: &str) {
        self.fired += u64::from(line.contains("(INJECTED)") || line.contains("(DELAYED)"));
    }

    fn end(&mut self) -> Result<()> {
        if self.child.try_wait()?.is_none() {
            send_signal(&[self.child.id()], "TERM")?;
        }
        wait(&mut self.child).map(drop)
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
