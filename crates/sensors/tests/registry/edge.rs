//! A server without a connection: the real routes on a kernel in one thread, with a place for blobs.

use std::sync::Arc;
use std::sync::mpsc::channel;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use base::{BlobPlaces, OpResult, Row, Sql, Value as Arg};
use host::DiskPlaces;
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Kernel, Op, Query, Reply, keys};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tempfile::TempDir;
use testbed::World;
use tokio::runtime::Runtime;
use tower::ServiceExt;
use web::{App, AppConfig};

/// The administrator's key.
pub const ADMIN: &str = "fst_admin-of-z";

pub struct Edge {
    pub kernel: Kernel,
    /// Whose time passes when told; none on PostgreSQL.
    world: Option<World>,
    router: Router,
    runtime: Runtime,
    pub places: Arc<dyn BlobPlaces>,
    _folder: TempDir,
}

impl Edge {
    pub fn new() -> Self {
        let world = World::of(&[&sensors::SERVICE]);
        let edge = Self::of(world.kernel.clone());
        Self { world: Some(world), ..edge }
    }

    /// Of a kernel with the namespaces `main` and `z`.
    pub fn of(kernel: Kernel) -> Self {
        Self::of_nodes(&[kernel])
    }

    /// One that has no room for anybody.
    pub fn full() -> Self {
        let world = World::of(&[&sensors::SERVICE]);
        let config = AppConfig { in_flight_per_namespace_max: 0, ..AppConfig::default() };
        let edge = Self::of_nodes_with(std::slice::from_ref(&world.kernel), &config);
        Self { world: Some(world), ..edge }
    }

    /// Of several nodes, each of which gets the next request.
    pub fn of_nodes(nodes: &[Kernel]) -> Self {
        Self::of_nodes_with(nodes, &AppConfig::default())
    }

    fn of_nodes_with(nodes: &[Kernel], config: &AppConfig) -> Self {
        let kernel = nodes[0].clone();
        bootstrap(&kernel);
        let folder = tempfile::tempdir().unwrap();
        let places: Arc<dyn BlobPlaces> = Arc::new(DiskPlaces::below(folder.path()));
        let config = AppConfig { blobs: Some(places.clone()), ..config.clone() };
        let router = |node: &Kernel| App::new(node.clone(), vec![sensors::service()], config.clone()).router();
        let router = testbed_web::in_turn(nodes.iter().map(router).collect());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { kernel, world: None, router, runtime, places, _folder: folder }
    }

    /// Asks with JSON, as the administrator, below `/v1/main`.
    pub fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.ask_as(ADMIN, method, path, body)
    }

    pub fn ask_as(&self, key: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let (status, bytes) = self.send(key, method, path, &[("content-type", "application/json")], body);
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    pub fn get(&self, path: &str) -> Value {
        let (status, answer) = self.ask("GET", path, Value::Null);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Asks; the code of the refusal.
    pub fn refused(&self, method: &str, path: &str, body: Value) -> (u16, String) {
        let (status, answer) = self.ask(method, path, body);
        (status, answer["code"].as_str().unwrap_or_default().to_owned())
    }

    pub fn send(&self, key: &str, method: &str, path: &str, more: &[(&str, &str)], body: Vec<u8>) -> (u16, Vec<u8>) {
        self.send_to(key, method, &format!("/v1/main{path}"), more, body)
    }

    /// A page of the console, as the administrator sees it in a language.
    pub fn page(&self, path: &str, language: &str) -> (u16, String) {
        let (status, bytes) =
            self.send_to(ADMIN, "GET", &format!("/console/main{path}"), &[("accept-language", language)], vec![]);
        (status, String::from_utf8(bytes).unwrap())
    }

    /// The same for whoever has this key.
    pub fn page_as(&self, key: &str, path: &str) -> (u16, String) {
        let (status, bytes) = self.send_to(key, "GET", &format!("/console/main{path}"), &[], vec![]);
        (status, String::from_utf8(bytes).unwrap())
    }

    fn send_to(&self, key: &str, method: &str, uri: &str, more: &[(&str, &str)], body: Vec<u8>) -> (u16, Vec<u8>) {
        let request = Request::builder().method(method).uri(uri).header("host", "x");
        let request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        let request = more.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let answer = self.router.clone().oneshot(request.body(Body::from(body)).unwrap());
        self.runtime.block_on(async {
            let answer = answer.await.unwrap();
            let status = answer.status().as_u16();
            (status, to_bytes(answer.into_body(), 64 << 20).await.unwrap().to_vec())
        })
    }

    /// A new key of the namespace.
    pub fn key(&self, role: &str, scope: Value) -> String {
        let (status, made) = self.ask("POST", "/keys", json!({ "role": role, "scope": scope }));
        assert_eq!(status, 201, "{made}");
        made["key"].as_str().unwrap().to_owned()
    }

    /// Registers a sensor.
    pub fn sensor(&self, id: &str, address: &str) {
        let (status, answer) = self.ask("PUT", &format!("/sensors/{id}"), json!({ "address": address }));
        assert_eq!(status, 201, "{id}: {answer}");
    }

    /// Creates a client; its id and its secret.
    pub fn client(&self, name: &str) -> (String, String) {
        let made = json!({ "name": name, "url": "https://hook.example/doors" });
        let (status, answer) = self.ask("POST", "/sensor-clients", made);
        assert_eq!(status, 201, "{answer}");
        (answer["id"].as_str().unwrap().to_owned(), answer["secret"].as_str().unwrap().to_owned())
    }

    pub fn link(&self, client: &str, sensor: &str) {
        let (status, answer) = self.ask("PUT", &format!("/sensor-clients/{client}/sensors/{sensor}"), Value::Null);
        assert_eq!(status, 204, "{answer}");
    }

    /// All pages of a list.
    pub fn all(&self, path: &str, limit: usize) -> Vec<Value> {
        let (mut items, mut after) = (vec![], String::new());
        let sign = if path.contains('?') { '&' } else { '?' };
        for _ in 0..10_000 {
            let page = self.get(&format!("{path}{sign}limit={limit}{after}"));
            let list = page["items"].as_array().unwrap();
            assert!(list.len() <= limit, "{path}");
            items.extend(list.iter().cloned());
            let Some(next) = page["next"].as_str() else { return items };
            after = format!("&after={}", encoded(next));
        }
        panic!("{path} never ends")
    }

    /// The world whose time passes when told.
    pub fn world(&self) -> &World {
        self.world.as_ref().expect("on SQLite only")
    }

    /// Writes rows that other parts would write.
    pub fn write(&self, sql: &'static Sql, args: Vec<Arg<'static>>) {
        static WRITE: Op<(&'static Sql, Vec<Arg<'static>>), ()> =
            Op::new("test.write", |tx, _, (sql, args)| -> OpResult<()> { Ok(tx.write(sql, args)?) });
        self.call(&WRITE, (sql, args)).unwrap();
    }

    pub fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = channel();
        let done = Box::new(move |reply: OpResult<Reply<O>>| tell.send(reply).unwrap());
        let main = self.kernel.namespace("main").unwrap();
        self.kernel.call(&main, op, self.kernel.request(Caller::server("test")), input, done);
        told.recv().unwrap().map(|reply| reply.out)
    }

    pub fn rows(&self, sql: &'static Sql) -> Vec<Row> {
        static ROWS: Query<&'static Sql, Vec<Row>> =
            Query::new("test.rows", |tx, sql| Ok(tx.query(sql, &[], 5_000)?));
        let (tell, told) = channel();
        let main = self.kernel.namespace("main").unwrap();
        self.kernel.read(&main, &ROWS, sql, Box::new(move |rows| tell.send(rows).unwrap()));
        told.recv().unwrap().unwrap()
    }

    pub fn count(&self, sql: &'static Sql) -> i64 {
        self.rows(sql)[0].int(0)
    }
}

/// A text as a part of a query.
pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn bootstrap(kernel: &Kernel) {
    let (tell, told) = channel();
    let done = Box::new(move |reply| tell.send(reply).unwrap());
    let request = kernel.request(Caller::server("test"));
    kernel.call(&kernel.admin_namespace(), &BOOTSTRAP_KEY, request, BootstrapKey { hash: keys::hash(ADMIN) }, done);
    told.recv().unwrap().unwrap();
}
