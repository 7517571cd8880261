//! A server as a process of its own, and what it takes of the machine.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

/// Clock ticks of `/proc` per second, on every Linux of today.
const TICKS: f64 = 100.0;

/// A process that ends with this value.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
}

impl Process {
    /// Starts a program that listens on a port of its own; what it says goes to `log`.
    pub fn start(log: &Path, command: impl FnOnce(SocketAddr) -> Command) -> Result<Self> {
        Self::start_at(free_address()?, log, command)
    }

    /// The same on this port.
    pub fn start_at(address: SocketAddr, log: &Path, command: impl FnOnce(SocketAddr) -> Command) -> Result<Self> {
        let file = fs::File::create(log)?;
        let mut command = command(address);
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let process = Self { child: command.spawn().with_context(|| format!("{command:?}"))?, address };
        for _ in 0..3_000 {
            if TcpStream::connect(address).is_ok() {
                return Ok(process);
            }
            thread::sleep(Duration::from_millis(10));
        }
        anyhow::bail!("nobody listens on {address}: {}", fs::read_to_string(log)?)
    }

    pub fn processor(&self) -> Processor {
        Processor { pid: self.child.id() }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn memory(&self) -> Result<Memory> {
        memory_of(self.child.id())
    }
}

/// A port of this machine on which nobody listens.
pub fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Memory of the process with this number.
pub fn memory_of(pid: u32) -> Result<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let of = |name: &str| -> Result<f64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).with_context(|| name.to_owned())?;
        Ok(line.trim_end_matches("kB").trim().parse::<f64>()? / 1024.0)
    };
    Ok(Memory { resident_mib: of("VmRSS:")?, highest_mib: of("VmHWM:")? })
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Memory of a process.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub resident_mib: f64,
    pub highest_mib: f64,
}

/// Processor time of a process.
pub struct Processor {
    pid: u32,
}

impl Processor {
    pub fn used_s(&self) -> Result<f64> {
        used_by(self.pid)
    }
}

/// Processor time of the process with this number.
pub fn used_by(pid: u32) -> Result<f64> {
    used_s(&format!("/proc/{pid}/stat"))
}

/// Processor time of this process.
pub fn own_cpu() -> Result<f64> {
    used_s("/proc/self/stat")
}

fn used_s(file: &str) -> Result<f64> {
    let text = fs::read_to_string(file)?;
    let (_, after_name) = text.rsplit_once(')').context("a name")?;
    let mut times = after_name.split_whitespace().skip(11);
    let mut next = || -> Result<f64> { Ok(times.next().context("a short stat")?.parse::<f64>()? / TICKS) };
    Ok(next()? + next()?)
}
