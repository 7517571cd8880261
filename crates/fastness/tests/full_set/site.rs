//! All parts, and the two servers over them.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kill::rng::Rng;
use kill::sensors::receiver::Receiver;
use kill::server::{KEY, Launch, Server};
use tempfile::TempDir;

use crate::caller::Caller;
use crate::parts::Part;
use crate::storage::Storage;
use crate::{clickhouse, example};

/// Longest wait for what must come.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// All that the servers stand on.
pub struct Parts {
    pub postgres: Part,
    pub brokers: [Part; 3],
    pub redis: Part,
    pub clickhouse: Part,
    pub storage: Mutex<Storage>,
}

impl Parts {
    fn start(folder: &Path) -> Self {
        let brokers = ["rabbitmq-1", "rabbitmq-2", "rabbitmq-3"].map(Part::own);
        let storage = Mutex::new(Storage::start(&folder.join("storage")));
        let (redis, clickhouse, postgres) = (Part::own("redis"), Part::own("clickhouse"), Part::postgres());
        let parts = Self { postgres, brokers, redis, clickhouse, storage };
        parts.begin();
        parts
    }

    /// The first broker alone, so that the others find a cluster; the rest meanwhile.
    fn begin(&self) {
        let [first, others @ ..] = &self.brokers;
        self.brokers.iter().for_each(Part::forget);
        first.control("begin");
        [&self.postgres, &self.redis, &self.clickhouse, first].iter().for_each(|part| part.control("start"));
        others.iter().for_each(|broker| broker.control("begin"));
        others.iter().for_each(|broker| broker.control("start"));
        clickhouse::ask(&self.clickhouse.url(), &format!("CREATE DATABASE {}", self.database()));
    }

    /// Beside those of other tests, and of this one before.
    pub fn schema_prefix(&self) -> String {
        format!("{}_", self.database())
    }

    /// The same for history.
    pub fn database(&self) -> String {
        format!("full_set_{}", std::process::id())
    }
}

/// PostgreSQL is not ours, and others need it after us.
impl Drop for Parts {
    fn drop(&mut self) {
        self.postgres.control("start");
        self.brokers.iter().chain([&self.redis, &self.clickhouse]).for_each(|part| part.control("kill"));
    }
}

/// A server, started and killed.
pub struct Node {
    launch: Launch,
    pub address: SocketAddr,
    server: Mutex<Option<Server>>,
}

impl Node {
    fn start(parts: &Parts, broker: &Part, folder: &Path) -> Self {
        let address = free_address();
        let launch = Launch::new(program(), &folder.join("data")).listen_on(address);
        let variables = example::environment(parts, broker, folder);
        let launch = variables.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        let node = Self { launch, address, server: Mutex::new(None) };
        node.begin();
        node
    }

    pub fn begin(&self) {
        let mut command = self.launch.command();
        command.arg("--config").arg(example::file());
        *self.server.lock().unwrap() = Some(self.launch.start_as(command).unwrap());
    }

    pub fn kill(&self) {
        self.server.lock().unwrap().take().unwrap().kill().unwrap();
    }

    pub fn log(&self) -> String {
        self.launch.log()
    }
}

pub struct Site {
    pub parts: Parts,
    pub nodes: [Node; 2],
    pub receiver: Receiver,
    folder: TempDir,
}

impl Site {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let parts = Parts::start(folder.path());
        let node = |number: usize| {
            let own = folder.path().join(format!("node-{number}"));
            std::fs::create_dir(&own).unwrap();
            Node::start(&parts, &parts.brokers[number], &own)
        };
        let nodes = [node(0), node(1)];
        Self { parts, nodes, receiver: Receiver::start(Rng::new(7)).unwrap(), folder }
    }

    pub fn addresses(&self) -> [SocketAddr; 2] {
        [self.nodes[0].address, self.nodes[1].address]
    }

    /// Somebody with the administrator's key.
    pub fn caller(&self) -> Caller {
        self.caller_with(KEY)
    }

    pub fn caller_with(&self, key: &str) -> Caller {
        Caller::new(&self.addresses(), key)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The servers, in good order.
    pub fn end(self) {
        for node in &self.nodes {
            let (status, _) = node.server.lock().unwrap().take().unwrap().end("TERM").unwrap();
            assert!(status.success(), "{status}: {}", node.log());
        }
    }
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

/// One that was free a moment ago, for somebody who is killed and comes back to it.
pub fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "it is never so: {what}");
        std::thread::sleep(Duration::from_millis(10)); // tidy: sleep — other processes change, and tell nobody
    }
}
