//! A worker: what it does, and how it is set up.

mod deliver;
mod shift;
mod tick;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::handler::{Arguments, Handler, Running};
use super::task::millis;
use super::wire::Poll;
use crate::client::Client;
use crate::error::ClientError;
use shift::Shift;

/// Tasks that one poll asks for.
const POLL_MAX: usize = 500;

type Function = Arc<dyn Fn(Arguments) -> Running + Send + Sync>;
type Tell = Arc<dyn Fn(Event<'_>) + Send + Sync>;

/// Polls as an actor and calls a function for each task.
#[must_use = "`run` runs it"]
pub struct Worker {
    client: Client,
    actor: String,
    task_list: Option<String>,
    name: Option<String>,
    functions: BTreeMap<String, Function>,
    concurrency: usize,
    wait: Duration,
    grace: Duration,
    tell: Tell,
}

/// What happens to a worker, for logs and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A task was given to it.
    Given {
        /// The task.
        task_id: &'a str,
        /// Which attempt.
        attempt: i64,
    },
    /// The server heard that tasks are worked on.
    Beaten {
        /// How many.
        tasks: usize,
    },
    /// Results were brought.
    Released {
        /// How many.
        results: usize,
    },
    /// A result does not count, or cannot be brought.
    Refused {
        /// The task.
        task_id: &'a str,
        /// Why.
        reason: &'a str,
    },
    /// A task is not its own any more; its function was cancelled.
    Lost {
        /// The task.
        task_id: &'a str,
    },
    /// The server cannot be reached, or has no room; it is asked again.
    Away {
        /// What was heard.
        reason: &'a str,
    },
}

/// What came of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Served {
    /// Results that counted.
    pub done: u64,
    /// Results that did not count, and tasks that were lost.
    pub lost: u64,
    /// Tasks that were in work at the end and handed back.
    pub handed_back: u64,
    /// Results that could not be brought before the end.
    pub not_brought: u64,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let methods: Vec<&String> = self.functions.keys().collect();
        f.debug_struct("Worker").field("actor", &self.actor).field("methods", &methods).finish_non_exhaustive()
    }
}

impl Worker {
    /// A worker that plays an actor, `name#version`, one task at a time.
    pub fn new(client: &Client, actor: &str) -> Self {
        Self {
            client: client.clone(),
            actor: actor.to_owned(),
            task_list: None,
            name: None,
            functions: BTreeMap::new(),
            concurrency: 1,
            wait: Duration::from_secs(10),
            grace: Duration::from_secs(30),
            tell: Arc::new(|_| {}),
        }
    }

    /// Tasks of this method are done by this function.
    pub fn on<P>(mut self, method: &str, function: impl Handler<P>) -> Self {
        self.functions.insert(method.to_owned(), Arc::new(move |arguments| function.call(arguments)));
        self
    }

    /// Serves a task list instead of the actor's own queue.
    pub fn task_list(self, list: &str) -> Self {
        Self { task_list: Some(list.to_owned()), ..self }
    }

    /// What it calls itself, for people.
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    /// So many tasks at once.
    pub fn concurrency(self, tasks: usize) -> Self {
        Self { concurrency: tasks.max(1), ..self }
    }

    /// How long a poll waits for something to come; 10 s unless said otherwise, a minute at most.
    pub fn wait(self, wait: Duration) -> Self {
        Self { wait: wait.min(Duration::from_secs(60)), ..self }
    }

    /// How long what is in work may take to end once it is to stop; 30 s unless said otherwise. The rest is handed back.
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Hears of what happens.
    pub fn tell(self, tell: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        Self { tell: Arc::new(tell), ..self }
    }

    fn poll(&self, max: usize) -> Poll {
        Poll {
            actor: self.actor.clone(),
            task_list: self.task_list.clone(),
            worker: self.name.clone(),
            max,
            wait_ms: millis(self.wait),
        }
    }

    /// Works until `stop`, or until the server refuses for good. Then nothing new is taken; what is in work ends and its results are
    /// brought, and what does not end in time is handed back. Dropped, it stops at once: its tasks are found by their silence.
    ///
    /// # Errors
    /// The server refuses: the key may not work as this actor, or there is no such actor.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<Served, ClientError> {
        let stop = std::pin::pin!(stop);
        Shift::new(self).run(stop).await
    }
}
