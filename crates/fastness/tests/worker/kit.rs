//! A server, and workers beside what a test does.

use std::path::Path;

use client::workflow::{Failure, Process, Served, Start, Task, Worker};
use client::{Client, Request};
use kill::server::{KEY, Launch, Server};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;

pub struct Kit {
    pub server: Server,
    pub client: Client,
    _folder: TempDir,
}

impl Kit {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(Path::new(env!("CARGO_BIN_EXE_fastness")), &folder.path().join("data"));
        let server = launch.start().unwrap();
        let client = client_of(&format!("http://{}", server.address));
        Self { server, client, _folder: folder }
    }

    /// Starts a process that begins with this task.
    pub async fn begin(&self, task: Task) -> String {
        self.client.workflow().start(&Start::new("test", task)).await.unwrap()
    }

    pub async fn ended(&self, process: &str) -> Process {
        self.client.workflow().wait(process).await.unwrap()
    }

    /// Starts a process and waits for its end.
    pub async fn result<T: DeserializeOwned>(&self, task: Task) -> Result<T, Failure> {
        let process = self.begin(task).await;
        self.ended(&process).await.result()
    }

    /// What holds for an actor.
    pub async fn set(&self, actor: &str, rules: Value) {
        let request = Request::new("PATCH", &["workflow", "actors", actor]).json(&rules);
        self.client.call(request).await.unwrap();
    }

    /// An actor of which something has to be heard very often.
    pub async fn hasten(&self, actor: &str) {
        self.set(actor, json!({ "work_timeout_ms": 300 })).await;
    }

    /// The kinds of what happened to a process beyond the usual, oldest first.
    pub async fn history(&self, process: &str) -> Vec<String> {
        let request = Request::get(&["workflow", "processes", process, "history"]);
        let lines = self.client.call(request).await.unwrap().value;
        let kinds = lines["items"].as_array().unwrap().iter().rev();
        kinds.map(|line| line["kind"].as_str().unwrap().to_owned()).collect()
    }
}

pub fn client_of(url: &str) -> Client {
    Client::new(url, "main", KEY).unwrap()
}

/// Runs a worker beside this work, and stops it after that.
pub async fn beside<T>(worker: Worker, work: impl Future<Output = T>) -> (Served, T) {
    let (stop, stopped) = oneshot::channel::<()>();
    let work = async {
        let out = work.await;
        drop(stop);
        out
    };
    let stopped = async { drop(stopped.await) };
    let (served, out) = tokio::join!(worker.run(stopped), work);
    (served.unwrap(), out)
}
