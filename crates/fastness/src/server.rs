//! `fastness serve`: from a configuration to a running server and back to a closed store.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use base::{BlobPlaces, Clock, Engine, Entropy, Timers};
use host::watchdog::{Watched, end_with_diagnosis};
use host::{OsEntropy, RealClock, ThreadTimers, Watchdog};
use kernel::feed::Sequencer;
use kernel::namespaces::NamespaceRules;
use kernel::ops::forget_requests::{FORGET_REQUESTS, ForgetRequests};
use kernel::tasks::{Dispatcher, TaskConfig};
use kernel::{Caller, Env, Kernel, KernelConfig, Namespace, ServiceDef};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use web::{App, AppConfig, BodyLimits, EdgeLimits, Shutdown};

use crate::alone::{self, Alone};
use crate::broker::Broker;
use crate::carry::desk::Desk;
use crate::config::{self, Config, HistoryScope, Loaded};
use crate::keeper::transfers::Carrying;
use crate::keeper::{self, Keeper};
use crate::sensing::Sensing;
use crate::stop::Stop;
use crate::stores::Opener;
use crate::tls::Certificate;
use crate::{
    backup, blobs, change_engine, exchanging, filing, flowing, heir, outbound, restore, tasks, traces, watch, watchdog,
    welcome, work,
};

/// How often old answers of idempotent requests are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(60);
/// How many at once, so that the writer is never held up.
const FORGET_MAX: u32 = 500;

/// How long tasks that run may take to end when the server stops, if the stop has so much time left.
const END_TASKS: Duration = Duration::from_secs(5);
/// Calls to the outside may end so long after that: most are answered soon, and one that is cut is made a second time by whoever takes over.
const END_CALLS: Duration = Duration::from_secs(2);
/// Threads of the edge that do not end by themselves are left behind after so long.
const END_EDGE: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Runs the server until it is told to stop.
pub(crate) fn run(loaded: &Loaded, services: Vec<web::Service>) -> Result<()> {
    let config = &loaded.config;
    loaded.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    // One data directory, one server (KER-42); the lock is held until the stores are closed.
    let _lock = heir::data(&config.data.dir)?;
    restore::refuse_unfinished(&config.data.dir)?;
    change_engine::refuse_unfinished(&config.data.dir)?;
    let certificate = Certificate::open(config)?;
    let outbound = outbound::outbound(config)?;
    let (kernel, opener) = open(config, &services)?;
    let traces = traces::start(config, &tasks::node_name(config, &opener), kernel.env())?;
    let alone = Alone::claim(&kernel)?;
    keeper::seed(&kernel)?;
    let runtime = Runtime::new().context("no threads for the HTTP edge")?;
    runtime.spawn(alone.clone().keep());
    let listener = heir::listener(config.server.listen, &runtime)?;
    welcome::first_key(&kernel, std::env::var(welcome::ADMIN_KEY).ok().as_deref())?;
    // Held until the stores are closed: a stop must not stay stuck either.
    let end = end_with_diagnosis(&config.data.dir, kernel.env().clock.clone());
    let watchdog = Arc::new(Watchdog::start(kernel.env().clock.clone(), end));
    let _watched = watch_first(&watchdog, &kernel, &runtime);
    let rule = blobs::rule(config)?;
    blobs::set_rule(&kernel, &kernel.admin_namespace(), rule);
    let places = blobs::open(config)?;
    let carrying = Carrying::new(&definitions(&services), places.clone());
    let desk = Desk { opener: opener.clone(), places: places.clone(), plan: carrying.plan.clone().into() };
    let keeper = Keeper::new(kernel.clone(), opener, watchdog, rule, carrying);
    runtime.block_on(keeper.start())?;
    work::register(&outbound, config, &kernel, &places);
    // Before tasks run: whoever moves files is one at a time.
    let exchanging = exchanging::start(config, &kernel, &places)?;
    let calls = traces::watched(outbound.clone(), traces.as_ref(), kernel.env());
    let (dispatcher, sequencer) = (Dispatcher::start(&kernel, calls), Sequencer::start(&kernel));
    let sensing = Sensing::start(config, &kernel, &dispatcher)?;
    let flowing = flowing::start(&kernel);
    let filing = filing::start(config, &kernel)?;
    // Last, when nothing can keep the password from being shown any more.
    let password = welcome::first_account(&kernel)?;
    let shown = config::shown(loaded);
    let carrier: Arc<dyn web::Carrier> = Arc::new(desk);
    let spans = traces.clone().map(|traces| Arc::new(traces) as Arc<dyn base::trace::Spans>);
    let intake = sensing.as_ref().map(Sensing::intake);
    let dispatching = dispatcher.clone();
    let edge = Edge { carrier, listener, certificate, dispatcher: dispatching, places, password, shown, spans, intake };
    let served = runtime.block_on(serve(config, edge, kernel.clone(), services));
    let clock = kernel.env().clock.clone();
    let stop = Stop::begun(config.server.drain, *served.as_ref().unwrap_or(&clock.ran_ms()));
    runtime.block_on(end_tasks(&dispatcher, stop.tasks(clock.ran_ms()).min(END_TASKS)));
    runtime.shutdown_timeout(stop.rest(clock.ran_ms()).min(END_EDGE));
    // Before the stores: what was in flight still wants to say that it is unknown.
    outbound.close();
    traces.iter().for_each(|traces| traces.close(stop.rest(clock.ran_ms())));
    sequencer.stop();
    sensing.into_iter().for_each(Sensing::stop);
    drop((exchanging, flowing, filing));
    kernel.flush_watched();
    alone.release();
    kernel.namespaces().iter().for_each(|ns| ns.store.close());
    tracing::info!("stopped");
    served.map(drop)
}

/// All but the stores of the other namespaces, which their keeper has watched.
fn watch_first(dog: &Watchdog, kernel: &Kernel, runtime: &Runtime) -> Vec<Watched> {
    let store = watchdog::store(&kernel.admin_namespace());
    let subjects = [store, watchdog::timers(kernel.env()), watchdog::edge(runtime.handle())];
    subjects.into_iter().map(|subject| dog.watch(subject)).collect()
}

/// A kernel with the administrators' namespace, whose rows tell of the others.
pub(crate) fn open(config: &Config, services: &[web::Service]) -> Result<(Kernel, Opener)> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock::new());
    let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy);
    let timers: Arc<dyn Timers> = Arc::new(ThreadTimers::new());
    let opener = Opener::new(config, &clock, &entropy)?;
    let stores = vec![(config.namespaces.admin.clone(), opener.open_first(&config.namespaces.admin)?)];
    let settings = KernelConfig {
        admin_namespace: config.namespaces.admin.clone(),
        build_min: config.client.build_min,
        request_kept_ms: i64::try_from(config.requests.kept.as_millis())?,
        tasks: task_config(config, &opener)?,
        watch: watch::config(config),
        event_kept_ms: i64::try_from(config.events.kept.as_millis())?,
        namespaces: namespace_rules(config, &opener),
        nodes: alone::nodes(config),
    };
    let definitions = definitions(services);
    let kernel = Kernel::open(Env { clock, entropy, timers }, settings, &definitions, stores)?;
    let age_us = u64::try_from(config.documents.cache_age.as_micros())?;
    kernel.common::<documents::Shelf>().set_limits(config.documents.cache, age_us);
    let history_ms = i64::try_from(config.documents.history_age.as_millis())?;
    kernel.common::<documents::HistoryRule>().set_age_ms(history_ms);
    let all_signals = config.sensors.history == HistoryScope::All;
    let kept_ms = i64::try_from(config.sensors.history_kept.as_millis())?;
    kernel.common::<sensors::Rules>().set_history(all_signals, kept_ms);
    kernel.common::<sensors::Rules>().set_allow_private(config.outbound.allow_private);
    Ok((kernel, opener))
}

/// All services but the kernel's own.
pub(crate) fn definitions(services: &[web::Service]) -> Vec<&'static ServiceDef> {
    services.iter().map(|service| service.def).chain([&backup::task::SERVICE]).collect()
}

fn namespace_rules(config: &Config, opener: &Opener) -> NamespaceRules {
    NamespaceRules {
        engine: config.store.engine,
        has_postgres: config.store.url.is_some(),
        namespaces_max: config.namespaces.max,
        node: opener.node().to_owned(),
    }
}

fn task_config(config: &Config, opener: &Opener) -> Result<TaskConfig> {
    let tasks = &config.tasks;
    Ok(TaskConfig {
        workers: vec![tasks.quick_workers, tasks.standard_workers, tasks.background_workers, tasks.telling_workers],
        queues: tasks::queues(&tasks.queues)?,
        scheduled: tasks::scheduled(config)?,
        calls_max: tasks.calls,
        calls_per_target_max: tasks.calls_per_target,
        lease_ms: i64::try_from(tasks.lease.as_millis())?,
        node: tasks::node_name(config, opener),
        ..TaskConfig::default()
    })
}

/// What the edge needs beside the kernel.
struct Edge {
    carrier: Arc<dyn web::Carrier>,
    listener: TcpListener,
    certificate: Option<Certificate>,
    dispatcher: Dispatcher,
    places: Arc<dyn BlobPlaces>,
    password: Option<String>,
    /// The configuration, for the console.
    shown: Vec<web::ShownSection>,
    spans: Option<Arc<dyn base::trace::Spans>>,
    /// Signals that come from a broker.
    intake: Option<Broker>,
}

/// Nothing more is begun; what runs may end; then other nodes are told that they need not wait for us.
async fn end_tasks(dispatcher: &Dispatcher, within: Duration) {
    dispatcher.stop();
    let ended = async {
        until_none(|| dispatcher.busy()).await;
        // The last part is for telling the others.
        let calls = END_CALLS.min(within * 8 / 10);
        if tokio::time::timeout(calls, until_none(|| dispatcher.under_way())).await.is_err() {
            tracing::info!(calls = dispatcher.calls(), "calls to the outside are cut off; they are made again");
        }
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        dispatcher.leave(move || {
            let _ = tell.send(());
        });
        while told.recv().await.is_some() {}
    };
    if tokio::time::timeout(within, ended).await.is_err() {
        tracing::warn!(busy = dispatcher.busy(), "tasks are cut off; they begin again at the next start");
    }
}

async fn until_none(left: impl Fn() -> usize) {
    let mut every = tokio::time::interval(LOOK_EVERY);
    while left() > 0 {
        every.tick().await;
    }
}

/// Serves until it is told to stop; gives the moment of that.
async fn serve(config: &Config, edge: Edge, kernel: Kernel, services: Vec<web::Service>) -> Result<u64> {
    let Edge { carrier, listener, certificate, dispatcher, places, password, shown, spans, intake } = edge;
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}", listener.local_addr()?);
    let shutdown = Shutdown::new();
    let app = App::new(
        kernel.clone(),
        services,
        AppConfig {
            dispatcher: Some(dispatcher.clone()),
            blobs: Some(places),
            carrier: Some(carrier),
            shown_configuration: shown,
            spans,
            secure_cookies: certificate.is_some() || app_config(config, &url, &shutdown).secure_cookies,
            ..app_config(config, &url, &shutdown)
        },
    );
    stop_on_signal(shutdown.clone())?;
    kernel.watch_over();
    let (clock, stopping) = (kernel.env().clock.clone(), shutdown.clone());
    tokio::spawn(forget_old_answers(kernel));
    print!("{}", welcome::text(&url, &data_text(config), &config.namespaces.admin, password.as_deref()));
    let (router, limits) = (app.router(), edge_limits(config));
    let served = async {
        match certificate {
            Some(certificate) => web::serve_tls(listener, certificate.watched(), router, limits, shutdown).await,
            None => web::serve(listener, router, limits, shutdown).await,
        }
    };
    let begun = async {
        stopping.begun().await;
        let begun_ms = clock.ran_ms();
        // Beside the requests: what is in flight from the broker may end in the same time.
        let closed = tokio::task::spawn_blocking(move || intake.iter().for_each(Broker::close));
        drop(closed.await);
        begun_ms
    };
    let (drained, begun_ms) = tokio::join!(served, begun);
    tracing::info!(cut = drained.cut, "drained");
    Ok(begun_ms)
}

fn app_config(config: &Config, url: &str, shutdown: &Shutdown) -> AppConfig {
    let own_origin = &config.server.public_url;
    AppConfig {
        version: env!("CARGO_PKG_VERSION").into(),
        guides: guides::PAGES,
        program: welcome::program(config.server.listen.ip().is_loopback()),
        public_url: if own_origin.is_empty() { url.to_owned() } else { own_origin.clone() },
        own_origin: (!own_origin.is_empty()).then(|| own_origin.clone()),
        secure_cookies: own_origin.starts_with("https://"),
        trusted_proxies: config.server.networks(),
        body: BodyLimits { max: config.limits.body, timeout: config.server.body_timeout, ..BodyLimits::default() },
        page_max: config.limits.page,
        in_flight_max: config.server.requests_max,
        blob_max: config.blobs.max,
        in_flight_per_namespace_max: config.server.namespace_requests_max,
        live_per_namespace_max: config.server.namespace_live_max,
        live_per_key_max: config.server.key_live_max,
        shutdown: shutdown.clone(),
        ..AppConfig::default()
    }
}

fn edge_limits(config: &Config) -> EdgeLimits {
    EdgeLimits {
        connections_max: connections_max(config.server.connections_max),
        handshake_timeout: config.server.header_timeout,
        header_timeout: config.server.header_timeout,
        drain_timeout: Stop::requests(config.server.drain),
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
        kernel.namespaces().iter().filter(|ns| ns.works()).for_each(|ns| forget_some(&kernel, ns));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_1_whatever_may_be_stuck_has_words_in_every_language() {
        let all = kernel::OWN.into_iter().chain(definitions(&crate::services()));
        let kinds: Vec<_> = all.flat_map(|service| service.stuck.iter().map(|stuck| stuck.what)).collect();
        assert!(kinds.len() >= 10, "{kinds:?}");
        for what in kinds {
            assert!(web::console::has_words_for_stuck(what), "{what}");
        }
    }
}
