//! The application: a kernel, its services' routes, and everything derived from their one table.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::Method;
use axum::routing::MethodRouter;
use base::BlobPlaces;
use kernel::Kernel;
use tokio::sync::Semaphore;

use crate::admission::Admission;
use crate::body::{BodyLimits, memory};
use crate::error::ApiError;
use crate::metrics::metrics_handle;
use crate::refusal::Refusals;
use crate::route::{Access, Route, RouteInfo, Service, Table};
use crate::shutdown::Shutdown;
use crate::{accounts, alerts, auth, blobs, feed, journal, keys, namespaces, openapi, pipeline, system, tasks, ui};

/// What an operator may set of the edge.
#[derive(Debug, Clone)]
pub struct AppConfig {
    /// The server's name on its pages.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it is reached, for examples on its pages: no slash at the end.
    pub public_url: String,
    /// Limits of bodies.
    pub body: BodyLimits,
    /// Items of one page of a list.
    pub page_max: u32,
    /// Requests in flight, of all namespaces together.
    pub in_flight_max: usize,
    /// Requests in flight per namespace: below the former, so that one tenant's flood leaves places for others.
    pub in_flight_per_namespace_max: usize,
    /// Where the bytes of blobs are; without it, blobs are refused.
    pub blobs: Option<Arc<dyn BlobPlaces>>,
    /// Bytes of one blob.
    pub blob_max: u64,
    /// The signal to stop, the same that [`crate::serve`] is given.
    pub shutdown: Shutdown,
}

impl Default for AppConfig {
    fn default() -> Self {
        Self {
            name: "Fastness".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            public_url: "http://127.0.0.1:7400".into(),
            body: BodyLimits::default(),
            page_max: base::limits::PAGE_MAX,
            in_flight_max: 4_096,
            in_flight_per_namespace_max: 2_048,
            blobs: None,
            blob_max: base::limits::BLOB_MAX,
            shutdown: Shutdown::new(),
        }
    }
}

struct Inner {
    kernel: Kernel,
    config: AppConfig,
    admission: Admission,
    refusals: Refusals,
    body_memory: Arc<Semaphore>,
    public_routes: Vec<Arc<RouteInfo>>,
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

    pub(crate) fn body_memory(&self) -> &Arc<Semaphore> {
        &self.0.body_memory
    }

    pub(crate) fn openapi(&self) -> Bytes {
        self.0.openapi.clone()
    }

    pub(crate) fn docs(&self) -> Bytes {
        self.0.docs.clone()
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
        let inner = Inner {
            admission: Admission::new(config.in_flight_max, config.in_flight_per_namespace_max),
            refusals: Refusals::new(),
            body_memory: memory(config.body.memory_max),
            public_routes: table.iter().filter(|route| route.access == Access::Public).cloned().collect(),
            docs: ui::docs_page(&table, &document, &config).into(),
            openapi: document.to_string().into(),
            kernel,
            config,
        };
        Self { shared: Shared(Arc::new(inner)), table, handlers }
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
        let Self { shared, table, handlers } = self;
        let routes = table.iter().zip(handlers);
        let routed = routes.fold(Router::new(), |router, (info, handler)| Route::mount(handler, info, router));
        let routed = routed
            .fallback(async || auth::no_route())
            .method_not_allowed_fallback(async || ApiError::refused(base::codes::AMETHOD, "not a method of this path"))
            .with_state(shared.clone());
        Router::new().fallback(move |request| pipeline::answer(shared.clone(), routed.clone(), request))
    }
}

/// The kernel's own services with their routes, in the order of the page.
const OWN: [Service; 8] = [
    namespaces::SERVICE,
    keys::SERVICE,
    accounts::SERVICE,
    tasks::SERVICE,
    alerts::SERVICE,
    journal::SERVICE,
    feed::SERVICE,
    blobs::SERVICE,
];

fn all_routes(kernel: &Kernel, services: &[Service]) -> (Table, Vec<MethodRouter<Shared>>) {
    for service in services {
        let known = kernel.services().iter().any(|def| std::ptr::eq(*def, service.def));
        assert!(known, "service {} has routes but is not one of the kernel's", service.def.name);
    }
    let own = OWN.into_iter().chain(services.iter().copied());
    let routes = own.flat_map(|service| (service.routes)()).chain(system::routes());
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
