//! How much the store costs above the bare driver: the same statements, once by `PostgresStore` and once by hand.
//!
//! `FASTNESS_TEST_POSTGRES=… cargo run --release -p store-postgres --example throughput [seconds] [workers] [mixed_max]`
//!
//! Two workloads: `insert` (one buffered write, no key) and `transfer` (a read, then three buffered writes, on one of
//! 1,000 accounts, which is its key). Callers are not threads: each submits its next job when the last is answered.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use base::{
    Clock, ContentionKey, Entropy, Job, Keys, Migration, Outcome, Sql, Store, StoreResult, Tx, Verdict, args,
};
use host::{OsEntropy, RealClock, ThreadTimers};
use store_postgres::{PostgresConfig, PostgresStore};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

const SCHEMA: &[Migration] = &[Migration {
    service: "throughput",
    version: 1,
    text: "CREATE TABLE item (id {text} PRIMARY KEY, body {text} NOT NULL);
           CREATE TABLE account (id {int} PRIMARY KEY, balance {int} NOT NULL);
           CREATE TABLE entry (id {text} PRIMARY KEY, account {int} NOT NULL, amount {int} NOT NULL)",
}];
static ITEM_INSERT: Sql = Sql::new("item.insert", "INSERT INTO item (id, body) VALUES (?1, ?2)");
static ACCOUNT_INSERT: Sql = Sql::new("account.insert", "INSERT INTO account (id, balance) VALUES (?1, 0)");
static ACCOUNT_GET: Sql = Sql::new("account.get", "SELECT balance FROM account WHERE id = ?1");
static ACCOUNT_SET: Sql = Sql::new("account.set", "UPDATE account SET balance = ?2 WHERE id = ?1");
static ENTRY_INSERT: Sql = Sql::new("entry.insert", "INSERT INTO entry (id, account, amount) VALUES (?1, ?2, 1)");
const ACCOUNTS: u64 = 1_000;
const BODY: &str = "0123456789012345678901234567890123456789012345678901234567890123456789";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Load {
    Insert,
    Transfer,
}

/// What all callers share.
struct Field {
    store: PostgresStore,
    clock: Arc<RealClock>,
    load: Load,
    stop: AtomicBool,
    next: AtomicI64,
    done: AtomicUsize,
    failed: AtomicUsize,
    latencies_us: Mutex<Vec<u64>>,
}

struct Caller {
    field: Arc<Field>,
    number: i64,
    keys: Keys,
    begun_us: u64,
    ended: Sender<()>,
}

impl Caller {
    fn start(field: Arc<Field>, ended: Sender<()>) {
        let number = field.next.fetch_add(1, Ordering::Relaxed);
        let account = account_of(number);
        let keys = match field.load {
            Load::Insert => Keys::NONE,
            Load::Transfer => Keys::of(vec![ContentionKey::of("account", &account.to_string())]),
        };
        let begun_us = field.clock.monotonic_us();
        let store = Arc::clone(&field);
        store.store.submit(Box::new(Self { field, number, keys, begun_us, ended }));
    }

    fn work(&self, tx: &mut dyn Tx) -> StoreResult<Verdict> {
        let id = format!("{:020}", self.number);
        if self.field.load == Load::Insert {
            tx.write(&ITEM_INSERT, args![&id, BODY])?;
            return Ok(Verdict::Keep);
        }
        let account = account_of(self.number);
        let balance = tx.query_one(&ACCOUNT_GET, args![account])?.expect("the account").int(0);
        tx.write(&ACCOUNT_SET, args![account, balance + 1])?;
        tx.write(&ENTRY_INSERT, args![&id, account])?;
        tx.write(&ITEM_INSERT, args![&id, BODY])?;
        Ok(Verdict::Keep)
    }
}

impl Job for Caller {
    fn name(&self) -> &'static str {
        "throughput"
    }

    fn keys(&self) -> &Keys {
        &self.keys
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        self.work(tx).unwrap_or(Verdict::Undo)
    }

    fn done(self: Box<Self>, outcome: Outcome) {
        let us = self.field.clock.monotonic_us() - self.begun_us;
        let counter = if outcome == Outcome::Committed { &self.field.done } else { &self.field.failed };
        counter.fetch_add(1, Ordering::Relaxed);
        self.field.latencies_us.lock().expect("latencies").push(us);
        if !self.field.stop.load(Ordering::Relaxed) {
            Self::start(self.field, self.ended);
        }
    }
}

fn account_of(number: i64) -> i64 {
    // A fixed shuffle, so that neighbours in time are no neighbours in the table.
    (number.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33).rem_euclid(ACCOUNTS).cast_signed()
}

fn after(ms: u64) {
    let timers = ThreadTimers::new();
    let (over, wait) = channel();
    base::Timers::after(&timers, ms, Box::new(move || over.send(()).expect("somebody waits")));
    wait.recv().expect("a timer");
}

fn percentile(sorted: &[u64], part: f64) -> u64 {
    sorted.get(((sorted.len() as f64 - 1.0) * part) as usize).copied().unwrap_or(0)
}

fn report(who: &str, load: Load, callers: usize, seconds: u64, mut us: Vec<u64>, more: &str) {
    us.sort_unstable();
    println!(
        "{who:>5} {load:?}  {callers:>4} callers {:>7} /s  p50 {:>6} us  p99 {:>7} us  {more}",
        us.len() as u64 / seconds,
        percentile(&us, 0.5),
        percentile(&us, 0.99)
    );
}

fn by_store(config: &PostgresConfig, load: Load, callers: usize, seconds: u64) {
    let clock = Arc::new(RealClock::new());
    let store = PostgresStore::open(config.clone(), clock.clone(), Arc::new(OsEntropy)).expect("a store");
    let first = i64::try_from(clock.wall().0).expect("a time") * 1_000;
    let field = Arc::new(Field {
        store,
        clock,
        load,
        stop: AtomicBool::new(false),
        next: AtomicI64::new(first),
        done: AtomicUsize::new(0),
        failed: AtomicUsize::new(0),
        latencies_us: Mutex::new(Vec::new()),
    });
    let (ended, end) = channel();
    (0..callers).for_each(|_| Caller::start(Arc::clone(&field), ended.clone()));
    drop(ended);
    after(500);
    field.latencies_us.lock().expect("latencies").clear();
    let before = field.store.counters();
    after(seconds * 1_000);
    let us = std::mem::take(&mut *field.latencies_us.lock().expect("latencies"));
    let counters = field.store.counters();
    field.stop.store(true, Ordering::Relaxed);
    let _ = end.recv();
    let commits = counters.commits - before.commits;
    let operations = counters.operations - before.operations;
    let more = format!(
        "{:.1} a commit, {:.4} retries an operation, {} failed",
        operations as f64 / commits.max(1) as f64,
        (counters.retries - before.retries) as f64 / operations.max(1) as f64,
        field.failed.load(Ordering::Relaxed)
    );
    field.store.close();
    report("store", load, callers, seconds, us, &more);
}

/// One connection of the bare driver.
struct Bare {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    clock: Statement,
}

impl Bare {
    async fn connect(config: &PostgresConfig) -> Self {
        let (client, connection) = tokio_postgres::connect(&config.url, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        let settings = format!("SET search_path TO \"{}\"; SET enable_seqscan = off; SET jit = off", config.schema);
        client.batch_execute(&settings).await.expect("settings");
        let clock = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        let clock = client.prepare(clock).await.expect("the clock");
        let mut statements = HashMap::new();
        for sql in [&ITEM_INSERT, &ACCOUNT_GET, &ACCOUNT_SET, &ENTRY_INSERT] {
            let statement = client.prepare(&base::placeholders(sql.text)).await.expect("a statement");
            statements.insert(sql.name, statement);
        }
        Self { client, statements, clock }
    }

    async fn once(&self, load: Load, number: i64) -> Result<(), tokio_postgres::Error> {
        let (client, id) = (&self.client, format!("{number:020}"));
        let begin = client.batch_execute("BEGIN ISOLATION LEVEL SERIALIZABLE");
        let (begun, clock) = futures_util::future::join(begin, client.query(&self.clock, &[])).await;
        begun.and(clock)?;
        let account = account_of(number);
        let of_item: [&(dyn ToSql + Sync); 2] = [&id, &BODY];
        let item = client.execute(&self.statements[ITEM_INSERT.name], &of_item);
        if load == Load::Insert {
            let (written, committed) = futures_util::future::join(item, client.batch_execute("COMMIT")).await;
            return written.and(committed);
        }
        let row = client.query_one(&self.statements[ACCOUNT_GET.name], &[&account]).await?;
        let balance = row.get::<_, i64>(0) + 1;
        let of_set: [&(dyn ToSql + Sync); 2] = [&account, &balance];
        let of_entry: [&(dyn ToSql + Sync); 2] = [&id, &account];
        let set = client.execute(&self.statements[ACCOUNT_SET.name], &of_set);
        let entry = client.execute(&self.statements[ENTRY_INSERT.name], &of_entry);
        let (written, committed) = futures_util::future::join(
            futures_util::future::join3(set, entry, item),
            client.batch_execute("COMMIT"),
        )
        .await;
        written.0.and(written.1).and(written.2).and(committed)
    }
}

fn by_hand(config: &PostgresConfig, load: Load, callers: usize, seconds: u64) {
    let connections = callers.min(config.workers);
    let clock = Arc::new(RealClock::new());
    let first = clock.wall().0 * 1_000;
    let (next, stop) = (Arc::new(AtomicI64::new(first)), Arc::new(AtomicBool::new(false)));
    let retries = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..connections)
        .map(|_| {
            let (config, clock) = (config.clone(), Arc::clone(&clock));
            let (next, stop, retries) = (Arc::clone(&next), Arc::clone(&stop), Arc::clone(&retries));
            #[expect(clippy::disallowed_methods, reason = "a measurement")]
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    let bare = Bare::connect(&config).await;
                    let mut us = Vec::new();
                    while !stop.load(Ordering::Relaxed) {
                        let begun_us = clock.monotonic_us();
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        while bare.once(load, number).await.is_err() {
                            let _ = bare.client.batch_execute("ROLLBACK").await;
                            retries.fetch_add(1, Ordering::Relaxed);
                        }
                        us.push(clock.monotonic_us() - begun_us);
                    }
                    us
                })
            })
        })
        .collect();
    after(seconds * 1_000);
    stop.store(true, Ordering::Relaxed);
    let us: Vec<u64> = threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect();
    let more = format!("{connections} connections, {} retries", retries.load(Ordering::Relaxed));
    report("bare", load, callers, seconds, us, &more);
}

fn admin(config: &PostgresConfig, text: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&config.url, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        client.batch_execute(text).await.expect(text);
    });
}

fn prepare(config: &PostgresConfig) {
    admin(config, &format!("DROP SCHEMA IF EXISTS {} CASCADE", config.schema));
    let store = PostgresStore::open(config.clone(), Arc::new(RealClock::new()), Arc::new(OsEntropy)).expect("a store");
    store.migrate(SCHEMA).expect("the schema");
    struct Fill(Sender<Outcome>);
    impl Job for Fill {
        fn name(&self) -> &'static str {
            "fill"
        }
        fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
            let filled = (0..ACCOUNTS.cast_signed()).try_for_each(|id| tx.write(&ACCOUNT_INSERT, args![id]));
            filled.map_or(Verdict::Undo, |()| Verdict::Keep)
        }
        fn done(self: Box<Self>, outcome: Outcome) {
            self.0.send(outcome).expect("somebody listens");
        }
    }
    let (told, tell) = channel();
    store.submit(Box::new(Fill(told)));
    assert_eq!(tell.recv().expect("an answer"), Outcome::Committed);
    admin(config, &format!("SET search_path TO {}; ANALYZE account", config.schema));
}

fn main() {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES: a connection string");
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>().expect("a number"));
    let mut config = PostgresConfig::new(url, format!("throughput{}", OsEntropy.below(1 << 32)));
    let seconds = numbers.next().unwrap_or(3) as u64;
    config.workers = numbers.next().unwrap_or(config.workers);
    config.mixed_max = numbers.next().unwrap_or(config.mixed_max);
    prepare(&config);
    for load in [Load::Insert, Load::Transfer] {
        for callers in [1, 16, 256] {
            by_hand(&config, load, callers, seconds);
            by_store(&config, load, callers, seconds);
        }
    }
    admin(&config, &format!("DROP SCHEMA {} CASCADE", config.schema));
}
