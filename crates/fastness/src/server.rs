//! `fastness serve`: from a configuration to a running server and back to a closed store.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use base::{BlobPlaces, Clock, Engine, Entropy, Timers};
use host::{DirLock, OsEntropy, RealClock, ThreadTimers};
use kernel::ops::forget_requests::{FORGET_REQUESTS, ForgetRequests};
use kernel::{Caller, Env, Kernel, KernelConfig, Namespace};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use web::{App, AppConfig, BodyLimits, EdgeLimits, Shutdown};

use crate::config::Config;
use crate::{blobs, stores, welcome};

/// How often old answers of idempotent requests are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(60);
/// How many at once, so that the writer is never held up.
const FORGET_MAX: u32 = 500;

/// Runs the server until it is told to stop.
pub(crate) fn run(config: &Config, services: Vec<web::Service>) -> Result<()> {
    // One data directory, one server (KER-42); the lock is held until the stores are closed.
    let _lock = DirLock::acquire(&config.data.dir)?;
    let kernel = open(config, &services)?;
    let places = blobs::open(config)?;
    blobs::set_rules(&kernel, config)?;
    let password = welcome::first_key(&kernel, std::env::var(welcome::ADMIN_KEY).ok())?;
    let runtime = Runtime::new().context("no threads for the HTTP edge")?;
    let served = runtime.block_on(serve(config, kernel.clone(), services, places, password.as_deref()));
    runtime.shutdown_timeout(Duration::from_secs(1));
    kernel.namespaces().iter().for_each(|ns| ns.store.close());
    tracing::info!("stopped");
    served
}

fn open(config: &Config, services: &[web::Service]) -> Result<Kernel> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
    let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy);
    let timers: Arc<dyn Timers> = Arc::new(ThreadTimers::new());
    let stores = stores::open(config, &clock, &entropy)?;
    let settings = KernelConfig {
        admin_namespace: config.namespaces.admin.clone(),
        build_min: config.client.build_min,
        request_kept_ms: i64::try_from(config.requests.kept.as_millis())?,
    };
    let definitions: Vec<_> = services.iter().map(|service| service.def).collect();
    Ok(Kernel::open(Env { clock, entropy, timers }, settings, &definitions, stores)?)
}

async fn serve(
    config: &Config,
    kernel: Kernel,
    services: Vec<web::Service>,
    places: Arc<dyn BlobPlaces>,
    password: Option<&str>,
) -> Result<()> {
    let address = config.server.listen;
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let url = format!("http://{}", listener.local_addr()?);
    let shutdown = Shutdown::new();
    let settings = AppConfig { blobs: Some(places), ..app_config(config, &url, &shutdown) };
    let app = App::new(kernel.clone(), services, settings);
    stop_on_signal(shutdown.clone())?;
    tokio::spawn(forget_old_answers(kernel));
    print!("{}", welcome::text(&url, &data_text(config), password));
    let drained = web::serve(listener, app.router(), edge_limits(config), shutdown).await;
    tracing::info!(cut = drained.cut, "drained");
    Ok(())
}

fn app_config(config: &Config, url: &str, shutdown: &Shutdown) -> AppConfig {
    AppConfig {
        version: env!("CARGO_PKG_VERSION").into(),
        public_url: url.to_owned(),
        body: BodyLimits { max: config.limits.body, timeout: config.server.body_timeout, ..BodyLimits::default() },
        page_max: config.limits.page,
        in_flight_max: config.server.requests_max,
        blob_max: config.blobs.max,
        in_flight_per_namespace_max: config.server.namespace_requests_max,
        shutdown: shutdown.clone(),
        ..AppConfig::default()
    }
}

fn edge_limits(config: &Config) -> EdgeLimits {
    EdgeLimits {
        connections_max: connections_max(config.server.connections_max),
        header_timeout: config.server.header_timeout,
        drain_timeout: config.server.drain,
        ..EdgeLimits::default()
    }
}

/// Connections as configured, but never so many that the stores find no file descriptor any more.
fn connections_max(configured: usize) -> usize {
    let possible = host::open_files_max() / 2;
    if configured > possible {
        tracing::warn!(
            configured,
            possible,
            "fewer connections than configured: raise the limit of open files (ulimit -n)"
        );
    }
    configured.min(possible.max(1))
}

fn data_text(config: &Config) -> String {
    let folder = Path::display(&config.data.dir);
    match config.store.engine {
        Engine::Sqlite => format!("{folder} (embedded SQLite)"),
        Engine::Postgres => format!("PostgreSQL, schemas {}*; {folder}", config.store.schema_prefix),
    }
}

/// Ctrl-C and SIGTERM begin the stop; a second one ends at once.
fn stop_on_signal(shutdown: Shutdown) -> Result<()> {
    let mut interrupt = signal(SignalKind::interrupt()).context("no signal handler")?;
    let mut terminate = signal(SignalKind::terminate()).context("no signal handler")?;
    tokio::spawn(async move {
        loop {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            if shutdown.has_begun() {
                end_at_once();
            }
            tracing::info!("stopping");
            shutdown.begin();
        }
    });
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a person who asks twice does not want to wait; nothing acknowledged is lost"
)]
fn end_at_once() -> ! {
    std::process::exit(1)
}

async fn forget_old_answers(kernel: Kernel) {
    let mut every = tokio::time::interval(FORGET_EVERY);
    loop {
        every.tick().await;
        kernel.namespaces().iter().for_each(|ns| forget_some(&kernel, ns));
        kernel.namespaces().iter().for_each(|ns| blobs::measure(&kernel, ns));
    }
}

/// Forgets a portion, and the next one when that was full. What fails is tried again a minute later.
fn forget_some(kernel: &Kernel, ns: &Arc<Namespace>) {
    let (again, namespace) = (kernel.clone(), ns.clone());
    let request = kernel.request(Caller::server("housekeeping"));
    let done = Box::new(move |reply: base::OpResult<kernel::Reply<_>>| match reply {
        Ok(reply) if forgot_a_full_portion(&reply.out) => forget_some(&again, &namespace),
        Ok(_) => {}
        Err(error) => tracing::warn!(namespace = namespace.name, %error, "old answers were not forgotten"),
    });
    kernel.call(ns, &FORGET_REQUESTS, request, ForgetRequests { limit: FORGET_MAX }, done);
}

fn forgot_a_full_portion(forgotten: &kernel::ops::forget_requests::Forgotten) -> bool {
    forgotten.count == u64::from(FORGET_MAX)
}
