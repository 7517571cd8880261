//! unison: a server on a socket of loopback, and a run for every change.

use std::process::Command;
use std::time::Instant;

use anyhow::Result;
use tokio::runtime::Runtime;

use super::child::{Daemon, Shown, run_within};
use super::side::{Places, Side};
use super::wait::{STEP_MAX, until};
use super::wire::{Wire, proxy};
use crate::documents::free_address;

pub struct Unison {
    places: Places,
    server: Daemon,
    wire: Wire,
    port: u16,
    highest_mib: f64,
}

impl Unison {
    pub fn start(runtime: &Runtime, places: Places) -> Result<Self> {
        let address = free_address()?;
        let mut command = program(&places, "b");
        command.args(["-socket", &address.port().to_string(), "-listen", "127.0.0.1"]);
        let server = Daemon::start("B", &places.home.join("server.log"), &mut command)?;
        until("unison listens", STEP_MAX, || is_listening(address.port()))?;
        let proxy = proxy(runtime, address)?;
        let port = proxy.address.port();
        Ok(Self { places, server, wire: Wire::Direct(proxy), port, highest_mib: 0.0 })
    }
}

impl Side for Unison {
    fn places(&self) -> &Places {
        &self.places
    }

    fn carry(&mut self) -> Result<()> {
        let mut command = program(&self.places, "a");
        command.arg(&self.places.a).arg(format!("socket://127.0.0.1:{}/{}", self.port, self.places.b.display()));
        command.args(["-batch", "-silent", "-times", "-confirmbigdel=false"]);
        let mib = run_within(STEP_MAX, &self.places.home.join("run.log"), &mut command)?;
        self.highest_mib = self.highest_mib.max(mib);
        Ok(())
    }

    /// A run while nothing changed.
    fn rescan(&mut self) -> Result<f64> {
        let begun = Instant::now();
        self.carry()?;
        Ok(begun.elapsed().as_secs_f64())
    }

    fn wire(&self) -> &Wire {
        &self.wire
    }

    fn processes(&self) -> Vec<Shown> {
        vec![Shown { name: self.server.name, pid: self.server.pid() }]
    }

    fn ended(&self) -> Vec<(&'static str, f64)> {
        vec![("A", self.highest_mib)]
    }

    fn restart(&mut self) -> Result<()> {
        Ok(())
    }
}

/// With a home of its own: what it remembers of each run lies there.
fn program(places: &Places, letter: &str) -> Command {
    let mut command = Command::new("unison");
    command.env("HOME", &places.home).env("UNISON", places.home.join(format!("unison-{letter}")));
    command
}

/// Looked up and not dialled: it serves one after another, and a caller that says nothing would be one.
fn is_listening(port: u16) -> Result<bool> {
    let wanted = format!(":{port:04X} 00000000:0000 0A");
    Ok(std::fs::read_to_string("/proc/net/tcp")?.contains(&wanted))
}
