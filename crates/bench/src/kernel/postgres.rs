//! The PostgreSQL half: the kernel against bare SQL in the manner of pgbench, the retries of the mixed workload, and one
//! hot key from three processes.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use base::{Dialect, Entropy, Id, Wall, placeholders};
use host::{OsEntropy, RealClock};
use store_postgres::{PostgresConfig, PostgresStore};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, Statement};

use super::CALLERS;
use super::callers::{count, drive_kernel};
use super::workload::{ACCOUNTS, Bank, DEPOSIT, Deposit, ENTRY, RAISE, READ, SCHEMA};
use crate::contest::{Effort, Side, contest};

/// Connections of the bare side: as many as the engine has workers.
const CONNECTIONS: usize = 8;

pub fn run(effort: &Effort, url: &str) -> Result<()> {
    let schema = format!("bench_{}", std::process::id());
    let result = all(effort, url, &schema);
    let runtime = Runtime::new()?;
    let clean = async |schema: &str| -> Result<()> {
        connect(url).await?.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE")).await?;
        Ok(())
    };
    runtime.block_on(clean(&schema))?;
    runtime.block_on(clean(&format!("{schema}_bare")))?;
    result
}

fn all(effort: &Effort, url: &str, schema: &str) -> Result<()> {
    let (bank, store) = open(url, schema)?;
    let runtime = Runtime::new()?;
    let bare = runtime.block_on(Bare::open(url, &format!("{schema}_bare")))?;
    for callers in CALLERS {
        let before = store.counters();
        let sides = vec![
            Side::new("kernel on store-postgres", |time| drive_kernel(&bank, callers, time)),
            Side::new("bare SQL, read committed, like pgbench", |time| runtime.block_on(bare.run(callers, time))),
        ];
        contest(effort, &format!("postgres, {callers} callers"), sides)?;
        print_retries(&before, &store.counters());
    }
    if "postgres, hot key from 3 processes".contains(&effort.only) {
        hot(effort, schema)?;
    }
    Ok(())
}

fn open(url: &str, schema: &str) -> Result<(Bank, Arc<PostgresStore>)> {
    let clock = Arc::new(RealClock::new());
    let store = PostgresStore::open(PostgresConfig::new(url, schema), clock.clone(), Arc::new(OsEntropy))?;
    let store = Arc::new(store);
    Ok((Bank::open(store.clone(), clock)?, store))
}

fn print_retries(before: &store_postgres::Counters, after: &store_postgres::Counters) {
    let (operations, retries) = (after.operations - before.operations, after.retries - before.retries);
    if operations > 0 {
        let each = retries as f64 / operations as f64;
        let per_commit = operations as f64 / (after.commits - before.commits).max(1) as f64;
        println!(
            "  {retries} retries in {operations} operations: {each:.4} each; {per_commit:.1} operations per commit"
        );
    }
}

async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(client)
}

/// Bare connections with prepared statements, one round trip per statement, as pgbench does it.
struct Bare(Vec<Link>);

struct Link {
    client: Client,
    read: Statement,
    raise: Statement,
    entry: Statement,
}

impl Bare {
    async fn open(url: &str, schema: &str) -> Result<Self> {
        let first = connect(url).await?;
        first.batch_execute(&format!("CREATE SCHEMA {schema}; SET search_path = {schema}")).await?;
        first.batch_execute(&Dialect::Postgres.render(SCHEMA)).await?;
        let fill = "INSERT INTO account (id, balance) SELECT n, 0 FROM generate_series(0, $1::BIGINT - 1) n";
        first.execute(fill, &[&(ACCOUNTS as i64)]).await?;
        first.batch_execute("ANALYZE account").await?;
        let mut links = Vec::new();
        for _ in 0..CONNECTIONS {
            links.push(Link::open(url, schema).await?);
        }
        Ok(Self(links))
    }

    async fn run(&self, callers: usize, time: Duration) -> Result<f64> {
        let begun = Instant::now();
        let used = callers.min(CONNECTIONS);
        let loops = self.0.iter().take(used).enumerate().map(|(at, link)| async move {
            let mut done = 0usize;
            while begun.elapsed() < time {
                link.deposit(((done * used + at) % callers.max(used) % ACCOUNTS) as i64).await?;
                done += 1;
            }
            anyhow::Ok(done)
        });
        let done: usize = futures_util::future::try_join_all(loops).await?.iter().sum();
        Ok(done as f64 / begun.elapsed().as_secs_f64())
    }
}

impl Link {
    async fn open(url: &str, schema: &str) -> Result<Self> {
        let client = connect(url).await?;
        client.batch_execute(&format!("SET search_path = {schema}")).await?;
        let read = client.prepare(&placeholders(READ.text)).await?;
        let raise = client.prepare(&placeholders(RAISE.text)).await?;
        let entry = client.prepare(&placeholders(ENTRY.text)).await?;
        Ok(Self { client, read, raise, entry })
    }

    async fn deposit(&self, account: i64) -> Result<()> {
        let mut chance = [0; 10];
        OsEntropy.fill(&mut chance);
        let id = Id::new(Wall(1_800_000_000_000), chance).to_string();
        self.client.batch_execute("BEGIN").await?;
        let balance: i64 = self.client.query_one(&self.read, &[&account]).await?.get(0);
        self.client.execute(&self.raise, &[&account, &(balance + 1)]).await?;
        self.client.execute(&self.entry, &[&id, &account, &1i64]).await?;
        self.client.batch_execute("COMMIT").await?;
        Ok(())
    }
}

/// Three processes raise the same balance. What they were told adds up to what is there.
fn hot(effort: &Effort, schema: &str) -> Result<()> {
    let seconds = effort.side.as_secs_f64().to_string();
    let start =
        |_| Command::new(std::env::current_exe()?).args(["hot-child", schema, &seconds]).stdout(Stdio::piped()).spawn();
    let children: Vec<Child> = (0..3).map(start).collect::<std::io::Result<_>>()?;
    println!("\npostgres, hot key from 3 processes");
    let mut acknowledged = 0;
    for child in children {
        let output = child.wait_with_output()?;
        let text = String::from_utf8(output.stdout)?;
        ensure!(output.status.success(), "a process failed: {text}");
        let figure =
            |at: usize| text.split_whitespace().nth(at).context("a figure").and_then(|f| Ok(f.parse::<u64>()?));
        let (done, failed, retries) = (figure(0)?, figure(1)?, figure(2)?);
        println!("  {done} acknowledged, {failed} refused, {retries} retries");
        acknowledged += done;
    }
    println!("  together {:.0}/s on one row", acknowledged as f64 / effort.side.as_secs_f64());
    check_hot(schema, acknowledged)
}

fn check_hot(schema: &str, acknowledged: u64) -> Result<()> {
    let count = async {
        let client = connect(&std::env::var("FASTNESS_TEST_POSTGRES")?).await?;
        let balance = client.query_one(&format!("SELECT balance FROM {schema}.account WHERE id = {HOT}"), &[]).await?;
        anyhow::Ok(balance.get::<_, i64>(0))
    };
    let balance = Runtime::new()?.block_on(count)?;
    ensure!(balance >= i64::try_from(acknowledged)?, "{acknowledged} acknowledged, {balance} there");
    println!("  the row says {balance}, {acknowledged} were acknowledged");
    Ok(())
}

const HOT: i64 = ACCOUNTS as i64 - 1;

/// One of the processes on the hot key.
pub fn hot_child(schema: &str, seconds: &str) -> Result<()> {
    let url = std::env::var("FASTNESS_TEST_POSTGRES")?;
    let clock = Arc::new(RealClock::new());
    let store = Arc::new(PostgresStore::open(PostgresConfig::new(&url, schema), clock.clone(), Arc::new(OsEntropy))?);
    let bank = Bank::join(store.clone(), clock)?;
    let time = Duration::from_secs_f64(seconds.parse()?);
    let told = count(16, time, |caller, answered| {
        let answered = answered.clone();
        let tell = Box::new(move |reply: base::OpResult<kernel::Reply<i64>>| {
            let _ = answered.send((caller, reply.is_ok()));
        });
        let request = bank.kernel.request(kernel::Caller::server("bench"));
        bank.kernel.call(&bank.main, &DEPOSIT, request, Deposit { account: HOT }, tell);
    })?;
    println!("{} {} {}", told.done, told.failed, store.counters().retries);
    Ok(())
}
