//! Calls to the outside, performed for real (KER-14): HTTP, mail, and work of the program itself.
//!
//! Invariants:
//! - `done` is told exactly once, also when the call panics and when the server stops.
//! - "Not made" is only said when the other side certainly knows nothing of the call: no byte of the request left, or the
//!   mail server never got or expressly refused the text. Whatever is in doubt is "unknown".
//! - Every call ends at its time; every answer has a bound. The caller is never held up: all happens on a runtime of our
//!   own, so that a flood of calls leaves the HTTP edge its threads.
//! - A target is judged by the very address that is connected to ([`is_public`]), never by its name.
//!
//! Deliberately not here: how many calls are in flight (the dispatcher counts them by kind), retries, signatures, and a
//! pool of connections: a connection that was kept may be dead in a way that only shows after the request was written,
//! and then nobody knows whether it was made. A fresh connection for each call costs a round trip and leaves no doubt.

mod connect;
mod http;
mod mail;
mod promise;
mod resolve;
mod roots;
mod target;
mod work;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base::{Call, CallResult, Outbound, Reach, WorkCall};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::Instant;

use connect::Connector;
use mail::Mailer;
use promise::Promise;
use resolve::{LOOKUPS_MAX, Resolver};
use roots::Roots;
use work::Works;

pub use base::is_public;
pub use mail::{MailSettings, is_mail_address, is_mail_server};

/// Threads that speak to the network: they only wait.
const THREADS: usize = 2;
/// Longest time of a call: a bound that keeps sums of times small.
const TIMEOUT_MAX_MS: u64 = 86_400_000;
/// Time to find out whether the mail server is there.
const PROBE: Duration = Duration::from_secs(10);
/// How long the end waits for the threads; what still works then goes on without an owner until the process ends.
const CLOSE_WAIT: Duration = Duration::from_secs(1);

/// What calls to the outside may do.
#[derive(Debug, Clone)]
pub struct OutboundSettings {
    /// Whether addresses that are not public may be called.
    pub allow_private: bool,
    /// Time for finding the address, connecting and the TLS handshake.
    pub connect_timeout: Duration,
    /// Certificates that are trusted besides the system's own, PEM.
    pub certificates: Vec<u8>,
    /// Who sends mail; `None`: nobody.
    pub mail: Option<MailSettings>,
    /// Pieces of work at once.
    pub works_max: usize,
}

impl Default for OutboundSettings {
    fn default() -> Self {
        let connect_timeout = Duration::from_secs(10);
        Self { allow_private: false, connect_timeout, certificates: vec![], mail: None, works_max: 16 }
    }
}

/// Why calls cannot be performed with these settings. Says nothing of a password.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The further certificates cannot be read.
    #[error("the trusted certificates cannot be used: {0}")]
    Certificates(String),
    /// The mail server's URL or the sender is not usable.
    #[error("mail cannot be sent: {0}")]
    Mail(String),
    /// The machine has no room for our threads.
    #[error("no threads for calls to the outside: {0}")]
    Threads(#[from] std::io::Error),
}

/// Performs calls on threads of its own, which end when this is dropped. `done` is told on one of them and must not
/// block: the other calls wait for it.
pub struct HostOutbound {
    performer: Arc<Performer>,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

/// What performs a call, shared by all of them.
struct Performer {
    connector: Connector,
    /// Whether calls may go wherever this machine gets.
    allow_private: bool,
    mailer: Option<Mailer>,
    works: Works,
}

impl HostOutbound {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the settings cannot be used.
    pub fn new(settings: OutboundSettings) -> Result<Self, OutboundError> {
        let roots = Roots::load(&settings.certificates)?;
        let resolver = Resolver::new();
        let mailer = settings.mail.as_ref().map(|mail| Mailer::new(mail, &roots, resolver.clone())).transpose()?;
        let connector = Connector::new(settings.connect_timeout, &roots, resolver);
        let allow_private = settings.allow_private;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(LOOKUPS_MAX + settings.works_max)
            .thread_name("outbound")
            .enable_all()
            .build()?;
        let performer = Arc::new(Performer { connector, allow_private, mailer, works: Works::new(settings.works_max) });
        Ok(Self { performer, handle: runtime.handle().clone(), runtime: Mutex::new(Some(runtime)) })
    }

    /// Names a piece of work that [`Call::Work`] may ask for. What it gives is the result as JSON, or why it failed. A
    /// name that is given again takes the place of the first.
    pub fn register(
        &self,
        name: &'static str,
        work: impl Fn(WorkCall) -> Result<String, String> + Send + Sync + 'static,
    ) {
        self.performer.works.register(name, Arc::new(work));
    }

    /// Whether the mail server is there and lets us in; `None` if none is configured. Not to be called from within a runtime.
    #[must_use]
    pub fn probe_mail(&self) -> Option<Result<(), String>> {
        let mailer = self.performer.mailer.as_ref()?;
        let asked = self.handle.block_on(async { tokio::time::timeout(PROBE, mailer.probe()).await });
        Some(asked.unwrap_or_else(|_| Err("no answer in time".to_owned())))
    }

    /// Ends all calls: what was begun is told as unknown, what comes later as not made. Waits a moment for the threads,
    /// so not to be called from within a runtime.
    pub fn close(&self) {
        if let Some(runtime) = self.take_runtime() {
            runtime.shutdown_timeout(CLOSE_WAIT);
        }
    }

    fn take_runtime(&self) -> Option<Runtime> {
        self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Outbound for HostOutbound {
    fn perform(&self, call: Call, done: Box<dyn FnOnce(CallResult) + Send>) {
        self.begin(call, Reach::Public, done);
    }

    fn perform_near(&self, call: Call, done: Box<dyn FnOnce(CallResult) + Send>) {
        self.begin(call, Reach::Near, done);
    }
}

impl HostOutbound {
    fn begin(&self, call: Call, reach: Reach, done: Box<dyn FnOnce(CallResult) + Send>) {
        let mut promise = Promise::new(done);
        let performer = Arc::clone(&self.performer);
        // A runtime that has ended drops the future unrun, and with it the promise, which then says "not made".
        self.handle.spawn(async move {
            promise.begin();
            let result = performer.perform(call, reach).await;
            promise.keep(result);
        });
    }
}

impl Drop for HostOutbound {
    fn drop(&mut self) {
        // In the background: the last owner may be a call's own `done`, on one of the threads that would be waited for.
        if let Some(runtime) = self.take_runtime() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for HostOutbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostOutbound").finish_non_exhaustive()
    }
}

impl Performer {
    async fn perform(&self, call: Call, reach: Reach) -> CallResult {
        match call {
            Call::Http(call) => {
                let deadline = deadline(call.timeout_ms);
                let reach = if self.allow_private { Reach::All } else { reach };
                http::perform(&self.connector, reach, call, deadline).await
            }
            Call::Mail(call) => match &self.mailer {
                Some(mailer) => mailer.send(&call, deadline(call.timeout_ms)).await,
                None => CallResult::NotMade("no mail server is configured".into()),
            },
            Call::Work(call) => {
                let deadline = deadline(call.timeout_ms);
                self.works.run(call, deadline).await
            }
        }
    }
}

fn deadline(timeout_ms: u64) -> Instant {
    Instant::now() + Duration::from_millis(timeout_ms.min(TIMEOUT_MAX_MS))
}

/// Host and port of a URL that may be called. For the fuzz targets.
#[must_use]
pub fn reads_target(text: &str) -> Option<(String, u16)> {
    target::Target::parse(text).ok().map(|target| (target.host.to_string(), target.port))
}
