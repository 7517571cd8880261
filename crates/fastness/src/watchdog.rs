//! What the watchdog watches (KER-47): the writer of every store, the timers and the threads of the HTTP edge.

use std::sync::Arc;

use base::{Engine, Job, Outcome, Store, Timers, Tx, Urgency, Verdict};
use host::watchdog::{Answer, PATIENCE_MS, Subject};
use kernel::{Env, Namespace};
use tokio::runtime::Handle;

/// A worker of PostgreSQL may wait for a frozen server: 15 s for an answer, then 3 s for a connection, and it may have to
/// do so twice before whoever waits behind it is told. That is not being stuck.
const POSTGRES_PATIENCE_MS: u64 = 45_000;

/// A question to a store. Its time is over before it begins, so that it is answered without touching the disk; what
/// counts is that somebody takes it from the queue.
struct Question(Answer);

impl Job for Question {
    fn name(&self) -> &'static str {
        "watchdog"
    }

    fn urgency(&self) -> Urgency {
        Urgency::Ending
    }

    fn deadline_us(&self) -> u64 {
        0
    }

    fn run(&mut self, _: &mut dyn Tx) -> Verdict {
        Verdict::Undo
    }

    /// Whatever came of it: somebody was there.
    fn done(self: Box<Self>, _: Outcome) {
        (self.0)();
    }
}

/// The writer of a namespace's store.
pub(crate) fn store(namespace: &Namespace) -> Subject {
    let (threads, patience_ms) = match namespace.store.engine() {
        Engine::Sqlite => ("sqlite-writer", PATIENCE_MS),
        Engine::Postgres => ("pg-write", POSTGRES_PATIENCE_MS),
    };
    let (asked, moving, about) = (namespace.store.clone(), namespace.store.clone(), namespace.store.clone());
    Subject {
        patience_ms,
        progress: Box::new(move || moving.progress()),
        about: Box::new(move || about_store(about.as_ref())),
        ..Subject::new(
            format!("store of namespace {}", namespace.name),
            threads,
            Box::new(move |answer| asked.submit(Box::new(Question(answer)))),
        )
    }
}

fn about_store(store: &dyn Store) -> String {
    format!("{} jobs wait, health {:?}", store.waiting(), store.health())
}

/// The thread that runs what is due.
pub(crate) fn timers(env: &Env) -> Subject {
    let timers: Arc<dyn Timers> = env.timers.clone();
    Subject::new("timers", "timers", Box::new(move |answer| timers.after(0, answer)))
}

/// The threads that serve HTTP.
pub(crate) fn edge(runtime: &Handle) -> Subject {
    let runtime = runtime.clone();
    Subject::new("HTTP edge", "tokio", Box::new(move |answer| drop(runtime.spawn(async move { answer() }))))
}
