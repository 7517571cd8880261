//! RabbitMQ for real, by AMQP 0.9.1: a consumer that acknowledges only what is durable, and a publisher with confirms.
//!
//! Invariants:
//! - A delivery is acknowledged only after its [`Sink`] said that it is done, and only on the connection that brought it: whatever
//!   a lost connection had in flight is the broker's again, and it brings it anew.
//! - A connection that is lost, refused, silent or blocked is given up and made anew for ever, with pauses that grow and differ.
//! - [`Sink::level`] is told only when the queue was empty and all that it had delivered until then is done.
//! - Memory is bounded: by the prefetch count on the way in, by the publisher's buffer on the way out.
//! - Everything happens on threads of our own, which end with [`Amqp::close`].
//!
//! Deliberately not here: the reconnection that `lapin` offers. It brings back channels behind our back, and which
//! acknowledgement belongs to which connection would be its word and not ours.

mod consumer;
mod flights;
mod gather;
mod link;
mod pause;
mod publisher;
mod session;
mod window;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base::{BrokerWatch, Sink};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use consumer::Consumer;
use link::Linker;

pub use link::check_amqp_url;
pub use publisher::AmqpPublisher;

/// Threads of ours; each connection has one more, which reads and writes its socket.
const THREADS: usize = 2;
/// How long the end waits for what is in flight.
const DRAIN: Duration = Duration::from_secs(5);
/// How long it then waits for the threads.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// How to reach the broker.
#[derive(Clone)]
pub struct AmqpSettings {
    /// `amqp://user:password@host:port/vhost`, or `amqps://…` by TLS.
    pub url: String,
    /// Certificates that are trusted besides the system's own, PEM; empty for none.
    pub certificates: String,
    /// The name that the broker shows for our connections.
    pub name: String,
    /// Time for finding the address, connecting and the handshakes.
    pub connect_timeout: Duration,
    /// Full seconds: a broker that says nothing for twice as long is given up.
    pub heartbeat: Duration,
    /// First pause before a connection is made anew, and the longest.
    pub pause: (Duration, Duration),
    /// What our queues are.
    pub queue_type: QueueType,
}

/// What a queue is to the broker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QueueType {
    /// One that is there is taken as it is; else a durable one of the broker's own choice is made.
    #[default]
    AsItIs,
    /// On one node of the broker.
    Classic,
    /// Kept by a majority of the broker's nodes.
    Quorum,
}

impl AmqpSettings {
    /// The usual ones for this URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            certificates: String::new(),
            name: "fastness".into(),
            connect_timeout: Duration::from_secs(10),
            heartbeat: Duration::from_secs(10),
            pause: (Duration::from_millis(200), Duration::from_secs(30)),
            queue_type: QueueType::AsItIs,
        }
    }
}

/// Which queue to consume, and how.
#[derive(Debug, Clone)]
pub struct ConsumerSettings {
    /// Its name. Made durable if it is not there.
    pub queue: String,
    /// Deliveries that may be on their way to us or in flight at once.
    pub prefetch: u16,
    /// How often the length of the queue is looked at.
    pub look_every: Duration,
    /// How long deliveries may be held while their sink says [`base::Taken::Again`]; then they are given back to the broker, so
    /// that another node can have them.
    pub hold_max: Duration,
}

impl ConsumerSettings {
    /// The usual ones for this queue.
    #[must_use]
    pub fn new(queue: &str) -> Self {
        Self {
            queue: queue.to_owned(),
            prefetch: 2_000,
            look_every: Duration::from_secs(5),
            hold_max: Duration::from_secs(60),
        }
    }
}

/// How a publisher keeps what it cannot send yet.
#[derive(Debug, Clone)]
pub struct PublisherSettings {
    /// Messages that wait or are not confirmed; more are refused.
    pub buffer: usize,
    /// How long a message may wait for a connection, or for its confirmation.
    pub keep: Duration,
    /// How long the broker keeps one that nobody consumes; `None`: for ever.
    pub expire: Option<Duration>,
}

impl Default for PublisherSettings {
    fn default() -> Self {
        Self { buffer: 10_000, keep: Duration::from_secs(30), expire: None }
    }
}

/// Why the broker cannot be used with these settings. Says nothing of a password.
#[derive(Debug, thiserror::Error)]
pub enum AmqpError {
    /// The URL is not one of AMQP.
    #[error("the broker's URL cannot be used: {0}")]
    Url(String),
    /// The machine has no room for our threads.
    #[error("no threads for the message broker: {0}")]
    Threads(#[from] std::io::Error),
}

/// The connections to one broker.
pub struct Amqp {
    linker: Arc<Linker>,
    runtime: Mutex<Option<Runtime>>,
    stop: watch::Sender<bool>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Amqp {
    /// Starts the threads; connections are made by those who need them.
    ///
    /// # Errors
    /// If the settings cannot be used.
    pub fn new(settings: AmqpSettings) -> Result<Self, AmqpError> {
        let linker = Arc::new(Linker::new(settings).map_err(AmqpError::Url)?);
        let runtime = Builder::new_multi_thread().worker_threads(THREADS).thread_name("amqp").enable_all().build()?;
        let (stop, _) = watch::channel(false);
        Ok(Self { linker, runtime: Mutex::new(Some(runtime)), stop, tasks: Mutex::default() })
    }

    /// Hands what a queue delivers to `sink`, from now until the end.
    pub fn consume(&self, settings: ConsumerSettings, sink: Arc<dyn Sink>) -> Arc<BrokerWatch> {
        let watch = Arc::new(BrokerWatch::default());
        let consumer = Consumer { linker: self.linker.clone(), settings, sink, watch: watch.clone() };
        self.spawn(consumer.run(self.stop.subscribe()));
        watch
    }

    /// A publisher with a connection of its own: one that the broker blocks must not hold up acknowledgements.
    #[must_use]
    pub fn publisher(&self, settings: PublisherSettings) -> AmqpPublisher {
        let (publisher, work) = publisher::make(self.linker.clone(), settings, self.stop.subscribe());
        self.spawn(work);
        publisher
    }

    /// How many messages wait in a queue; `None` if it is not there. Makes none. Not to be called from within a runtime.
    ///
    /// # Errors
    /// Why the broker cannot be asked, or the queue not be used.
    pub fn probe(&self, queue: &str) -> Result<Option<u64>, String> {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = runtime.as_ref().ok_or("it was closed")?;
        let linker = self.linker.clone();
        runtime.block_on(async move { linker.open().await?.count(queue).await })
    }

    /// Takes nothing more, waits a moment for what is in flight, and ends the threads. Not to be called from within a runtime.
    pub fn close(&self) {
        let Some(runtime) = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        self.stop.send_replace(true);
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = async {
            for task in tasks {
                let _ = task.await;
            }
        };
        if runtime.block_on(async { tokio::time::timeout(DRAIN + CLOSE_WAIT, ended).await }).is_err() {
            tracing::warn!("the message broker was left without a goodbye; it offers again what was in flight");
        }
        runtime.shutdown_timeout(CLOSE_WAIT);
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &*self.runtime.lock().unwrap_or_else(PoisonError::into_inner) {
            self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(runtime.spawn(work));
        }
    }
}

impl Drop for Amqp {
    fn drop(&mut self) {
        // In the background: the last owner may be on one of the threads that would be waited for.
        if let Some(runtime) = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Amqp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Amqp").finish_non_exhaustive()
    }
}
