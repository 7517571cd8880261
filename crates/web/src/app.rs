//! The application: a kernel, its services' routes, and everything derived from their one table.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::Method;
use axum::routing::MethodRouter;
use base::BlobPlaces;
use base::trace::Spans;
use kernel::Kernel;
use kernel::tasks::Dispatcher;
use tokio::sync::{Notify, Semaphore};

use crate::address::Network;
use crate::admission::Admission;
use crate::body::{BodyLimits, memory};
use crate::console::{self, Pages, ShownSection};
use crate::error::ApiError;
use crate::find::{ActionDef, FindDef};
use crate::grpc::Mounted;
use crate::live::Live;
use crate::metrics::metrics_handle;
use crate::namespaces::Carrier;
use crate::passwords::Passwords;
use crate::refusal::Refusals;
use crate::route::{Access, Route, RouteInfo, Service, Table};
use crate::shutdown::Shutdown;
use crate::ui::Text;
use crate::{
    accounts, alerts, auth, blobs, counters, feed, find, journal, keys, namespaces, openapi, overview, pipeline,
    system, tasks, ui,
};

/// What an operator may set of the edge.
#[derive(Clone)]
pub struct AppConfig {
    /// The server's name on its pages.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How it is called in a terminal, for commands on its pages: its name, or its path where that is not on the way.
    pub program: String,
    /// Where it is reached, for examples on its pages: no slash at the end.
    pub public_url: String,
    /// The origin that browsers reach it under, if an operator said so: `https://fastness.example`. Without it a page's origin
    /// is compared with the Host that was asked for.
    pub own_origin: Option<String>,
    /// Browsers send the session's cookie over TLS only.
    pub secure_cookies: bool,
    /// Proxies whose X-Forwarded-For is believed.
    pub trusted_proxies: Vec<Network>,
    /// Limits of bodies.
    pub body: BodyLimits,
    /// Items of one page of a list.
    pub page_max: u32,
    /// Requests in flight, of all namespaces together.
    pub in_flight_max: usize,
    /// Requests in flight per namespace: below the former, so that one tenant's flood leaves places for others.
    pub in_flight_per_namespace_max: usize,
    /// Live connections (server-sent events) per namespace; they hold no place of a request.
    pub live_per_namespace_max: usize,
    /// Live connections per key.
    pub live_per_key_max: usize,
    /// Where the bytes of blobs are; without it, blobs are refused.
    pub blobs: Option<Arc<dyn BlobPlaces>>,
    /// Who writes and reads archives of namespaces; without it, they are refused.
    pub carrier: Option<Arc<dyn Carrier>>,
    /// Bytes of one blob.
    pub blob_max: u64,
    /// The signal to stop, the same that [`crate::serve`] is given.
    pub shutdown: Shutdown,
    /// What runs the tasks of this node, if something does.
    pub dispatcher: Option<Dispatcher>,
    /// The guides that its help shows: paths below `docs/`, and texts.
    pub guides: &'static [(&'static str, &'static str)],
    /// The configuration as it is shown to administrators: no secret is in it.
    pub shown_configuration: Vec<ShownSection>,
    /// Who collects a span of each request, if somebody does.
    pub spans: Option<Arc<dyn Spans>>,
}

impl Default for AppConfig {
    fn default() -> Self {
        Self {
            name: "Fastness".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            program: "fastness".into(),
            public_url: "http://127.0.0.1:7400".into(),
            own_origin: None,
            secure_cookies: false,
            trusted_proxies: vec![],
            body: BodyLimits::default(),
            page_max: base::limits::PAGE_MAX,
            in_flight_max: 4_096,
            in_flight_per_namespace_max: 2_048,
            live_per_namespace_max: 1_000,
            live_per_key_max: 100,
            blobs: None,
            carrier: None,
            blob_max: base::limits::BLOB_MAX,
            shutdown: Shutdown::new(),
            dispatcher: None,
            guides: &[],
            shown_configuration: vec![],
            spans: None,
        }
    }
}

struct Inner {
    kernel: Kernel,
    config: AppConfig,
    admission: Admission,
    refusals: Refusals,
    live: Live,
    body_memory: Arc<Semaphore>,
    passwords: Passwords,
    public_routes: Vec<Arc<RouteInfo>>,
    table: Table,
    pages: Pages,
    services: Vec<Service>,
    streams: Vec<Mounted>,
    /// Told when a namespace may have come, gone or changed.
    turned: Arc<Notify>,
    openapi: Bytes,
    docs: Bytes,
}

/// What every handler shares; cheap to clone.
#[derive(Clone)]
pub struct Shared(Arc<Inner>);

impl Shared {
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.0.kernel
    }

    pub(crate) fn config(&self) -> &AppConfig {
        &self.0.config
    }

    pub(crate) fn admission(&self) -> &Admission {
        &self.0.admission
    }

    pub(crate) fn refusals(&self) -> &Refusals {
        &self.0.refusals
    }

    pub(crate) fn live(&self) -> &Live {
        &self.0.live
    }

    pub(crate) fn body_memory(&self) -> &Arc<Semaphore> {
        &self.0.body_memory
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    pub(crate) fn openapi(&self) -> Bytes {
        self.0.openapi.clone()
    }

    pub(crate) fn docs(&self) -> Bytes {
        self.0.docs.clone()
    }

    /// The table of the API.
    pub(crate) fn table(&self) -> &Table {
        &self.0.table
    }

    /// What a figure of a service is called.
    pub(crate) fn figure(&self, service: &str, name: &str) -> Option<&'static Text> {
        let of_service = self.0.services.iter().find(|known| known.def.name == service)?;
        of_service.figures.iter().find(|(known, _)| *known == name).map(|(_, text)| text)
    }

    /// What the one box finds, that of services first.
    pub(crate) fn finds(&self) -> impl Iterator<Item = &'static FindDef> {
        self.0.services.iter().flat_map(|service| service.finds).chain(console::KINDS)
    }

    /// What can be done on pages, that of services first.
    pub(crate) fn actions(&self) -> impl Iterator<Item = &'static ActionDef> {
        self.0.services.iter().flat_map(|service| service.actions).chain(console::ACTIONS)
    }

    /// The call of gRPC that a path names.
    pub(crate) fn stream(&self, path: &str) -> Option<&Mounted> {
        self.0.streams.iter().find(|stream| stream.info.path == path)
    }

    /// The pages of the console.
    pub(crate) fn pages(&self) -> &Pages {
        &self.0.pages
    }

    pub(crate) fn turned(&self) -> &Notify {
        &self.0.turned
    }

    /// Whether a request is for a public route of the table.
    pub(crate) fn is_public(&self, method: &Method, path: &str) -> bool {
        self.0.public_routes.iter().any(|route| route.is_for(method, path))
    }
}

/// The application.
pub struct App {
    shared: Shared,
    table: Table,
    handlers: Vec<MethodRouter<Shared>>,
    page_handlers: Vec<MethodRouter<Shared>>,
}

impl App {
    /// An application of the kernel's own routes and those of `services`.
    ///
    /// # Panics
    /// The table is wrong (a bug of the program): a service that the kernel does not know, a route that needs a key
    /// outside of `/v1/{ns}/`, one without summary or tag, or two schemas of one name.
    #[must_use]
    pub fn new(kernel: Kernel, services: Vec<Service>, config: AppConfig) -> Self {
        metrics_handle();
        let (table, handlers) = all_routes(&kernel, &services);
        check(&kernel, &table);
        let document = openapi::document(&table, &config);
        let (pages, page_handlers) = all_pages(&services);
        let public = |route: &&Arc<RouteInfo>| route.access == Access::Public;
        let inner = Inner {
            admission: Admission::new(config.in_flight_max, config.in_flight_per_namespace_max, kernel.common()),
            refusals: Refusals::new(),
            live: Live::new(config.live_per_namespace_max, config.live_per_key_max),
            body_memory: memory(config.body.memory_max),
            passwords: Passwords::new(),
            public_routes: table.iter().chain(&pages.infos).filter(public).cloned().collect(),
            table: table.clone(),
            turned: turned(&kernel),
            docs: ui::docs_page(&table, &document, &config).into(),
            openapi: document.to_string().into(),
            pages,
            streams: services.iter().flat_map(|service| service.streams).map(Mounted::of).collect(),
            services: OWN.into_iter().chain(services).collect(),
            kernel,
            config,
        };
        Self { shared: Shared(Arc::new(inner)), table, handlers, page_handlers }
    }

    /// The route table, the kernel's routes first.
    #[must_use]
    pub fn table(&self) -> &[Arc<RouteInfo>] {
        &self.table
    }

    /// The router, with everything that a request passes before it.
    ///
    /// # Panics
    /// Two routes have the same method and path.
    pub fn router(self) -> Router {
        let Self { shared, table, handlers, page_handlers } = self;
        let routes = table.iter().zip(handlers).chain(shared.pages().infos.iter().zip(page_handlers));
        let routed =
            routes.fold(Router::new(), |router, (info, handler)| Route::mount(handler, (info, &shared), router));
        let routed = routed
            .fallback(async || auth::no_route())
            .method_not_allowed_fallback(async || ApiError::refused(base::codes::AMETHOD, "not a method of this path"))
            .with_state(shared.clone());
        Router::new().fallback(move |request| pipeline::answer(shared.clone(), routed.clone(), request))
    }
}

/// The kernel's own services with their routes, in the order of the page.
pub(crate) const OWN: [Service; 10] = [
    namespaces::SERVICE,
    keys::SERVICE,
    accounts::SERVICE,
    tasks::SERVICE,
    alerts::SERVICE,
    journal::SERVICE,
    counters::SERVICE,
    overview::SERVICE,
    feed::SERVICE,
    blobs::SERVICE,
];

fn turned(kernel: &Kernel) -> Arc<Notify> {
    let turned = Arc::new(Notify::new());
    let told = turned.clone();
    kernel.registry().on_turn(move || told.notify_waiters());
    turned
}

fn all_pages(services: &[Service]) -> (Pages, Vec<MethodRouter<Shared>>) {
    let of_services = OWN.iter().chain(services).flat_map(|service| (service.pages)());
    Pages::of(console::pages().into_iter().chain(of_services).collect())
}

fn all_routes(kernel: &Kernel, services: &[Service]) -> (Table, Vec<MethodRouter<Shared>>) {
    for service in services {
        let known = kernel.services().iter().any(|def| std::ptr::eq(*def, service.def));
        assert!(known, "service {} has routes but is not one of the kernel's", service.def.name);
    }
    let own = OWN.iter().flat_map(|service| (service.routes)());
    let of_services = services.iter().flat_map(|service| {
        (service.routes)().into_iter().map(|mut route| {
            route.info.service = Some(service.def.name);
            route
        })
    });
    let routes = own.chain(of_services).chain(system::routes()).chain(find::routes());
    let (table, handlers): (Vec<_>, Vec<_>) = routes.map(|route| (Arc::new(route.info), route.handler)).unzip();
    (table.into(), handlers)
}

fn check(kernel: &Kernel, table: &Table) {
    // Panics where the kernel has no administrators' namespace.
    let _ = kernel.admin_namespace();
    for route in table.iter() {
        let label = route.label();
        assert!(!route.summary.is_empty() && !route.tag.is_empty(), "{label} has no summary or no tag");
        let guarded = route.path.starts_with("/v1/{ns}/");
        assert!(guarded || route.access == Access::Public, "{label} needs a key but lies outside of /v1/{{ns}}/");
    }
}
