//! All five services and the kernel behind their real routes: a request as text, and whatever it is, an answer that is one.
//!
//! The first line is method and path, then `name: value` lines, an empty line, the body: bodies of every request, cursors, searches, scopes, filters,
//! `Idempotency-Key`. Some rows are there already. No answer may be 500, none may say nothing, and a refusal has a code.

use std::cell::RefCell;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderName, HeaderValue, Request};
use serde_json::{Value, json};
use testbed::World;
use testbed_web::{ADMIN, Edge};
use tokio::time::timeout;
use tower::ServiceExt;
use web::{App, AppConfig};

use crate::text;

/// A server is asked so often before it is made anew, so that a finding depends on little.
const ASKED_MAX: u32 = 200;
/// Live answers and long polls are cut after this.
const PATIENCE: Duration = Duration::from_millis(300);

thread_local! {
    static SERVER: RefCell<Option<(u32, Server)>> = const { RefCell::new(None) };
}

struct Server {
    edge: Edge,
    /// Its stores.
    _world: World,
}

/// Asks.
pub(crate) fn routes(bytes: &[u8]) {
    let Some(request) = text(bytes).and_then(request) else { return };
    SERVER.with_borrow_mut(|held| {
        let (asked, server) = held.take().filter(|(asked, _)| *asked < ASKED_MAX).unwrap_or_else(|| (0, Server::new()));
        server.ask(request);
        *held = Some((asked + 1, server));
    });
}

fn request(text: &str) -> Option<Request<Body>> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let (method, path) = lines.next()?.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(path).header("host", "x");
    request = request.header("authorization", format!("Bearer {ADMIN}"));
    if !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in lines.filter_map(|line| line.split_once(": ")).take(20) {
        request = request.header(HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value).ok()?);
    }
    request.body(Body::from(body.to_owned())).ok()
}

impl Server {
    fn new() -> Self {
        let services = fastness::services();
        let defs: Vec<_> = services.iter().map(|service| service.def).collect();
        let world = World::of(&defs);
        let router = App::new(world.kernel.clone(), services, AppConfig::default()).router();
        let edge = Edge::with("/v1/main", world.kernel.clone(), router);
        let server = Self { edge, _world: world };
        server.fill();
        server
    }

    /// Something of everything, so that there is something to find.
    fn fill(&self) {
        let class =
            json!({ "class": "Contact", "items": { "Card": { "singleton": true, "index": { "name": "string" } } } });
        let change = json!({ "c": "Contact", "id": "c1", "items": [{ "c": "Card", "j": { "name": "Ada" } }] });
        let start = json!({ "actor": "order#1", "method": "begin", "args": [{ "value": 1 }] });
        for (method, path, body) in [
            ("POST", "/doc-classes", class),
            ("POST", "/op/doc.commit", json!({ "param": { "changes": [change] } })),
            ("PUT", "/sensors/door1", json!({ "address": "Lyon, 1" })),
            ("POST", "/sensor-clients", json!({ "name": "Hotel", "url": "https://hotel.example/d" })),
            ("POST", "/exchange/companies", json!({ "id": "acme", "name": "Acme" })),
            ("POST", "/exchange/subsystems", json!({ "id": "sales", "company": "acme", "name": "s" })),
            ("POST", "/exchange/databases", json!({ "id": "erp", "company": "acme" })),
            ("POST", "/workflow/processes", json!({ "type": "order", "custom_id": "o-1", "start": start })),
        ] {
            let (status, answer) = self.edge.ask(method, path, &body);
            assert!((200..300).contains(&status), "{path}: {status} {answer}");
        }
    }

    fn ask(&self, request: Request<Body>) {
        let shown = format!("{} {}", request.method(), request.uri());
        let asked = async { timeout(PATIENCE, answered(self.edge.router.clone(), request)).await };
        // What waits is let go: a long poll, or a live answer.
        let Ok((status, body)) = self.edge.runtime.block_on(asked) else { return };
        assert_ne!(status, 500, "{shown}: {}", String::from_utf8_lossy(&body));
        if status >= 400 && !body.is_empty() && body.first() == Some(&b'{') {
            let answer: Value = serde_json::from_slice(&body).unwrap_or_else(|error| panic!("{shown}: {error}"));
            assert!(answer["code"].as_str().is_some_and(|code| !code.is_empty()), "{shown}: {answer}");
        }
    }
}

async fn answered(router: Router, request: Request<Body>) -> (u16, Bytes) {
    let answer = router.oneshot(request).await.expect("an answer");
    let status = answer.status().as_u16();
    (status, to_bytes(answer.into_body(), 64 << 20).await.unwrap_or_default())
}
