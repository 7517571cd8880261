//! The store: serial transactions over one portable SQL, whatever engine is below.
//!
//! An engine promises, and `store-suite` checks on each: a refused job leaves no trace; the first error in a
//! transaction is final; a panic fails its job alone; committed jobs are serial; nobody hears of a job before its
//! COMMIT is durable; every outcome is done, refused or unknown.

use std::fmt;

use crate::code::{OpError, Phase, codes};
use crate::migration::Migration;
use crate::sql::Sql;
use crate::time::Heard;
use crate::value::{Row, Value};

/// One serial transaction. Synchronous on purpose: an operation cannot wait for the network in it.
///
/// The first error is final: every later call on the same `Tx` answers [`StoreError::Poisoned`] and the work is undone.
pub trait Tx {
    /// Reads rows; more than `rows_max` is an error, because an unbounded read is a bug.
    ///
    /// # Errors
    /// See [`StoreError`].
    fn query(&mut self, sql: &'static Sql, args: &[Value<'_>], rows_max: usize) -> StoreResult<Vec<Row>>;

    /// Writes, and tells how many rows changed.
    ///
    /// # Errors
    /// See [`StoreError`].
    fn execute(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<u64>;

    /// Writes without wanting to know the count: an engine may send it later, with the next read or the COMMIT.
    ///
    /// # Errors
    /// See [`StoreError`]; an error may also show at a later call or at COMMIT.
    fn write(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<()>;

    /// The store's listening time when the transaction began.
    fn heard(&self) -> Heard;

    /// Which engine this is, for the few places where the same promise is kept in another way.
    fn engine(&self) -> Engine;

    /// Reads at most one row.
    ///
    /// # Errors
    /// See [`StoreError`].
    fn query_one(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<Option<Row>> {
        Ok(self.query(sql, args, 1)?.pop())
    }

    /// Reads at most one row for each set of arguments, in their order. An engine that is far away asks for many at once.
    ///
    /// # Errors
    /// See [`StoreError`].
    fn query_each(&mut self, sql: &'static Sql, sets: &[Vec<Value<'_>>]) -> StoreResult<Vec<Option<Row>>> {
        sets.iter().map(|args| self.query_one(sql, args)).collect()
    }
}

/// What can go wrong in a store, split by what the caller does next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another transaction came between; run again.
    #[error("another operation changed the same rows")]
    Conflict,
    /// A rule of the schema was broken: a bug, or a key that exists already.
    #[error("statement {statement}: {message}")]
    Constraint {
        /// Name of the statement.
        statement: &'static str,
        /// What the engine said.
        message: String,
    },
    /// The statement itself is wrong, or gave more rows than it may: a bug.
    #[error("statement {statement}: {message}")]
    Statement {
        /// Name of the statement.
        statement: &'static str,
        /// What the engine said.
        message: String,
    },
    /// An earlier error of the same transaction was final.
    #[error("an earlier statement of this transaction failed")]
    Poisoned,
    /// The operation asked for more rows or steps than one operation may.
    #[error("over the budget of one operation: {0}")]
    Budget(String),
    /// The job's time passed while it waited.
    #[error("its time passed while it waited for the store")]
    Expired,
    /// The job's time passed while it was in work; it was undone.
    #[error("its time passed while it was in work")]
    Late,
    /// The queue is full.
    #[error("too much work is waiting")]
    Overloaded,
    /// No room on the disk.
    #[error("no room on the disk: {0}")]
    Full(String),
    /// The store cannot be reached or written now; nothing was done.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// COMMIT was sent and its answer lost: only the request's row can tell what happened.
    #[error("the outcome of the commit is unknown: {0}")]
    Unknown(String),
}

/// The result of a call on a store.
pub type StoreResult<T> = Result<T, StoreError>;

impl From<StoreError> for OpError {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Conflict => codes::CSERIAL,
            StoreError::Constraint { .. } | StoreError::Statement { .. } | StoreError::Poisoned => codes::BDETECTED,
            StoreError::Budget(_) => codes::TBUDGET,
            StoreError::Expired | StoreError::Late => codes::TTIME,
            StoreError::Overloaded => codes::XBUSY,
            StoreError::Full(_) => codes::XDISK,
            StoreError::Unavailable(_) | StoreError::Unknown(_) => codes::XSTORE,
        };
        let phase = match &error {
            StoreError::Overloaded | StoreError::Expired => Phase::Start,
            StoreError::Conflict | StoreError::Unknown(_) => Phase::Validation,
            _ => Phase::Work,
        };
        let outcome_unknown = matches!(error, StoreError::Unknown(_));
        Self { outcome_unknown, ..Self::new(code, error.to_string()).at(phase) }
    }
}

/// How a job's transaction relates to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// As if alone.
    Serial,
    /// What its one read finds it locks, seeing each row as it is then (claims).
    Claim,
}

/// Whether a job may use the reserve that is kept for ending work when the disk is full (KER-31).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// New work: refused when the disk is full.
    Normal,
    /// Acknowledge, commit, release, purge: ends work or frees room.
    Ending,
}

/// Jobs that share a key run one after the other within one process, which spares the engine their conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentionKey(pub u64);

impl ContentionKey {
    /// The key of a thing: `ContentionKey::of("account", id)`. Two things may share one by chance; that costs time only.
    #[must_use]
    pub fn of(kind: &str, name: &str) -> Self {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(kind.bytes().chain([0]).chain(name.bytes()).fold(0xcbf2_9ce4_8422_2325, fold))
    }
}

/// The sorted set of keys of one job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(Vec<ContentionKey>);

impl Keys {
    /// No key: the job minds nobody.
    pub const NONE: Self = Self(Vec::new());

    /// A set of keys, in any order.
    #[must_use]
    pub fn of(mut keys: Vec<ContentionKey>) -> Self {
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }

    /// The keys, sorted.
    #[must_use]
    pub fn as_slice(&self) -> &[ContentionKey] {
        &self.0
    }
}

/// What a job wants after it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Commit what it wrote.
    Keep,
    /// Undo what it wrote.
    Undo,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Durable.
    Committed,
    /// Undone as the job wished.
    Undone,
    /// The job panicked with this text; undone.
    Panicked(String),
    /// The store failed.
    Failed(StoreError),
}

/// A unit of work for a store.
pub trait Job: Send {
    /// For logs and metrics.
    fn name(&self) -> &'static str;

    /// Keys whose jobs it must not overlap.
    fn keys(&self) -> &Keys {
        static NONE: Keys = Keys::NONE;
        &NONE
    }

    /// How isolated it must be.
    fn isolation(&self) -> Isolation {
        Isolation::Serial
    }

    /// Whether it may use the reserve.
    fn urgency(&self) -> Urgency {
        Urgency::Normal
    }

    /// Monotonic microsecond after which it need not begin. An engine that would let it go on for long ends it then.
    fn deadline_us(&self) -> u64 {
        u64::MAX
    }

    /// Runs it. May be called more than once; each time the transaction shows no trace of the time before.
    fn run(&mut self, tx: &mut dyn Tx) -> Verdict;

    /// Told exactly once, after COMMIT; must return quickly.
    fn done(self: Box<Self>, outcome: Outcome);
}

impl fmt::Debug for dyn Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Job({})", self.name())
    }
}

/// Which engine a store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Embedded SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// Whether a store takes work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// Reads and writes.
    Good,
    /// Writes are refused, reads go on; says why. The store tries by itself to become good again.
    ReadOnly(String),
    /// Nothing works; says why. The store tries by itself to become good again.
    Down(String),
}

/// What a store takes up on its disk; what an engine cannot tell is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreFigures {
    /// Bytes of its data, indexes included.
    pub data_bytes: Option<u64>,
    /// Bytes of its log beside the data.
    pub log_bytes: Option<u64>,
    /// Bytes that are free on its disk.
    pub free_bytes: Option<u64>,
}

/// Who is told the words that nodes call out.
pub type Ear = Box<dyn Fn(&str) + Send + Sync>;

/// A durable store of one namespace.
pub trait Store: Send + Sync {
    /// Queues a job; a full queue answers [`StoreError::Overloaded`] at once.
    fn submit(&self, job: Box<dyn Job>);

    /// Runs a job on a read-only snapshot of committed state, never behind the writer.
    fn read(&self, job: Box<dyn Job>);

    /// Brings the schema to `plan`; blocks. Repeating it is harmless; a schema newer than `plan` is refused (KER-39).
    ///
    /// # Errors
    /// The schema is newer than we are, a step differs from the one applied, or the store failed.
    fn migrate(&self, plan: &[Migration]) -> StoreResult<()>;

    /// Prepares a statement without running it, to find mistakes in its text; blocks.
    ///
    /// # Errors
    /// The text is not valid on this engine.
    fn prepare(&self, sql: &'static Sql) -> StoreResult<()>;

    /// Whether it takes work now.
    fn health(&self) -> Health;

    /// Jobs waiting.
    fn waiting(&self) -> usize;

    /// A number that changes as the store works, read without any lock: a watchdog tells a busy store from a stuck one
    /// by it.
    fn progress(&self) -> u64 {
        0
    }

    /// Which engine.
    fn engine(&self) -> Engine;

    /// What it takes up, as it was seen some seconds ago: never looks itself, so that it costs nothing and waits for nothing.
    fn figures(&self) -> StoreFigures {
        StoreFigures::default()
    }

    /// Calls out a word to all nodes on the same data, this one too: a wake-up, which may be late, doubled or lost. Returns at
    /// once; the same word many times in a short while is called out once. Nobody else is there on an embedded store.
    fn notify(&self, word: &str) {
        let _ = word;
    }

    /// Tells `ear` every word that some node calls out from now on. It must return at once.
    fn listen(&self, ear: Ear) {
        drop(ear);
    }

    /// Runs what is queued, answers everybody, closes; blocks. Later jobs are answered [`StoreError::Unavailable`].
    fn close(&self);
}
