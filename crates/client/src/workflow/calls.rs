//! Calls of the workflow: of whoever starts processes and looks after them, and of workers.

use std::time::Duration;

use reqwest::Method;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::process::{Process, State};
use super::task::Task;
use super::wire::{Beat, Beaten, Brought, Given, Poll, Polled, Released, Verdict};
use crate::call::Call;
use crate::client::{Client, invalid};
use crate::error::ClientError;
use crate::retry::Retry;

/// How much longer than the server an answer that waits is listened to.
const SLACK: Duration = Duration::from_secs(30);
/// How long one look at a process waits for its end.
const LOOK_MS: u64 = 30_000;

/// A process that is asked for.
#[derive(Debug, Clone, Serialize)]
#[must_use = "`Workflow::start` starts it"]
pub struct Start {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) custom_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(rename = "start")]
    pub(super) task: Task,
}

impl Start {
    /// A process of a type, which begins with this task.
    pub fn new(kind: &str, task: Task) -> Self {
        Self { kind: kind.to_owned(), custom_id: None, key: None, task }
    }

    /// An id of yours, by which it is found.
    pub fn custom_id(self, id: &str) -> Self {
        Self { custom_id: Some(id.to_owned()), ..self }
    }

    /// At most one process of the type is started with this key: whoever asks again gets the same.
    pub fn key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }
}

/// The workflow of a client's namespace.
#[derive(Debug, Clone)]
pub struct Workflow {
    client: Client,
}

impl Client {
    /// The workflow of this namespace.
    #[must_use]
    pub fn workflow(&self) -> Workflow {
        Workflow { client: self.clone() }
    }
}

/// Whoever starts processes and looks after them.
impl Workflow {
    /// Starts a process; gives its id. It is durable when this answers.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn start(&self, start: &Start) -> Result<String, ClientError> {
        if let Some(wrong) = &start.task.wrong {
            return Err(invalid(wrong));
        }
        let started: Started = self.post(&["processes"], start).await?;
        Ok(started.process_id)
    }

    /// How a process is.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn process(&self, id: &str) -> Result<Process, ClientError> {
        self.client.send(Call::new(Method::GET, self.url(&["processes", id]))).await?.read()
    }

    /// Waits until a process is not active any more: finished, aborted, or broken until somebody looks after it.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn wait(&self, id: &str) -> Result<Process, ClientError> {
        let mut url = self.url(&["processes", id]);
        url.query_pairs_mut().append_pair("wait_ms", &LOOK_MS.to_string());
        let patience = self.client.retry.patience.max(Duration::from_millis(LOOK_MS) + SLACK);
        let patient = self.client.clone().with_retry(Retry { patience, ..self.client.retry });
        loop {
            let process: Process = patient.send(Call::new(Method::GET, url.clone())).await?.read()?;
            if process.state != State::Active {
                return Ok(process);
            }
        }
    }

    /// Brings a signal; one that comes before somebody waits for it is kept.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn signal(&self, id: &str, name: &str, value: &impl Serialize) -> Result<(), ClientError> {
        #[derive(Serialize)]
        struct Signal<'a, T> {
            name: &'a str,
            value: &'a T,
        }
        self.change(&["processes", id, "signal"], &Signal { name, value }).await
    }

    /// Aborts a process.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn abort(&self, id: &str, reason: &str) -> Result<(), ClientError> {
        self.change(&["processes", id, "abort"], &json!({ "reason": reason })).await
    }

    /// Begins a process anew, from its start.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn restart(&self, id: &str) -> Result<(), ClientError> {
        self.change(&["processes", id, "restart"], &json!({})).await
    }

    /// Begins a process anew from a task: its result and all that came of it are dropped, earlier ones kept.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn restart_from(&self, id: &str, task_id: &str) -> Result<(), ClientError> {
        self.change(&["processes", id, "restart"], &json!({ "task": task_id })).await
    }

    /// Starts a process like this one; gives its id.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn start_like(&self, id: &str) -> Result<String, ClientError> {
        let started: Started = self.post(&["processes", id, "clone"], &json!({})).await?;
        Ok(started.process_id)
    }

    fn url(&self, steps: &[&str]) -> url::Url {
        self.client.url(&[&["workflow"], steps].concat())
    }

    async fn post<T: DeserializeOwned>(&self, steps: &[&str], body: &impl Serialize) -> Result<T, ClientError> {
        let call = Call::new(Method::POST, self.url(steps)).json(body)?;
        self.client.send(call.once()).await?.read()
    }

    async fn change(&self, steps: &[&str], body: &impl Serialize) -> Result<(), ClientError> {
        let call = Call::new(Method::POST, self.url(steps)).json(body)?;
        self.client.send(call.once()).await.map(drop)
    }
}

#[derive(Deserialize)]
struct Started {
    process_id: String,
}

/// Workers. None of these calls is tried again by the client as long as it usually does: workers have pauses of their own.
impl Workflow {
    /// Asks for work, once. The same again under the same key, because the answer was lost, is given the same tasks.
    pub(super) async fn poll(&self, poll: &Poll, key: &str) -> Result<Vec<Given>, ClientError> {
        let patience = Duration::from_millis(poll.wait_ms) + SLACK;
        let call = Call::new(Method::POST, self.url(&["poll"])).json(poll)?.once_by(key.to_owned());
        let polled: Polled = self.trying_once(patience).send(call).await?.read()?;
        Ok(polled.tasks)
    }

    /// Brings results under a key; the same again, if the first was answered, is answered the same.
    pub(super) async fn release(&self, results: &[Brought], key: &str) -> Result<Vec<Verdict>, ClientError> {
        #[derive(Serialize)]
        struct Release<'a> {
            results: &'a [Brought],
        }
        let call = Call::new(Method::POST, self.url(&["release"])).json(&Release { results })?;
        let reply = self.client.send(call.once_by(key.to_owned())).await?;
        let released: Released = reply.read()?;
        if released.results.len() != results.len() {
            return Err(reply.unreadable("it is not about the results that were brought"));
        }
        Ok(released.results)
    }

    /// Tells that tasks are worked on, once; whether each is still whose it was.
    pub(super) async fn beat(&self, beats: &[Beat], patience: Duration) -> Result<Vec<bool>, ClientError> {
        #[derive(Serialize)]
        struct Heartbeat<'a> {
            tasks: &'a [Beat],
        }
        let call = Call::new(Method::POST, self.url(&["heartbeat"])).json(&Heartbeat { tasks: beats })?;
        let reply = self.trying_once(patience).send(call).await?;
        let beaten: Beaten = reply.read()?;
        if beaten.tasks.len() != beats.len() {
            return Err(reply.unreadable("it is not about the tasks that were named"));
        }
        Ok(beaten.tasks.iter().map(|task| task.ok).collect())
    }

    fn trying_once(&self, patience: Duration) -> Client {
        self.client.clone().with_retry(Retry { attempts: 1, patience, ..self.client.retry })
    }
}
