//! A server without a connection: the real routes on a kernel in one thread, with a company, a database and devices.

use std::sync::mpsc::channel;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, header};
use base::{OpResult, Row, Sql, Value as Arg};
use exchange::process::{LATE, TIMEOUT};
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Kernel, Op, Query, keys};
use serde_json::{Value, json};
use testbed::World;
use tokio::runtime::Runtime;
use tower::ServiceExt;
use web::{App, AppConfig};

/// The administrator's key.
pub const ADMIN: &str = "fst_admin-of-z";

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub struct Edge {
    pub kernel: Kernel,
    /// Whose time passes when told; none on PostgreSQL.
    world: Option<World>,
    pub router: Router,
    pub runtime: Runtime,
}

impl Edge {
    pub fn new() -> Self {
        let world = World::of(&[&exchange::SERVICE]);
        let edge = Self::of(world.kernel.clone());
        Self { world: Some(world), ..edge }
    }

    /// Of a kernel with the namespaces `main` and `z`.
    pub fn of(kernel: Kernel) -> Self {
        Self::of_nodes(&[kernel])
    }

    /// Of several nodes, each of which gets the next request.
    pub fn of_nodes(nodes: &[Kernel]) -> Self {
        let kernel = nodes[0].clone();
        bootstrap(&kernel);
        let router = |node: &Kernel| App::new(node.clone(), vec![exchange::service()], AppConfig::default()).router();
        let router = testbed_web::in_turn(nodes.iter().map(router).collect());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { kernel, world: None, router, runtime }
    }

    /// Asks with JSON, as the administrator, below `/v1/main/exchange`.
    pub fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.ask_as(ADMIN, method, path, body)
    }

    pub fn ask_as(&self, key: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
        let reply = self.send(key, method, path, &[], &text(&body));
        (reply.status, reply.json())
    }

    /// Asks; what is not answered with 200 fails the test.
    pub fn get_as(&self, key: &str, path: &str) -> Value {
        let (status, answer) = self.ask_as(key, "GET", path, Value::Null);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    pub fn get(&self, path: &str) -> Value {
        self.get_as(ADMIN, path)
    }

    /// Asks; the status and the code of the refusal.
    pub fn refused_as(&self, key: &str, method: &str, path: &str, body: &Value) -> (u16, String) {
        let reply = self.send(key, method, path, &[], &text(body));
        (reply.status, reply.code())
    }

    pub fn refused(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        self.refused_as(ADMIN, method, path, body)
    }

    pub fn send(&self, key: &str, method: &str, path: &str, more: &[(&str, &str)], body: &str) -> Reply {
        let request = self.request(key, method, path, more, body.to_owned());
        self.runtime.block_on(answered(self.router.clone(), request))
    }

    pub fn request(&self, key: &str, method: &str, path: &str, more: &[(&str, &str)], body: String) -> Request<Body> {
        let uri = if path.starts_with("/v1") { path.to_owned() } else { format!("/v1/main/exchange{path}") };
        let mut request = Request::builder().method(method).uri(uri).header("host", "x");
        request = request.header(header::CONTENT_TYPE, "application/json");
        if !key.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let request = more.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.body(Body::from(body)).unwrap()
    }

    /// A new key of the namespace.
    pub fn key(&self, role: &str, scope: &Value) -> String {
        let (status, made) = self.ask("POST", "/v1/main/keys", json!({ "role": role, "scope": scope }));
        assert_eq!(status, 201, "{made}");
        made["key"].as_str().unwrap().to_owned()
    }

    /// Registers something; what it is answered.
    pub fn register(&self, what: &str, body: Value) -> Value {
        let (status, answer) = self.ask("POST", what, body);
        assert_eq!(status, 201, "{what}: {answer}");
        answer
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
        let (tell, told) = channel();
        let main = self.kernel.namespace("main").unwrap();
        let request = self.kernel.request(Caller::server("test"));
        self.kernel.call(&main, &WRITE, request, (sql, args), Box::new(move |reply| tell.send(reply).unwrap()));
        told.recv().unwrap().unwrap();
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

pub async fn answered(router: Router, request: Request<Body>) -> Reply {
    let answer = router.oneshot(request).await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let bytes = to_bytes(answer.into_body(), 64 << 20).await.unwrap();
    Reply { status, headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

fn text(body: &Value) -> String {
    if body.is_null() { String::new() } else { body.to_string() }
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

/// Ends all that stand still for too long.
pub fn end_late(world: &World) {
    for id in world.read(&LATE, ()).unwrap() {
        world.call(&TIMEOUT, id).unwrap();
    }
}

/// A company with a subsystem, a database and a phone, each with its key.
pub struct Office {
    pub edge: Edge,
    pub db_key: String,
    pub phone: String,
    pub phone_key: String,
}

impl Office {
    pub fn open() -> Self {
        Self::of(Edge::new())
    }

    pub fn of(edge: Edge) -> Self {
        edge.register("/companies", json!({ "id": "acme", "name": "Acme" }));
        edge.register("/subsystems", json!({ "id": "sales", "company": "acme", "name": "Sales" }));
        let made = edge.register("/databases", json!({ "id": "erp", "company": "acme" }));
        let db_key = made["key"].as_str().unwrap().to_owned();
        let mut office = Self { edge, db_key, phone: String::new(), phone_key: String::new() };
        (office.phone, office.phone_key) = office.device();
        office
    }

    /// Registers and activates a device: its id and its key.
    pub fn device(&self) -> (String, String) {
        let new = json!({ "company": "acme", "subsystem": "sales", "name": "phone" });
        let made = self.edge.register("/devices", new);
        let (status, active) = self.activate(made["activation_code"].as_str().unwrap());
        assert_eq!((status, &active["device"]), (200, &made["id"]), "{active}");
        (made["id"].as_str().unwrap().to_owned(), active["key"].as_str().unwrap().to_owned())
    }

    pub fn activate(&self, code: &str) -> (u16, Value) {
        self.edge.ask_as("", "POST", "/activate", json!({ "code": code }))
    }

    pub fn message(&self, id: &str, at_s: u32) -> Value {
        json!({
            "version": 1, "id": id,
            "head": { "company": "acme", "subsystem": "sales", "from": self.phone, "to": "erp",
                      "created_at": format!("2026-11-01T12:00:{at_s:02}Z") },
            "body": { "type": "order", "version": 1, "payload": { "n": id } },
        })
    }

    pub fn reply(&self, id: &str) -> Value {
        let mut reply = self.message(id, 30);
        reply["head"]["from"] = json!("erp");
        reply["head"]["to"] = json!(self.phone);
        reply
    }

    /// The phone sends messages, one after the other.
    pub fn sent(&self, ids: &[&str]) {
        for (second, id) in (0..).zip(ids) {
            let (status, answer) = self.by_phone("POST", "/messages", self.message(id, second));
            assert_eq!((status, &answer["id"]), (201, &json!(id)), "{answer}");
        }
    }

    pub fn by_phone(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.edge.ask_as(&self.phone_key, method, path, body)
    }

    pub fn by_database(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        self.edge.ask_as(&self.db_key, method, path, body)
    }

    /// The database starts a process; what it is answered.
    pub fn start(&self) -> Value {
        let (status, answer) = self.by_database("POST", "/processes", json!({ "db": "erp" }));
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// Sends `a` and `b`, and lets nobody know what became of their process: one was processed, one was wrong, `r` is the reply.
    pub fn unknown(&self) -> String {
        let process = self.prepared();
        self.edge.world().pass_ms(300_000);
        end_late(self.edge.world());
        process
    }

    /// Sends `a` and `b`, of which one is processed and one is wrong; `r` is the reply, and nobody commits.
    pub fn prepared(&self) -> String {
        self.sent(&["a", "b"]);
        let process = self.started();
        let said = json!({ "results": [
            { "id": "a", "status": "PROCESSED" }, { "id": "b", "status": "PROCESSED_INCORRECT" },
        ], "replies": [self.reply("r")] });
        self.step(&process, "prepare", said);
        process
    }

    /// The id of a process that starts now.
    pub fn started(&self) -> String {
        let answer = self.start();
        assert_eq!(answer["status"], json!("OK"), "{answer}");
        answer["process"].as_str().unwrap().to_owned()
    }

    /// A step of the handshake; its status.
    pub fn step(&self, process: &str, step: &str, body: Value) -> Value {
        let (status, answer) = self.by_database("POST", &format!("/processes/{process}/{step}"), body);
        assert_eq!(status, 200, "{step}: {answer}");
        answer["status"].clone()
    }

    pub fn state(&self, id: &str) -> Value {
        self.edge.get_as(&self.phone_key, &format!("/messages/{id}/status"))["state"].clone()
    }

    /// Ids of what the phone can fetch.
    pub fn fetched(&self) -> Vec<String> {
        ids(&self.edge.get_as(&self.phone_key, "/messages"))
    }

    pub fn check(&self) {
        self.edge.world().check_invariants();
    }
}

/// Ids of the messages of an answer.
pub fn ids(answer: &Value) -> Vec<String> {
    let messages = answer["messages"].as_array();
    messages.into_iter().flatten().map(|message| message["id"].as_str().unwrap().to_owned()).collect()
}

/// Results of one kind for messages.
pub fn results(status: &str, ids: &[&str]) -> Value {
    ids.iter().map(|id| json!({ "id": id, "status": status })).collect()
}
