//! A schema for one test, and a connection to look at it from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;

use base::{Clock, Health, Migration, Outcome, Sql, Store, StoreResult, Timers, Tx, Verdict, args, limits};
use host::{OsEntropy, RealClock, ThreadTimers};
use store_postgres::{PostgresConfig, PostgresStore};
use store_suite::{LONG, Work, work};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

/// The server under test.
pub fn url() -> String {
    std::env::var("FASTNESS_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("FASTNESS_TEST_POSTGRES must hold a connection string, e.g. host=127.0.0.1 port=25432 user=postgres")
    })
}

/// A row with a key, for most tests.
pub const SCHEMA: &[Migration] = &[Migration {
    service: "test",
    version: 1,
    text: "CREATE TABLE item (id {int} PRIMARY KEY, amount {int} NOT NULL) {strict};
           CREATE TABLE word (word {text} PRIMARY KEY) {strict}",
}];
pub static ITEM_INSERT: Sql = Sql::new("item.insert", "INSERT INTO item (id, amount) VALUES (?1, ?2)");
pub static ITEM_RETURNING: Sql =
    Sql::new("item.insert_returning", "INSERT INTO item (id, amount) VALUES (?1, ?2) RETURNING amount");
pub static ITEM_AMOUNT: Sql = Sql::new("item.amount", "SELECT amount FROM item WHERE id = ?1");
pub static ITEM_SET: Sql = Sql::new("item.set", "UPDATE item SET amount = ?2 WHERE id = ?1");
pub static ITEM_IDS: Sql = Sql::new("item.ids", "SELECT id FROM item ORDER BY id");
pub static WORD_INSERT: Sql = Sql::new("word.insert", "INSERT INTO word (word) VALUES (?1)");

/// A schema of its own.
pub struct Sandbox {
    /// How the store gets to the server.
    url: String,
    /// How the test does.
    admin_url: String,
    schema: String,
    clock: Arc<RealClock>,
}

impl Sandbox {
    /// On the server under test.
    pub fn new() -> Self {
        Self::on(&url(), &url())
    }

    /// On the server under test, by another way to it.
    pub fn through(url_of_store: &str) -> Self {
        Self::on(url_of_store, &url())
    }

    /// On another server.
    pub fn on(url: &str, admin_url: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let schema = format!("test_{}_{}_{number}", std::process::id(), base::Entropy::below(&OsEntropy, 1 << 32));
        Self { url: url.into(), admin_url: admin_url.into(), schema, clock: Arc::new(RealClock::new()) }
    }

    pub fn schema(&self) -> &str {
        &self.schema
    }

    pub fn clock(&self) -> Arc<RealClock> {
        self.clock.clone()
    }

    pub fn now_us(&self) -> u64 {
        self.clock.monotonic_us()
    }

    /// A store on this schema, with the tables.
    pub fn open(&self) -> Arc<PostgresStore> {
        self.open_with(|_| ())
    }

    /// The same with other choices.
    pub fn open_with(&self, change: impl FnOnce(&mut PostgresConfig)) -> Arc<PostgresStore> {
        let store = self.open_bare(change);
        store.migrate(SCHEMA).expect("the schema");
        store
    }

    /// A store without tables.
    pub fn open_bare(&self, change: impl FnOnce(&mut PostgresConfig)) -> Arc<PostgresStore> {
        let mut config = PostgresConfig::new(self.url.clone(), self.schema.clone());
        change(&mut config);
        let store = PostgresStore::open(config, self.clock.clone(), Arc::new(OsEntropy));
        Arc::new(store.expect("a store"))
    }

    /// A plain connection with this schema.
    pub fn admin(&self) -> Admin {
        Admin::connect(&self.admin_url, &self.schema)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.admin().run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema));
    }
}

/// A connection apart from the store.
pub struct Admin {
    runtime: Runtime,
    client: Client,
}

impl Admin {
    pub fn connect(url: &str, schema: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (client, connection) = runtime.block_on(tokio_postgres::connect(url, NoTls)).expect("a connection");
        runtime.spawn(connection);
        let admin = Self { runtime, client };
        admin.run(&format!("SET search_path TO \"{schema}\""));
        admin
    }

    pub fn run(&self, text: &str) {
        self.runtime.block_on(self.client.batch_execute(text)).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    }

    pub fn number(&self, text: &str) -> i64 {
        let row = self.runtime.block_on(self.client.query_one(text, &[]));
        row.unwrap_or_else(|error| panic!("{text}: {error:?}")).get(0)
    }
}

/// Inserts a row.
pub fn insert(id: i64) -> Work {
    work("insert", move |tx| tx.write(&ITEM_INSERT, args![id, 0]).map(|()| Verdict::Keep))
}

/// Reads the amount, so that everything before is sent, and raises it.
pub fn raise(tx: &mut dyn Tx, id: i64) -> StoreResult<i64> {
    let amount = tx.query_one(&ITEM_AMOUNT, args![id])?.expect("the row").int(0) + 1;
    tx.write(&ITEM_SET, args![id, amount])?;
    Ok(amount)
}

/// All ids, by the readers.
pub fn ids(store: &dyn Store) -> Vec<i64> {
    store_suite::look(store, |tx| {
        Ok(tx.query(&ITEM_IDS, args![], limits::OP_ROWS_MAX)?.iter().map(|row| row.int(0)).collect())
    })
}

/// The amount of one row, by the readers.
pub fn amount(store: &dyn Store, id: i64) -> i64 {
    store_suite::look(store, move |tx| Ok(tx.query_one(&ITEM_AMOUNT, args![id])?.expect("the row").int(0)))
}

/// Waits until something holds; looks every few milliseconds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    const PAUSE_MS: u64 = 5;
    let timers = ThreadTimers::new();
    for _ in 0..LONG.as_millis() / u128::from(PAUSE_MS) {
        if holds() {
            return;
        }
        let (over, wait) = channel();
        timers.after(PAUSE_MS, Box::new(move || over.send(()).expect("somebody waits")));
        wait.recv_timeout(LONG).expect("a timer");
    }
    panic!("{what}: not within {LONG:?}");
}

/// Waits until the store is good.
pub fn until_good(store: &dyn Store) {
    until("the store is good again", || store.health() == Health::Good);
}

/// Outcomes of jobs that were submitted together.
pub fn outcomes(store: &dyn Store, jobs: Vec<Work>) -> Vec<Outcome> {
    let answers: Vec<_> = jobs.into_iter().map(|job| job.submit(store)).collect();
    answers.into_iter().map(store_suite::Answer::outcome).collect()
}
