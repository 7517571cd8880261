//! Kernels as nodes: on a store of any engine, with the real clock; several of them on one PostgreSQL schema.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use base::{OpResult, Store};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::{Caller, Env, Kernel, KernelConfig, Namespace, Op, Query, Reply};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store_postgres::{PostgresConfig, PostgresStore};
use store_sqlite::InlineStore;

/// Far more than anything here takes.
pub const LONG: Duration = Duration::from_secs(30);

/// One node with one namespace.
pub struct Node {
    pub kernel: Kernel,
    pub main: Arc<Namespace>,
}

impl Node {
    pub fn sqlite() -> Self {
        Self::on(Arc::new(InlineStore::in_memory(Arc::new(RealClock::new())).unwrap()))
    }

    /// Several nodes on one new schema of the server under test.
    pub fn postgres(count: usize) -> Vec<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES holds a connection string");
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let schema = format!("kernel_{}_{}_{number}", std::process::id(), base::Entropy::below(&OsEntropy, 1 << 32));
        let config = || PostgresConfig::new(url.clone(), schema.clone());
        let store = || PostgresStore::open(config(), Arc::new(RealClock::new()), Arc::new(OsEntropy)).unwrap();
        (0..count).map(|_| Self::on(Arc::new(store()))).collect()
    }

    fn on(store: Arc<dyn Store>) -> Self {
        let env = Env {
            clock: Arc::new(RealClock::new()),
            entropy: Arc::new(OsEntropy),
            timers: Arc::new(ThreadTimers::new()),
        };
        let stores = vec![("z".to_owned(), store)];
        let kernel = Kernel::open(env, KernelConfig::default(), &[], stores).unwrap();
        Self { main: kernel.admin_namespace(), kernel }
    }

    /// Ends without a word: its store is gone, and what it held stays taken.
    pub fn die(&self) {
        self.main.store.close();
    }

    pub fn call<I, O>(&self, op: &'static Op<I, O>, input: I) -> OpResult<O>
    where
        I: Send + 'static,
        O: Serialize + DeserializeOwned + Send + 'static,
    {
        let (tell, told) = mpsc::channel();
        let done = Box::new(move |reply: OpResult<Reply<O>>| tell.send(reply).unwrap());
        self.kernel.call(&self.main, op, self.kernel.request(Caller::server("test")), input, done);
        told.recv_timeout(LONG).expect("an answer").map(|reply| reply.out)
    }

    pub fn read<I: Send + 'static, O: Send + 'static>(&self, query: &'static Query<I, O>, input: I) -> OpResult<O> {
        let (tell, told) = mpsc::channel();
        self.kernel.read(&self.main, query, input, Box::new(move |result| tell.send(result).unwrap()));
        told.recv_timeout(LONG).expect("an answer")
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.main.store.close();
    }
}
