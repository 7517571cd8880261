//! Syncthing: two instances that know each other and nobody else.
//!
//! Its `config.xml` is edited before it is ever started, so that it never listens or dials beyond loopback.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tokio::runtime::Runtime;

use super::child::{Daemon, Shown, output_of};
use super::side::{Places, Side};
use super::syncthing_config::{Wanted, configured, text_of};
use super::wait::{STEP_MAX, until};
use super::wire::{Wire, proxy};
use crate::documents::free_address;

pub struct Syncthing {
    places: Places,
    a: Instance,
    b: Instance,
    wire: Wire,
}

struct Instance {
    home: PathBuf,
    device: String,
    key: String,
    gui: SocketAddr,
    listen: SocketAddr,
    daemon: Option<Daemon>,
}

impl Syncthing {
    pub fn start(runtime: &Runtime, places: Places, delay_s: u32) -> Result<Self> {
        let (a, b) = (Instance::generate(&places.home.join("st-a"))?, Instance::generate(&places.home.join("st-b"))?);
        let proxy = proxy(runtime, b.listen)?;
        // Only A dials; nothing tells B where A is.
        a.configure(&b, &places.a, &format!("tcp://{}", proxy.address), delay_s)?;
        b.configure(&a, &places.b, "dynamic", delay_s)?;
        let mut syncthing = Self { places, a, b, wire: Wire::Direct(proxy) };
        syncthing.restart()?;
        Ok(syncthing)
    }
}

impl Side for Syncthing {
    fn places(&self) -> &Places {
        &self.places
    }

    /// Answered when the scan is done.
    fn rescan(&mut self) -> Result<f64> {
        let begun = Instant::now();
        self.a.ask("POST", "/rest/db/scan?folder=bench")?;
        Ok(begun.elapsed().as_secs_f64())
    }

    fn wire(&self) -> &Wire {
        &self.wire
    }

    fn processes(&self) -> Vec<Shown> {
        let daemons = [&self.a, &self.b].into_iter().filter_map(|instance| instance.daemon.as_ref());
        daemons.map(|daemon| Shown { name: daemon.name, pid: daemon.pid() }).collect()
    }

    fn restart(&mut self) -> Result<()> {
        (self.a.daemon, self.b.daemon) = (None, None);
        self.b.run("B")?;
        self.a.run("A")?;
        until("the instances are connected", STEP_MAX, || {
            Ok(self.a.ask("GET", "/rest/system/connections")?.contains("\"connected\": true"))
        })
    }
}

impl Instance {
    fn generate(home: &Path) -> Result<Self> {
        let mut command = Command::new("syncthing");
        command.args(["generate", "--no-default-folder", "--skip-port-probing", "--home"]).arg(home);
        output_of(command.env("HOME", home))?;
        let config = fs::read_to_string(home.join("config.xml"))?;
        let device =
            config.split_once("<device id=\"").and_then(|(_, rest)| rest.split_once('"')).context("no device")?;
        Ok(Self {
            home: home.to_owned(),
            device: device.0.to_owned(),
            key: text_of(&config, "apikey").context("no key")?.to_owned(),
            gui: free_address()?,
            listen: free_address()?,
            daemon: None,
        })
    }

    fn configure(&self, other: &Self, folder: &Path, dial: &str, delay_s: u32) -> Result<()> {
        let file = self.home.join("config.xml");
        let wanted = Wanted {
            device: &self.device,
            other: &other.device,
            gui: self.gui,
            listen: self.listen,
            dial,
            folder,
            delay_s,
        };
        fs::write(&file, configured(&fs::read_to_string(&file)?, &wanted)?)?;
        Ok(())
    }

    fn run(&mut self, name: &'static str) -> Result<()> {
        let mut command = Command::new("syncthing");
        command.args(["serve", "--no-browser", "--no-restart", "--home"]).arg(&self.home);
        // Without the process that would watch over it: what is started here is what is ended here.
        command.env("HOME", &self.home).env("STNOUPGRADE", "1").env("STMONITORED", "1");
        self.daemon = Some(Daemon::start(name, &self.home.join("log"), &mut command)?);
        until(&format!("instance {name} of Syncthing is up and has scanned"), STEP_MAX, || {
            let status = self.ask("GET", "/rest/db/status?folder=bench").unwrap_or_default();
            Ok(status.contains("\"state\": \"idle\""))
        })
    }

    /// By HTTP/1.0, so that an answer ends with its connection. It refuses whoever does not say a host of loopback.
    fn ask(&self, method: &str, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(self.gui)?;
        stream.set_read_timeout(Some(STEP_MAX))?;
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: localhost\r\nX-API-Key: {}\r\nContent-Length: 0\r\n\r\n",
            self.key
        );
        stream.write_all(head.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(answer.contains(" 200 OK"), "{method} {path}: {answer}");
        Ok(answer)
    }
}
