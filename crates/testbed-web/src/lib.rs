//! For tests of services over HTTP: the real routes on a kernel, without a connection.
//!
//! ```ignore
//! let edge = Edge::new("/v1/main/workflow", workflow::service());
//! let (status, answer) = edge.ask("POST", "/processes", json!({ … }));
//! ```

#![expect(clippy::missing_panics_doc, clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

mod nodes;
mod postgres;

use std::sync::mpsc::channel;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, header};
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Kernel, ServiceDef, keys};
use serde_json::{Value, json};
use testbed::World;
use tokio::runtime::Runtime;
use tower::ServiceExt;
use web::{App, AppConfig, Service};

pub use nodes::{OnNodes, in_turn};
pub use postgres::{OnPostgres, PostgresKernel};

/// The administrator's key.
pub const ADMIN: &str = "fst_admin-of-z";

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Its HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub text: String,
}

impl Reply {
    /// Its body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// The code of a refusal.
    #[must_use]
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A server without a connection.
pub struct Edge {
    /// Its kernel, with the namespaces `main` and `z`.
    pub kernel: Kernel,
    /// Whose time passes when told; none on PostgreSQL.
    world: Option<World>,
    /// Its routes.
    pub router: Router,
    /// What asks run on.
    pub runtime: Runtime,
    /// Where the service is.
    root: &'static str,
}

impl Edge {
    /// One service on SQLite in memory, its paths below `root`.
    #[must_use]
    pub fn new(root: &'static str, service: Service) -> Self {
        let world = World::of(&[service.def]);
        let edge = Self::of(root, world.kernel.clone(), service);
        Self { world: Some(world), ..edge }
    }

    /// One service of a kernel with the namespaces `main` and `z`.
    #[must_use]
    pub fn of(root: &'static str, kernel: Kernel, service: Service) -> Self {
        let router = App::new(kernel.clone(), vec![service], AppConfig::default()).router();
        Self::with(root, kernel, router)
    }

    /// These routes, which are this kernel's or those of several that share its store.
    #[must_use]
    pub fn with(root: &'static str, kernel: Kernel, router: Router) -> Self {
        bootstrap(&kernel);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { kernel, world: None, router, runtime, root }
    }

    /// Asks with JSON, as the administrator.
    #[must_use]
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.ask_as(ADMIN, method, path, body)
    }

    /// Asks with JSON and a key.
    #[must_use]
    pub fn ask_as(&self, key: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let reply = self.send(key, method, path, &[], &text(body));
        (reply.status, reply.json())
    }

    /// Asks; what is not answered with 200 fails the test.
    #[must_use]
    pub fn get(&self, path: &str) -> Value {
        let (status, answer) = self.ask("GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Asks; what is not answered with this status fails the test.
    #[must_use]
    pub fn told(&self, status: u16, method: &str, path: &str, body: &Value) -> Value {
        let (told, answer) = self.ask(method, path, body);
        assert_eq!(told, status, "{method} {path}: {answer}");
        answer
    }

    /// Asks; the status and the code of the refusal.
    #[must_use]
    pub fn refused(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        self.refused_as(ADMIN, method, path, body)
    }

    /// The same with a key.
    #[must_use]
    pub fn refused_as(&self, key: &str, method: &str, path: &str, body: &Value) -> (u16, String) {
        let reply = self.send(key, method, path, &[], &text(body));
        (reply.status, reply.code())
    }

    /// Asks with whatever body and further headers.
    #[must_use]
    pub fn send(&self, key: &str, method: &str, path: &str, more: &[(&str, &str)], body: &str) -> Reply {
        let request = self.request(key, method, path, more, body.to_owned());
        self.runtime.block_on(answered(self.router.clone(), request))
    }

    /// A request.
    #[must_use]
    pub fn request(&self, key: &str, method: &str, path: &str, more: &[(&str, &str)], body: String) -> Request<Body> {
        let uri = if path.starts_with("/v1") { path.to_owned() } else { format!("{}{path}", self.root) };
        let mut request = Request::builder().method(method).uri(uri).header("host", "x");
        request = request.header(header::CONTENT_TYPE, "application/json");
        if !key.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let request = more.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(Body::from(body)).expect("a request")
    }

    /// Asks for something that waits, and does something else once it does.
    #[must_use]
    pub fn while_waiting(&self, request: Request<Body>, done: impl FnOnce()) -> Reply {
        let router = self.router.clone();
        self.runtime.block_on(async {
            let asked = tokio::spawn(answered(router, request));
            // It has looked and waits by then: there is one thread, and nothing in it takes its time from elsewhere.
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            assert!(!asked.is_finished(), "it waits");
            done();
            asked.await.expect("an answer")
        })
    }

    /// A new key of the namespace.
    #[must_use]
    pub fn key(&self, role: &str, scope: &Value) -> String {
        let made = self.told(201, "POST", "/v1/main/keys", &json!({ "role": role, "scope": scope }));
        made["key"].as_str().expect("a key").to_owned()
    }

    /// The world whose time passes when told.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world.as_ref().expect("on SQLite only")
    }

    /// Every statement of a service prepares on the engine that this is.
    pub fn prepare_all(&self, service: &ServiceDef) {
        let store = self.kernel.namespace("main").expect("main").store.clone();
        for sql in service.statements {
            store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
        }
        let names: std::collections::BTreeSet<_> = service.statements.iter().map(|sql| sql.name).collect();
        assert_eq!(names.len(), service.statements.len(), "each has a name of its own");
    }
}

/// What a request is answered.
pub async fn answered(router: Router, request: Request<Body>) -> Reply {
    let answer = router.oneshot(request).await.expect("an answer");
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let bytes = to_bytes(answer.into_body(), 64 << 20).await.expect("a body");
    Reply { status, headers, text: String::from_utf8(bytes.to_vec()).expect("a text") }
}

fn text(body: &Value) -> String {
    if body.is_null() { String::new() } else { body.to_string() }
}

fn bootstrap(kernel: &Kernel) {
    let (tell, told) = channel();
    let done = Box::new(move |reply| tell.send(reply).expect("heard"));
    let request = kernel.request(Caller::server("test"));
    kernel.call(&kernel.admin_namespace(), &BOOTSTRAP_KEY, request, BootstrapKey { hash: keys::hash(ADMIN) }, done);
    told.recv().expect("an answer").expect("a key");
}
