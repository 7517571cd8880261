//! A running server with two namespaces, and short ways to ask it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use axum::Router;
use base::{BlobPlaces, Clock, Entropy, Id, OpResult, Store};
use host::{DiskPlaces, OsEntropy, RealClock, ThreadTimers};
use kernel::accounts::create_account::{CREATE_ACCOUNT, CreateAccount, NewPassword};
use kernel::accounts::open_session::{OPEN_SESSION, OpenSession};
use kernel::accounts::password::Kept;
use kernel::accounts::session;
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey};
use kernel::{Caller, Env, Kernel, KernelConfig, Op, Reply, Role, keys};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store_sqlite::{SqliteConfig, SqliteStore};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use web::{App, AppConfig, Drained, EdgeLimits, RouteInfo, Shutdown, Tls};

use crate::client::{Answer, Client};
use crate::probe;
use crate::valve::Valve;

/// The administrator's key of namespace `z`.
pub const ADMIN: &str = "fst_admin-of-z";

/// How a server is set up.
#[derive(Default)]
pub struct Setup {
    pub app: AppConfig,
    pub edge: EdgeLimits,
    pub build_min: u64,
    /// By TLS only.
    pub tls: Option<Tls>,
}

/// What a browser holds.
pub struct Session {
    pub cookie: String,
    pub csrf: String,
}

/// A running server.
pub struct World {
    pub addr: SocketAddr,
    pub kernel: Kernel,
    pub shutdown: Shutdown,
    pub table: Vec<Arc<RouteInfo>>,
    /// What is served, to be asked without a connection.
    pub router: Router,
    /// Around the store of namespace `main`.
    pub valve: Arc<Valve>,
    serving: Option<JoinHandle<Drained>>,
    runtime: Runtime,
    directory: TempDir,
}

impl World {
    pub fn new() -> Self {
        Self::with(Setup::default())
    }

    /// Blobs lie beside the stores.
    pub fn with(setup: Setup) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let blobs = Some(Arc::new(DiskPlaces::below(directory.path())) as Arc<dyn BlobPlaces>);
        Self::inside(directory, Setup { app: AppConfig { blobs, ..setup.app }, ..setup })
    }

    pub fn without_blobs() -> Self {
        Self::inside(tempfile::tempdir().unwrap(), Setup::default())
    }

    fn inside(directory: TempDir, setup: Setup) -> Self {
        let (kernel, valve) = kernel(directory.path(), setup.build_min);
        let app = App::new(kernel.clone(), vec![probe::SERVICE], setup.app.clone());
        let table = app.table().to_vec();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let addr = listener.local_addr().unwrap();
        let shutdown = setup.app.shutdown;
        let router = app.router();
        let (served, edge, stop) = (router.clone(), setup.edge, shutdown.clone());
        let serving = match setup.tls {
            Some(tls) => runtime.spawn(web::serve_tls(listener, tls, served, edge, stop)),
            None => runtime.spawn(web::serve(listener, served, edge, stop)),
        };
        let serving = Some(serving);
        let world = Self { addr, kernel, shutdown, table, router, valve, serving, runtime, directory };
        world.bootstrap();
        world
    }

    /// One more namespace, with a valve around its store.
    pub fn valved(&self, name: &str) -> Arc<Valve> {
        let config = SqliteConfig { reserve_bytes: 0, readers: 2, ..SqliteConfig::default() };
        let file = self.directory.path().join(name).with_extension("db");
        let store = SqliteStore::open(&file, config, self.kernel.env().clock.clone()).unwrap();
        let valve = Valve::around(Arc::new(store));
        self.kernel.add_namespace(name.to_owned(), valve.clone()).unwrap();
        valve
    }

    fn bootstrap(&self) {
        self.run("z", &BOOTSTRAP_KEY, BootstrapKey { hash: keys::hash(ADMIN) }).unwrap();
    }

    pub fn client(&self) -> Client {
        Client::connect(self.addr)
    }

    /// A new key of a namespace.
    pub fn key(&self, ns: &str, role: &str) -> String {
        let made = self.post(&format!("/v1/{ns}/keys"), ADMIN, &json!({ "role": role }));
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["key"].as_str().unwrap().to_owned()
    }

    pub fn get(&self, path: &str, key: &str) -> Answer {
        self.ask("GET", path, &[("authorization", &bearer(key))], None)
    }

    pub fn delete(&self, path: &str, key: &str) -> Answer {
        self.ask("DELETE", path, &[("authorization", &bearer(key))], None)
    }

    pub fn put(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.ask("PUT", path, &[("authorization", &bearer(key))], Some(&body.to_string()))
    }

    /// A request without a body.
    pub fn send(&self, method: &str, path: &str, key: &str) -> Answer {
        self.ask(method, path, &[("authorization", &bearer(key))], None)
    }

    pub fn post(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[("authorization", &bearer(key))], Some(&body.to_string()))
    }

    /// With more headers.
    pub fn post_with(&self, path: &str, key: &str, more: &[(&str, &str)], body: &Value) -> Answer {
        let authorization = bearer(key);
        let headers = [&[("authorization", authorization.as_str())], more].concat();
        self.ask("POST", path, &headers, Some(&body.to_string()))
    }

    /// Creates a task; it is older than all that are created after it.
    pub fn create_task(&self, ns: &str, body: &Value) -> String {
        let made = self.post(&format!("/v1/{ns}/tasks"), ADMIN, body);
        assert_eq!(made.status, 201, "{}", made.text());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        // Ids of one millisecond sort by chance; the next task is to be younger for everybody.
        let moment = |id: &str| id[..10].to_owned();
        while moment(&Id::new(RealClock::new().wall(), [0; 10]).to_string()) == moment(&id) {
            std::thread::yield_now();
        }
        id
    }

    /// Runs an operation in a namespace.
    pub fn run<I, O>(&self, ns: &str, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = mpsc::channel();
        let request = self.kernel.request(Caller::server("test"));
        let done = Box::new(move |reply: OpResult<Reply<O>>| tell.send(reply).unwrap());
        self.kernel.call(&self.kernel.namespace(ns).unwrap(), op, request, input, done);
        told.recv().unwrap().map(|reply| reply.out)
    }

    /// A session of an account that is called like its role, opened without a login: hashes take long.
    pub fn session(&self, ns: &str, role: Role) -> Session {
        let password = NewPassword { hash: "no password fits".into(), kept: Kept::new(&[0; 32], [0; 32]) };
        let name = role.word().to_owned();
        // There already, if it is the second one.
        let _ = self.run(ns, &CREATE_ACCOUNT, CreateAccount { name: name.clone(), role, password });
        let mut chance = [0; 32];
        OsEntropy.fill(&mut chance);
        let token = session::token_text(&chance);
        let (password, address) = ("no password fits".to_owned(), "192.0.2.1".to_owned());
        let input = OpenSession { account: name, password, hash: session::hash(&token), address };
        self.run(ns, &OPEN_SESSION, input).unwrap();
        Session { cookie: format!("fastness_session={token}"), csrf: session::csrf_token(&token) }
    }

    /// One request on a connection of its own.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            head.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
        }
        let mut client = self.client();
        client.send(format!("{head}\r\n{}", body.unwrap_or_default()));
        client.answer()
    }

    /// How many rows of this name the probe has.
    pub fn count(&self, name: &str) -> i64 {
        self.get(&format!("/v1/main/probe/{name}"), ADMIN).json()["count"].as_i64().unwrap()
    }

    /// Files of blobs of namespace `main`, those of uploads on their way included.
    pub fn blob_files(&self) -> usize {
        files_below(&self.directory.path().join("namespaces/main/blobs")).len()
    }

    /// Flips a bit of a stored blob.
    pub fn damage_blob(&self, sha: &str, at: usize) {
        let files = files_below(&self.directory.path().join("namespaces/main/blobs"));
        let file = files.iter().find(|file| file.to_string_lossy().contains(sha)).unwrap();
        let mut bytes = std::fs::read(file).unwrap();
        bytes[at] ^= 1;
        std::fs::write(file, bytes).unwrap();
    }

    /// Stops the server and tells how that ended.
    pub fn stop(&mut self) -> Drained {
        self.shutdown.begin();
        let serving = self.serving.take().expect("stopped once");
        self.runtime.block_on(serving).unwrap()
    }

    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.valve.set(crate::valve::Flow::Open);
        self.shutdown.begin();
        if let Some(serving) = self.serving.take() {
            serving.abort();
        }
        for ns in self.kernel.namespaces() {
            ns.store.close();
        }
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return vec![] };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

pub fn bearer(key: &str) -> String {
    format!("Bearer {key}")
}

fn kernel(directory: &Path, build_min: u64) -> (Kernel, Arc<Valve>) {
    let clock = Arc::new(RealClock::new());
    let store = |name: &str| -> Arc<dyn Store> {
        let config = SqliteConfig { reserve_bytes: 0, readers: 2, cache_bytes: 4 << 20, ..SqliteConfig::default() };
        Arc::new(SqliteStore::open(&directory.join(name), config, clock.clone()).unwrap())
    };
    let valve = Valve::around(store("main.db"));
    let stores = vec![("z".to_owned(), store("z.db")), ("main".to_owned(), valve.clone() as Arc<dyn Store>)];
    let env = Env { clock: clock.clone(), entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
    let config = KernelConfig { build_min, ..KernelConfig::default() };
    (Kernel::open(env, config, &[&probe::PROBE], stores).unwrap(), valve)
}
