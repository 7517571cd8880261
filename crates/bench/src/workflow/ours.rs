//! Our server, four workers, and clients that start processes and wait for their ends.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use anyhow::{Result, ensure};
use futures_util::future::try_join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::side::{Ran, Shape, Side};
use super::worker::{ACTOR, Line, post, work};
use crate::documents::{Process, request};
use crate::sensors::{KEY, start_process_at};

/// Who polls.
const WORKERS: usize = 4;

pub struct Ours {
    home: PathBuf,
    address: SocketAddr,
    server: Option<Process>,
    /// One thread for workers and clients, so that the server has the rest.
    runtime: Runtime,
    begun: Vec<(String, i64)>,
}

#[derive(Deserialize)]
struct Started {
    process_id: String,
}

impl Ours {
    pub fn start(home: &Path) -> Result<Self> {
        std::fs::create_dir_all(home)?;
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let server = Some(start_process_at(home, address)?);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        for _ in 0..WORKERS {
            runtime.spawn(work(address, Arc::new(AtomicU64::new(0))));
        }
        Ok(Self { home: home.to_owned(), address, server, runtime, begun: vec![] })
    }
}

fn start(shape: Shape, n: i64) -> Vec<u8> {
    let task = json!({ "actor": ACTOR, "method": shape.word(), "args": [{ "value": n }] });
    post("processes", None, &json!({ "type": shape.word(), "start": task }))
}

/// Waits for the end of a process and checks its value.
async fn wait_for(line: &mut Line, id: &str, expected: i64) -> Result<()> {
    let show = request("GET", &format!("/v1/main/workflow/processes/{id}?wait_ms=30000"), &format!("Bearer {KEY}"), "");
    loop {
        let told: Value = line.ask_until_answered(&show).await;
        if told["state"] != "ACTIVE" {
            ensure!(told["value"] == expected, "{told}");
            return Ok(());
        }
    }
}

async fn client(address: SocketAddr, shape: Shape, numbers: impl Iterator<Item = i64>) -> Result<Vec<f64>> {
    let mut line = Line { address, connection: None };
    let mut waits = vec![];
    for n in numbers {
        let begun = Instant::now();
        let Started { process_id } = line.ask_until_answered(&start(shape, n)).await;
        wait_for(&mut line, &process_id, shape.value(n)).await?;
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(waits)
}

impl Side for Ours {
    fn name(&self) -> &'static str {
        "ours on SQLite"
    }

    fn run(&mut self, shape: Shape, clients: usize, count: usize) -> Result<Ran> {
        let (address, many) = (self.address, i64::try_from(count)?);
        let begun = Instant::now();
        let waits = self.runtime.block_on(try_join_all(
            (0..clients).map(|first| client(address, shape, (first as i64..many).step_by(clients))),
        ))?;
        Ok(Ran { seconds: begun.elapsed().as_secs_f64(), waits: waits.concat() })
    }

    fn begin(&mut self, shape: Shape, count: usize) -> Result<()> {
        let address = self.address;
        // The first of a process goes to a worker at once: those are the ones that are cut off in the middle.
        self.begun = self.runtime.block_on(async {
            let mut lines: Vec<Line> = (0..16).map(|_| Line { address, connection: None }).collect();
            let share = count.div_ceil(lines.len());
            let all = lines.iter_mut().enumerate().map(|(place, line)| async move {
                let mut begun = vec![];
                for n in (place * share..count.min((place + 1) * share)).map(|n| n as i64) {
                    let Started { process_id } = line.ask_until_answered(&start(shape, n)).await;
                    begun.push((process_id, shape.value(n)));
                }
                anyhow::Ok(begun)
            });
            Ok::<_, anyhow::Error>(try_join_all(all).await?.concat())
        })?;
        Ok(())
    }

    fn kill(&mut self) -> Result<()> {
        // Dropped: killed by signal 9.
        self.server = None;
        self.server = Some(start_process_at(&self.home, self.address)?);
        Ok(())
    }

    fn all_ended(&mut self, _: usize) -> Result<()> {
        let (address, begun) = (self.address, std::mem::take(&mut self.begun));
        self.runtime.block_on(async {
            let mut line = Line { address, connection: None };
            for (id, value) in &begun {
                wait_for(&mut line, id, *value).await?;
            }
            Ok(())
        })
    }

    fn memory_mib(&self) -> Result<f64> {
        self.server.as_ref().map_or(Ok(f64::NAN), |server| Ok(server.memory()?.resident_mib))
    }
}
