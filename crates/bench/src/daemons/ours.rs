//! Our own: `fastness serve` and two `fastness folders run`, each with a home of its own.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::child::{Daemon, Shown, output_of};
use super::side::{Places, Side};
use super::wait::{STEP_MAX, until};
use super::wire::{Wire, proxy};
use crate::documents::Process;
use crate::sensors::{KEY, start_process, start_process_at};

pub struct Ours {
    places: Places,
    /// Gone only while it is started again.
    server: Option<Process>,
    wire: Wire,
    /// A's and B's.
    daemons: Vec<Daemon>,
}

impl Ours {
    pub fn start(runtime: &Runtime, places: Places) -> Result<Self> {
        let home = places.home.join("server");
        std::fs::create_dir(&home)?;
        let server = start_process(&home)?;
        let (a, b) = (proxy(runtime, server.address)?, proxy(runtime, server.address)?);
        let made = output_of(folders(&places, "a", a.address)?.args(["create", "bench"]).arg(&places.a).arg("--json"))?;
        let made: Value = serde_json::from_str(&made)?;
        let id = made["id"].as_str().with_context(|| made.to_string())?;
        output_of(folders(&places, "b", b.address)?.args(["link", id]).arg(&places.b))?;
        let mut ours = Self { places, server: Some(server), wire: Wire::Server { a, b }, daemons: vec![] };
        ours.start_daemons()?;
        Ok(ours)
    }

    fn start_daemons(&mut self) -> Result<()> {
        for (letter, name) in [("a", "A"), ("b", "B")] {
            let before = value(&state_of(&self.places, letter)?, "looked_us")?;
            let mut command = Command::new(program()?);
            command.args(["folders", "run", "-q"]).env("FASTNESS_FOLDERS_HOME", home_of(&self.places, letter));
            self.daemons.push(Daemon::start(name, &self.places.home.join(format!("{letter}.log")), &mut command)?);
            until(&format!("the daemon of {name} looked at everything and is connected"), STEP_MAX, || {
                let state = state_of(&self.places, letter)?;
                let is_connected = value(&state, "report")?.is_some_and(|report| report.contains("\"connected\":true"));
                Ok(is_connected && value(&state, "looked_us")? != before)
            })?;
        }
        Ok(())
    }
}

impl Side for Ours {
    fn places(&self) -> &Places {
        &self.places
    }

    /// The daemon of A looks at everything because somebody wished it: from the moment at which it takes the wish up (it looks for wishes once a
    /// second) until its state says that it looked.
    fn rescan(&mut self) -> Result<f64> {
        let state = Connection::open(state_of(&self.places, "a")?)?;
        state.busy_timeout(Duration::from_secs(5))?;
        let looked = || said(&state, "looked_us");
        let before = looked()?;
        state.execute("INSERT INTO wish (wish) VALUES ('rescan')", [])?;
        let is_taken = || Ok(state.query_row("SELECT COUNT(*) FROM wish", [], |row| row.get::<_, i64>(0))? == 0);
        until("the wish is taken up", STEP_MAX, is_taken)?;
        let begun = Instant::now();
        until("everything is looked at", STEP_MAX, || Ok(looked()? != before))?;
        Ok(begun.elapsed().as_secs_f64())
    }

    fn wire(&self) -> &Wire {
        &self.wire
    }

    fn processes(&self) -> Vec<Shown> {
        let server = self.server.iter().map(|server| Shown { name: "server", pid: server.pid() });
        server.chain(self.daemons.iter().map(|daemon| Shown { name: daemon.name, pid: daemon.pid() })).collect()
    }

    fn restart(&mut self) -> Result<()> {
        self.daemons.clear();
        if let Some(address) = self.server.take().map(|server| server.address) {
            self.server = Some(start_process_at(&self.places.home.join("server"), address)?);
        }
        self.start_daemons()
    }
}

fn program() -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("fastness"))
}

fn home_of(places: &Places, letter: &str) -> PathBuf {
    places.home.join(format!("home-{letter}"))
}

fn folders(places: &Places, letter: &str, server: SocketAddr) -> Result<Command> {
    let mut command = Command::new(program()?);
    command.arg("folders").env("FASTNESS_FOLDERS_HOME", home_of(places, letter)).env("FASTNESS_KEY", KEY);
    command.env("FASTNESS_SERVER", format!("http://{server}"));
    Ok(command)
}

/// What the daemon remembers; it has one link.
fn state_of(places: &Places, letter: &str) -> Result<PathBuf> {
    let mut links = std::fs::read_dir(home_of(places, letter))?;
    Ok(links.next().context("no link")??.path().join("state.db"))
}

fn value(state: &Path, name: &str) -> Result<Option<String>> {
    if !state.exists() {
        return Ok(None);
    }
    let state = Connection::open(state)?;
    state.busy_timeout(Duration::from_secs(5))?;
    // Its tables are made after it is.
    Ok(said(&state, name).unwrap_or_default())
}

fn said(state: &Connection, name: &str) -> Result<Option<String>> {
    let found = state.query_row("SELECT value FROM value WHERE name = ?1", [name], |row| row.get(0));
    Ok(found.optional()?)
}
