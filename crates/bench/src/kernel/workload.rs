//! The work of every side: read a balance, raise it, add an entry. Three statements, the same texts everywhere.

use std::sync::Arc;

use anyhow::Result;
use base::{ContentionKey, Keys, Migration, OpResult, Sql, Store, Tx, args};
use host::{OsEntropy, RealClock, ThreadTimers};
use kernel::{Env, Kernel, KernelConfig, Namespace, Op, OpCx, ServiceDef};

/// Accounts; each caller has one of them.
pub const ACCOUNTS: usize = 4_096;

pub static READ: Sql = Sql::new("bench.read", "SELECT balance FROM account WHERE id = ?1");
pub static RAISE: Sql = Sql::new("bench.raise", "UPDATE account SET balance = ?2 WHERE id = ?1");
pub static ENTRY: Sql = Sql::new("bench.entry", "INSERT INTO entry (id, account, amount) VALUES (?1, ?2, ?3)");
static OPEN: Sql = Sql::new(
    "bench.open",
    "INSERT INTO account (id, balance) VALUES (?1, 0) ON CONFLICT (id) DO UPDATE SET balance = 0",
);

/// The schema of the work.
pub const SCHEMA: &str = "
    CREATE TABLE account (id {int} PRIMARY KEY, balance {int} NOT NULL) {strict};
    CREATE TABLE entry (id {text} PRIMARY KEY, account {int} NOT NULL, amount {int} NOT NULL) {clustered};";

static BENCH: ServiceDef = ServiceDef {
    name: "bench",
    migrations: &[Migration { service: "bench", version: 1, text: SCHEMA }],
    statements: &[&READ, &RAISE, &ENTRY, &OPEN],
    operations: &[],
    ..ServiceDef::EMPTY
};

/// One deposit.
pub static DEPOSIT: Op<Deposit, i64> = Op::new("bench.deposit", deposit)
    .keyed(|input| Keys::of(vec![ContentionKey::of("account", &input.account.to_string())]));

pub struct Deposit {
    pub account: i64,
}

fn deposit(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Deposit) -> OpResult<i64> {
    let balance = tx.query_one(&READ, args![input.account])?.map_or(0, |row| row.int(0)) + 1;
    tx.write(&RAISE, args![input.account, balance])?;
    tx.write(&ENTRY, args![cx.id(), input.account, 1])?;
    Ok(balance)
}

static OPEN_ACCOUNTS: Op<(i64, i64), ()> = Op::new("bench.open_accounts", |tx, _, (from, to)| {
    for id in *from..*to {
        tx.write(&OPEN, args![id])?;
    }
    Ok(())
});

/// A kernel over one store, with its accounts.
pub struct Bank {
    pub kernel: Kernel,
    pub main: Arc<Namespace>,
}

impl Bank {
    /// A bank with its accounts at zero.
    pub fn open(store: Arc<dyn Store>, clock: Arc<RealClock>) -> Result<Self> {
        let bank = Self::join(store, clock)?;
        bank.open_accounts()?;
        Ok(bank)
    }

    /// A bank that another process opened.
    pub fn join(store: Arc<dyn Store>, clock: Arc<RealClock>) -> Result<Self> {
        let env = Env { clock, entropy: Arc::new(OsEntropy), timers: Arc::new(ThreadTimers::new()) };
        let config = KernelConfig { admin_namespace: "main".into(), ..KernelConfig::default() };
        let kernel = Kernel::open(env, config, &[&BENCH], vec![("main".into(), store)])?;
        let main = kernel.namespace("main")?;
        Ok(Self { kernel, main })
    }

    fn open_accounts(&self) -> Result<()> {
        let (tell, told) = std::sync::mpsc::channel();
        for from in (0..ACCOUNTS as i64).step_by(512) {
            let request = self.kernel.request(kernel::Caller::server("bench"));
            let tell = tell.clone();
            let done = Box::new(move |reply: OpResult<kernel::Reply<()>>| {
                let _ = tell.send(reply.map(drop));
            });
            self.kernel.call(&self.main, &OPEN_ACCOUNTS, request, (from, from + 512), done);
            told.recv()??;
        }
        Ok(())
    }
}
