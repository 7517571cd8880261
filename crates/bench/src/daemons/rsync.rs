//! rsync: a daemon on loopback, and a run for every change. B is made like A, never the other way.

use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::Result;
use tokio::runtime::Runtime;

use super::child::{Daemon, Shown, run_within};
use super::side::{Places, Side};
use super::wait::{STEP_MAX, until};
use super::wire::{Wire, proxy};
use crate::documents::free_address;

pub struct Rsync {
    places: Places,
    daemon: Daemon,
    wire: Wire,
    port: u16,
    does_fsync: bool,
    highest_mib: f64,
}

impl Rsync {
    pub fn start(runtime: &Runtime, places: Places, does_fsync: bool) -> Result<Self> {
        let address = free_address()?;
        let config = places.home.join("rsyncd.conf");
        let text = format!(
            "address = 127.0.0.1\nport = {}\nuse chroot = no\n[b]\npath = {}\nread only = false\n{}",
            address.port(),
            places.b.display(),
            owner()?
        );
        fs::write(&config, text)?;
        let mut command = Command::new("rsync");
        command.args(["--daemon", "--no-detach", "--config"]).arg(&config);
        let daemon = Daemon::start("B", &places.home.join("rsyncd.log"), &mut command)?;
        until("rsync listens", STEP_MAX, || Ok(std::net::TcpStream::connect(address).is_ok()))?;
        let proxy = proxy(runtime, address)?;
        let port = proxy.address.port();
        Ok(Self { places, daemon, wire: Wire::Direct(proxy), port, does_fsync, highest_mib: 0.0 })
    }
}

impl Side for Rsync {
    fn places(&self) -> &Places {
        &self.places
    }

    fn carry(&mut self) -> Result<()> {
        let mut command = Command::new("rsync");
        command.args(["-a", "--delete"]).args(self.does_fsync.then_some("--fsync"));
        command.arg(format!("{}/", self.places.a.display())).arg(format!("rsync://127.0.0.1:{}/b/", self.port));
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
        vec![Shown { name: self.daemon.name, pid: self.daemon.pid() }]
    }

    fn ended(&self) -> Vec<(&'static str, f64)> {
        vec![("A", self.highest_mib)]
    }

    fn restart(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Started by root it would become nobody, who may not write.
fn owner() -> Result<&'static str> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(if fs::metadata("/proc/self")?.uid() == 0 { "uid = root\ngid = root\n" } else { "" })
}
