//! Our server, with a database for each taker and a device for each sender.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use rusqlite::{Connection as Database, OpenFlags};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use super::message::{Message, database};
use super::{Side, TAKERS};
use crate::documents::{Connection, Process, ask_json, request};
use crate::sensors::{KEY, start_process};

/// The most senders there are.
const DEVICES: usize = 64;

pub struct Ours {
    pub server: Process,
    /// Id and key of each.
    devices: Vec<(String, String)>,
    pub databases: Vec<String>,
    store: PathBuf,
}

#[derive(Deserialize)]
struct Started {
    status: String,
    process: Option<String>,
    messages: Option<Vec<Named>>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

impl Ours {
    pub fn start(home: &Path) -> Result<Self> {
        std::fs::create_dir_all(home)?;
        let server = start_process(home)?;
        let ask = |path: &str, body: &Value| post(&server, path, &format!("Bearer {KEY}"), body);
        ask("companies", &json!({ "id": "bench", "name": "Bench" }))?;
        ask("subsystems", &json!({ "id": "sales", "company": "bench", "name": "Sales" }))?;
        let text = |answer: &Value, name: &str| answer[name].as_str().map(str::to_owned).context(name.to_owned());
        let mut databases = vec![];
        for number in 0..TAKERS {
            let made = ask("databases", &json!({ "id": database(number), "company": "bench" }))?;
            databases.push(text(&made, "key")?);
        }
        let mut devices = vec![];
        for number in 0..DEVICES {
            let wanted = json!({ "company": "bench", "subsystem": "sales", "name": format!("phone {number}") });
            let made = ask("devices", &wanted)?;
            let code = json!({ "code": made["activation_code"] });
            let active = post(&server, "activate", "", &code)?;
            devices.push((text(&active, "device")?, text(&active, "key")?));
        }
        Ok(Self { server, devices, databases, store: store(home) })
    }

    fn requests(&self, senders: usize, messages: &[Message]) -> Vec<Vec<Vec<u8>>> {
        let mut all = vec![vec![]; senders];
        for message in messages {
            let (id, key) = &self.devices[message.sender];
            let text = message.text.replacen('$', id, 1);
            all[message.sender].push(request("POST", &path("messages"), &format!("Bearer {key}"), &text));
        }
        all
    }
}

impl Side for Ours {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn send(&mut self, senders: usize, messages: &[Message]) -> Result<f64> {
        let requests = self.requests(senders, messages);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let connections = try_join_all((0..senders).map(|_| Connection::open(self.server.address))).await?;
            let begun = Instant::now();
            try_join_all(connections.into_iter().zip(&requests).map(|(connection, own)| say(connection, own))).await?;
            Ok(begun.elapsed().as_secs_f64())
        })
    }

    fn take(&mut self, takers: usize, count: usize) -> Result<f64> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let ours = &*self;
        let taken = runtime.block_on(async {
            let begun = Instant::now();
            let all = (0..takers).map(|number| async move {
                let connection = Connection::open(ours.server.address).await?;
                let key = format!("Bearer {}", ours.databases[number]);
                Taker { connection, db: database(number), key }.all().await
            });
            let taken: usize = try_join_all(all).await?.iter().sum();
            anyhow::Ok((taken, begun.elapsed().as_secs_f64()))
        })?;
        ensure!(taken.0 == count, "{} of {count} were taken", taken.0);
        Ok(taken.1)
    }

    fn used_s(&self) -> Result<f64> {
        self.server.processor().used_s()
    }

    fn rest(&mut self) -> Result<f64> {
        let begun = Instant::now();
        let store = Database::open_with_flags(&self.store, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let due = "SELECT COUNT(*) FROM (SELECT 1 FROM exc_message WHERE due IS NOT NULL LIMIT 1)";
        while store.query_row(due, [], |row| row.get::<_, i64>(0))? > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(begun.elapsed().as_secs_f64())
    }
}

/// The file of the server's store.
pub fn store(home: &Path) -> PathBuf {
    home.join("data/namespaces/main/store.db")
}

async fn say(mut connection: Connection, requests: &[Vec<u8>]) -> Result<()> {
    for request in requests {
        connection.ask(request).await?;
    }
    Ok(())
}

/// A database that takes what is there, ten at a time.
pub struct Taker {
    pub connection: Connection,
    pub db: String,
    pub key: String,
}

impl Taker {
    async fn all(mut self) -> Result<usize> {
        let mut taken = 0;
        loop {
            let (many, _) = match self.batch().await? {
                Some(batch) => batch,
                None => return Ok(taken),
            };
            taken += many;
        }
    }

    /// One handshake; how many, and how long the start took. `None`: nothing waits.
    pub async fn batch(&mut self) -> Result<Option<(usize, Duration)>> {
        loop {
            let begun = Instant::now();
            let answer = self.ask("processes", &json!({ "db": self.db })).await?;
            let took = begun.elapsed();
            let started: Started = serde_json::from_slice(&answer)?;
            match (started.status.as_str(), started.process, started.messages) {
                ("OK", Some(process), Some(messages)) => {
                    return self.finish(&process, &messages).await.map(|()| Some((messages.len(), took)));
                }
                ("IDLE", ..) => return Ok(None),
                // Files of the one before are being moved.
                ("BUSY", ..) => tokio::time::sleep(Duration::from_millis(1)).await,
                (status, ..) => anyhow::bail!("start was answered {status}"),
            }
        }
    }

    async fn finish(&mut self, process: &str, messages: &[Named]) -> Result<()> {
        let result = |message: &Named| json!({ "id": message.id, "status": "PROCESSED" });
        let results: Vec<Value> = messages.iter().map(result).collect();
        self.agreed(&format!("processes/{process}/prepare"), &json!({ "results": results, "replies": [] })).await?;
        self.agreed(&format!("processes/{process}/commit"), &json!({})).await
    }

    async fn agreed(&mut self, path: &str, body: &Value) -> Result<()> {
        let answer = self.ask(path, body).await?;
        let answer: Value = serde_json::from_slice(&answer)?;
        ensure!(answer["status"] == "OK", "{path}: {answer}");
        Ok(())
    }

    async fn ask(&mut self, to: &str, body: &Value) -> Result<Vec<u8>> {
        let request = request("POST", &path(to), &self.key, &body.to_string());
        Ok(self.connection.ask(&request).await?.to_vec())
    }
}

fn path(name: &str) -> String {
    format!("/v1/main/exchange/{name}")
}

/// Asks our server as its administrator.
pub fn get(server: &Process, name: &str) -> Result<Value> {
    ask_json(server.address, &request("GET", &path(name), &format!("Bearer {KEY}"), ""))
}

fn post(server: &Process, name: &str, key: &str, body: &Value) -> Result<Value> {
    ask_json(server.address, &request("POST", &path(name), key, &body.to_string()))
}
