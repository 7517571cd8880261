//! Words between nodes: LISTEN and NOTIFY on a connection of their own, never in a transaction of an operation (NOTIFY takes a
//! lock of the whole database at COMMIT).
//!
//! A word is a wake-up: while the connection is gone, words are lost, and it is opened again by itself. The same word is called
//! out at most once in [`GATHER`], and at most [`WORDS_MAX`] different ones wait.
//!
//! The channel is named like the schema, so that each namespace hears its own words only.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::{Ear, StoreResult};
use futures_util::future::poll_fn;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Error, NoTls};

use crate::errors;
use crate::shared::Shared;
use crate::threads;

/// How long words are gathered before they go out.
const GATHER: Duration = Duration::from_millis(50);
/// Pause before a lost connection is opened again.
const REOPEN: Duration = Duration::from_secs(1);
/// Different words that may wait; further ones are dropped, there is a look behind each.
const WORDS_MAX: usize = 64;
/// A longer word is dropped: the server takes less than 8,000 bytes.
const WORD_BYTES_MAX: usize = 200;

/// The words of one store.
#[derive(Default)]
pub(crate) struct Bell {
    words: Mutex<BTreeSet<String>>,
    ears: Mutex<Vec<Ear>>,
    changed: Notify,
    stopped: AtomicBool,
}

impl Bell {
    /// Puts a word down to be called out soon.
    pub(crate) fn ring(&self, word: &str) {
        let mut words = lock(&self.words);
        if words.len() < WORDS_MAX && word.len() <= WORD_BYTES_MAX && !words.contains(word) {
            words.insert(word.to_owned());
            drop(words);
            self.changed.notify_one();
        }
    }

    /// Tells this ear from now on; `true` for the first one: then somebody must [`serve`].
    pub(crate) fn add_ear(&self, ear: Ear) -> bool {
        let mut ears = lock(&self.ears);
        ears.push(ear);
        ears.len() == 1
    }

    /// Ends [`serve`].
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    fn tell(&self, word: &str) {
        lock(&self.ears).iter().for_each(|ear| ear(word));
    }
}

/// Calls out and hears until the bell is stopped. Blocks its thread.
pub(crate) fn serve(shared: Arc<Shared>) -> StoreResult<()> {
    let runtime = threads::runtime()?;
    runtime.block_on(async {
        while !shared.bell.is_stopped() {
            if let Err(error) = serve_connection(&shared).await {
                tracing::debug!(%error, "wake-ups between nodes are lost until the connection is back");
            }
            let _ = threads::within(REOPEN, until_stopped(&shared.bell)).await;
        }
    });
    Ok(())
}

async fn until_stopped(bell: &Bell) {
    while !bell.is_stopped() {
        bell.changed.notified().await;
    }
}

/// One life of the connection; returns when it is lost or the bell is stopped.
async fn serve_connection(shared: &Arc<Shared>) -> Result<(), String> {
    let opened = bounded(shared.config.connect_limit(), shared.address.driver().connect(NoTls)).await?;
    let (client, mut connection) = opened;
    // Ears hear as words come, also while others are called out: a node that has much to say must not be deaf to the others.
    let hearing = shared.clone();
    let mut task = tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if let AsyncMessage::Notification(word) = message {
                hearing.bell.tell(word.payload());
            }
        }
    });
    let channel = &shared.config.schema;
    bounded(shared.config.answer_limit(), client.batch_execute(&format!("LISTEN \"{channel}\""))).await?;
    let ended = talk(shared, &client, &mut task).await;
    task.abort();
    ended
}

/// Calls out until the connection ends or the bell is stopped.
async fn talk(shared: &Shared, client: &Client, connection: &mut JoinHandle<()>) -> Result<(), String> {
    let bell = &shared.bell;
    while !bell.is_stopped() {
        tokio::select! {
            _ = &mut *connection => return Ok(()),
            () = bell.changed.notified() => call_out(shared, client).await?,
        }
    }
    Ok(())
}

/// Sends what waits, and lets the next words gather.
async fn call_out(shared: &Shared, client: &Client) -> Result<(), String> {
    let words = std::mem::take(&mut *lock(&shared.bell.words));
    for word in words {
        let call = async { client.execute("SELECT pg_notify($1, $2)", &[&shared.config.schema, &word]).await };
        bounded(shared.config.answer_limit(), call).await?;
    }
    threads::rest(GATHER).await;
    Ok(())
}

/// What the server says in time.
async fn bounded<T>(limit: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, String> {
    match threads::within(limit, work).await {
        Ok(done) => done.map_err(|error| errors::text(&error)),
        Err(_) => Err("the server does not answer".into()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
