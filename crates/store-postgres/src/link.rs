//! One connection to the server: opening it, its settings, its prepared statements, and one round trip at a time.
//!
//! The connection's task runs on the worker's own current-thread runtime and only while the worker waits for an
//! answer. So nothing is sent behind the worker's back, and dropping the link before waiting again sends nothing.

use std::collections::HashMap;
use std::time::Duration;

use base::{Sql, StoreError, StoreResult, placeholders};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Error, NoTls, Statement};

use crate::errors;
use crate::pipeline::{self, Answers, Step, Unsent};
use crate::threads;
use crate::values;

/// The server's clock in milliseconds.
pub(crate) static HEARD: Sql =
    Sql::new("store.heard", "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)");

/// Applied where the server knows them.
///
/// `idle_in_transaction_session_timeout`: a node that stands still in the middle of a transaction (SIGSTOP, a frozen machine)
/// keeps its locks, and nobody can take over what it locked. Nothing was committed, so that it runs again if the node goes on.
/// `enable_seqscan`: a sequential scan locks the whole table against SERIALIZABLE neighbours. `enable_bitmapscan`: a bitmap
/// finds everything that fits before it gives the first row, so that a plan made and kept while a table was small is none for
/// a large one; an index that is read in order stops at the LIMIT. `jit`: the price that PostgreSQL puts on a scan it was told
/// to avoid would make it compile every such statement. `synchronous_commit`: only `off` is raised, for an answer must be
/// durable; what an operator set beyond `on` stays.
const SETTINGS: [&str; 7] = [
    "SET statement_timeout = '10s'",
    "SET idle_in_transaction_session_timeout = '5s'",
    "SET client_min_messages = 'error'",
    "SET enable_seqscan = off",
    "SET enable_bitmapscan = off",
    "SET jit = off",
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
];

/// How long leaving politely may take.
const LEAVE: Duration = Duration::from_millis(200);

/// Why there is no connection.
#[derive(Debug)]
pub(crate) struct NoLink {
    pub(crate) reason: String,
    /// The server is there and full of other connections.
    pub(crate) is_crowded: bool,
}

impl From<NoLink> for StoreError {
    fn from(none: NoLink) -> Self {
        Self::Unavailable(none.reason)
    }
}

/// How to open links of one store.
#[derive(Debug)]
pub(crate) struct Address {
    driver: tokio_postgres::Config,
    search_path: String,
    connect_limit: Duration,
    answer_limit: Duration,
}

/// Why a round trip brought no answers.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The driver refused a step; nothing was sent.
    Unsent(Unsent),
    /// Sent, and then nothing came.
    Silent(String),
}

struct Prepared {
    text: &'static str,
    statement: Statement,
}

/// The connection's task; it ends with its link, so that nothing queued in it is sent later.
struct Task(JoinHandle<Result<(), Error>>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An open connection.
pub(crate) struct Link {
    client: Client,
    task: Task,
    statements: HashMap<&'static str, Prepared>,
    answer_limit: Duration,
}

impl Address {
    pub(crate) fn new(config: &crate::PostgresConfig) -> StoreResult<Self> {
        Ok(Self {
            driver: config.driver()?,
            search_path: format!("SET search_path TO \"{}\"", config.schema),
            connect_limit: config.connect_limit(),
            answer_limit: config.answer_limit(),
        })
    }

    /// The driver's own way to the server, without our settings.
    pub(crate) fn driver(&self) -> &tokio_postgres::Config {
        &self.driver
    }

    /// Opens a connection with its settings.
    pub(crate) fn connect(&self, runtime: &Runtime) -> Result<Link, NoLink> {
        let opened = runtime.block_on(threads::within(self.connect_limit, self.open()));
        match opened {
            Ok(Ok(link)) => Ok(link),
            Ok(Err(error)) => Err(NoLink { reason: errors::text(&error), is_crowded: errors::is_crowded(&error) }),
            Err(_) => Err(NoLink { reason: "the server does not answer".into(), is_crowded: false }),
        }
    }

    async fn open(&self) -> Result<Link, Error> {
        let (client, connection) = self.driver.connect(NoTls).await?;
        let task = Task(tokio::spawn(connection));
        let mut link = Link { client, task, statements: HashMap::new(), answer_limit: self.answer_limit };
        link.settle(&self.search_path).await?;
        Ok(link)
    }
}

impl Link {
    async fn settle(&mut self, search_path: &str) -> Result<(), Error> {
        let optional = SETTINGS.iter().map(|setting| self.client.batch_execute(setting));
        for result in futures_util::future::join_all(optional).await {
            match result {
                Err(error) if !errors::is_unknown_setting(&error) => return Err(error),
                _ => {}
            }
        }
        self.client.batch_execute(search_path).await?;
        let statement = self.client.prepare(HEARD.text).await?;
        self.statements.insert(HEARD.name, Prepared { text: HEARD.text, statement });
        Ok(())
    }

    /// One round trip.
    pub(crate) fn talk(&self, runtime: &Runtime, steps: &[Step<'_>]) -> Result<Answers, Broken> {
        self.talk_within(runtime, self.answer_limit, steps)
    }

    /// One round trip with its own limit.
    pub(crate) fn talk_within(
        &self,
        runtime: &Runtime,
        limit: Duration,
        steps: &[Step<'_>],
    ) -> Result<Answers, Broken> {
        let answers = runtime.block_on(threads::within(limit, pipeline::run(&self.client, steps)));
        match answers {
            Ok(Ok(answers)) => Ok(answers),
            Ok(Err(unsent)) => Err(Broken::Unsent(unsent)),
            Err(_) => Err(Broken::Silent(format!("the server was silent for {} ms", limit.as_millis()))),
        }
    }

    /// The driver's own handle, for set-up work that has no steps.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The prepared form of `sql`, if it has one here.
    pub(crate) fn known(&self, sql: &'static Sql) -> StoreResult<Option<Statement>> {
        match self.statements.get(sql.name) {
            None => Ok(None),
            Some(known) if known.text == sql.text => Ok(Some(known.statement.clone())),
            Some(_) => Err(mistake(sql, "another statement has the same name".into())),
        }
    }

    /// Keeps the prepared form of `sql`.
    pub(crate) fn learn(&mut self, sql: &'static Sql, statement: Statement) -> StoreResult<Statement> {
        check(sql, &statement)?;
        self.statements.insert(sql.name, Prepared { text: sql.text, statement: statement.clone() });
        Ok(statement)
    }

    /// Says good-bye to the server.
    pub(crate) fn leave(self, runtime: &Runtime) {
        let Self { client, mut task, .. } = self;
        drop(client);
        // Nothing is lost when it does not answer.
        let _ = runtime.block_on(threads::within(LEAVE, &mut task.0));
    }
}

/// The step that prepares `sql`.
pub(crate) fn prepare_step(sql: &'static Sql) -> Step<'static> {
    Step::Prepare(sql, placeholders(sql.text))
}

/// Refuses a prepared statement whose results we could not read.
pub(crate) fn check(sql: &'static Sql, statement: &Statement) -> StoreResult<()> {
    let kinds = statement.columns().iter().map(tokio_postgres::Column::type_);
    values::check_columns(kinds).map_err(|wrong| mistake(sql, wrong))
}

/// A mistake in a statement of ours.
pub(crate) fn mistake(sql: &'static Sql, message: String) -> StoreError {
    StoreError::Statement { statement: sql.name, message }
}
