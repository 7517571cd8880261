//! How much the store costs above the bare driver: the same statements, once by `PostgresStore` and once by hand.
//!
//! `FASTNESS_TEST_POSTGRES=… cargo run --release -p store-postgres --example throughput
//!  [seconds] [workers] [mixed_max] [accounts] [stores]`
//!
//! Two workloads: `insert` (one buffered write, no key) and `transfer` (a read, then three buffered writes, on one of
//! the accounts, which is its key). Callers are not threads: each submits its next job when the last is answered.
//! Several stores on one schema stand for several processes, whose keys do not know of each other.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use base::{Clock, ContentionKey, Entropy, Job, Keys, Migration, Outcome, Sql, Store, StoreResult, Tx, Verdict, args};
use host::{OsEntropy, RealClock, ThreadTimers, side_by_side};
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
const BODY: &str = "0123456789012345678901234567890123456789012345678901234567890123456789";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Load {
    Insert,
    Transfer,
}

/// What all callers share.
struct Field {
    stores: Vec<PostgresStore>,
    accounts: u64,
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
        let account = account_of(number, field.accounts);
        let keys = match field.load {
            Load::Insert => Keys::NONE,
            Load::Transfer => Keys::of(vec![ContentionKey::of("account", &account.to_string())]),
        };
        let begun_us = field.clock.monotonic_us();
        let held = Arc::clone(&field);
        let turn = usize::try_from(number).expect("a count") % held.stores.len();
        let store = &held.stores[turn];
        store.submit(Box::new(Self { field, number, keys, begun_us, ended }));
    }

    fn work(&self, tx: &mut dyn Tx) -> StoreResult<Verdict> {
        let id = format!("{:020}", self.number);
        if self.field.load == Load::Insert {
            tx.write(&ITEM_INSERT, args![&id, BODY])?;
            return Ok(Verdict::Keep);
        }
        let account = account_of(self.number, self.field.accounts);
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

/// A fixed shuffle, so that neighbours in time are no neighbours in the table.
fn account_of(number: i64, accounts: u64) -> i64 {
    (number.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33).rem_euclid(accounts).cast_signed()
}

/// What is measured.
struct Plan {
    config: PostgresConfig,
    seconds: u64,
    accounts: u64,
    stores: usize,
}

fn after(ms: u64) {
    let timers = ThreadTimers::new();
    let (over, wait) = channel();
    base::Timers::after(&timers, ms, Box::new(move || over.send(()).expect("somebody waits")));
    wait.recv().expect("a timer");
}

fn percentile(sorted: &[u64], percent: usize) -> u64 {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or(0)
}

fn report(who: &str, load: Load, callers: usize, seconds: u64, mut us: Vec<u64>, more: &str) {
    us.sort_unstable();
    println!(
        "{who:>5} {load:?}  {callers:>4} callers {:>7} /s  p50 {:>6} us  p99 {:>7} us  {more}",
        us.len() as u64 / seconds,
        percentile(&us, 50),
        percentile(&us, 99)
    );
}

impl Field {
    fn open(plan: &Plan, load: Load) -> Arc<Self> {
        let clock = Arc::new(RealClock::new());
        let store = |_| PostgresStore::open(plan.config.clone(), clock.clone(), Arc::new(OsEntropy)).expect("a store");
        let next = AtomicI64::new(clock.wall().0 * 1_000);
        Arc::new(Self {
            stores: (0..plan.stores).map(store).collect(),
            accounts: plan.accounts,
            clock,
            load,
            stop: AtomicBool::new(false),
            next,
            done: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            latencies_us: Mutex::new(Vec::new()),
        })
    }

    /// Operations, commits and retries of all stores.
    fn sums(&self) -> [u64; 3] {
        let counters = self.stores.iter().map(PostgresStore::counters);
        counters.fold([0; 3], |sum, one| [sum[0] + one.operations, sum[1] + one.commits, sum[2] + one.retries])
    }

    fn take_latencies(&self) -> Vec<u64> {
        std::mem::take(&mut *self.latencies_us.lock().expect("latencies"))
    }
}

fn by_store(plan: &Plan, load: Load, callers: usize) {
    let field = Field::open(plan, load);
    let (ended, end) = channel();
    (0..callers).for_each(|_| Caller::start(Arc::clone(&field), ended.clone()));
    drop(ended);
    after(500);
    drop(field.take_latencies());
    let before = field.sums();
    after(plan.seconds * 1_000);
    let (us, sums) = (field.take_latencies(), field.sums());
    field.stop.store(true, Ordering::Relaxed);
    let _ = end.recv();
    let [operations, commits, retries] = [0, 1, 2].map(|at| (sums[at] - before[at]) as f64);
    let failed = field.failed.load(Ordering::Relaxed);
    let more =
        format!("{:.1} a commit, {:.4} retries each, {failed} failed", operations / commits, retries / operations);
    field.stores.iter().for_each(Store::close);
    report("store", load, callers, plan.seconds, us, &more);
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

    async fn once(&self, load: Load, number: i64, accounts: u64) -> Result<(), tokio_postgres::Error> {
        let (client, id) = (&self.client, format!("{number:020}"));
        let begin = client.batch_execute("BEGIN ISOLATION LEVEL SERIALIZABLE");
        let (begun, clock) = futures_util::future::join(begin, client.query(&self.clock, &[])).await;
        begun.and(clock)?;
        let account = account_of(number, accounts);
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
        let (written, committed) =
            futures_util::future::join(futures_util::future::join3(set, entry, item), client.batch_execute("COMMIT"))
                .await;
        written.0.and(written.1).and(written.2).and(committed)
    }

    /// Runs until it is stopped; gives the times, and counts what had to be done again.
    async fn run(self, plan: &Plan, load: Load, race: &Race) -> Vec<u64> {
        let mut us = Vec::new();
        while !race.stop.load(Ordering::Relaxed) {
            let begun_us = race.clock.monotonic_us();
            let number = race.next.fetch_add(1, Ordering::Relaxed);
            while self.once(load, number, plan.accounts).await.is_err() {
                let _ = self.client.batch_execute("ROLLBACK").await;
                race.retries.fetch_add(1, Ordering::Relaxed);
            }
            us.push(race.clock.monotonic_us() - begun_us);
        }
        us
    }
}

/// What the bare connections share.
struct Race {
    clock: RealClock,
    next: AtomicI64,
    stop: AtomicBool,
    retries: AtomicUsize,
}

fn by_hand(plan: &Plan, load: Load, callers: usize) {
    let connections = callers.min(plan.config.workers * plan.stores);
    let clock = RealClock::new();
    let next = AtomicI64::new(clock.wall().0 * 1_000);
    let race = Race { clock, next, stop: AtomicBool::new(false), retries: AtomicUsize::new(0) };
    let us = side_by_side(connections + 1, |index| {
        if index == connections {
            after(plan.seconds * 1_000);
            race.stop.store(true, Ordering::Relaxed);
            return vec![];
        }
        runtime().block_on(async { Bare::connect(&plan.config).await.run(plan, load, &race).await })
    });
    let more = format!("{connections} connections, {} retries", race.retries.load(Ordering::Relaxed));
    report("bare", load, callers, plan.seconds, us.concat(), &more);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn admin(config: &PostgresConfig, text: &str) {
    runtime().block_on(async {
        let (client, connection) = tokio_postgres::connect(&config.url, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        client.batch_execute(text).await.expect(text);
    });
}

/// Fills the accounts.
struct Fill {
    accounts: i64,
    told: Sender<Outcome>,
}

impl Job for Fill {
    fn name(&self) -> &'static str {
        "fill"
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        let filled = (0..self.accounts).try_for_each(|id| tx.write(&ACCOUNT_INSERT, args![id]));
        filled.map_or(Verdict::Undo, |()| Verdict::Keep)
    }

    fn done(self: Box<Self>, outcome: Outcome) {
        self.told.send(outcome).expect("somebody listens");
    }
}

fn prepare(plan: &Plan) {
    let config = &plan.config;
    let store = PostgresStore::open(config.clone(), Arc::new(RealClock::new()), Arc::new(OsEntropy)).expect("a store");
    store.migrate(SCHEMA).expect("the schema");
    let (told, tell) = channel();
    store.submit(Box::new(Fill { accounts: plan.accounts.cast_signed(), told }));
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
    let accounts = numbers.next().unwrap_or(1_000) as u64;
    let plan = Plan { config, seconds, accounts, stores: numbers.next().unwrap_or(1) };
    prepare(&plan);
    for load in [Load::Insert, Load::Transfer] {
        for callers in [1, 16, 256] {
            by_hand(&plan, load, callers);
            by_store(&plan, load, callers);
        }
    }
    admin(&plan.config, &format!("DROP SCHEMA {} CASCADE", plan.config.schema));
}
