//! Set-up work on a connection of its own: the schema's creation, migrations, preparing texts to find mistakes.

use base::{Migration, Sql, StoreError, StoreResult};
use tokio::runtime::Runtime;

use crate::errors;
use crate::link::{self, Link};
use crate::migrate;
use crate::pipeline::Answer;
use crate::shared::Shared;
use crate::threads;

/// A connection for set-up work.
pub(crate) struct Desk {
    runtime: Runtime,
    link: Link,
}

impl Desk {
    pub(crate) fn open(shared: &Shared) -> StoreResult<Self> {
        let runtime = threads::runtime()?;
        let link = shared.address.connect(&runtime)?;
        Ok(Self { runtime, link })
    }

    /// Creates the store's schema if it is missing.
    pub(crate) fn create_schema(&self, shared: &Shared) -> StoreResult<()> {
        let text = format!("CREATE SCHEMA IF NOT EXISTS \"{}\"", shared.config.schema);
        let made = migrate::create(self.link.client(), &text);
        self.runtime.block_on(threads::within(shared.config.answer_limit(), made)).unwrap_or_else(|_| silent())
    }

    /// Renames a schema; false if there is none of that name.
    pub(crate) fn rename_schema(&self, shared: &Shared, to: &str) -> StoreResult<bool> {
        let text = format!("ALTER SCHEMA \"{}\" RENAME TO \"{to}\"", shared.config.schema);
        let renamed = self.link.client().batch_execute(&text);
        match self.runtime.block_on(threads::within(shared.config.answer_limit(), renamed)) {
            Ok(Ok(())) => Ok(true),
            Ok(Err(error)) if errors::is_unknown_schema(&error) => Ok(false),
            Ok(Err(error)) => Err(StoreError::Unavailable(errors::text(&error))),
            Err(_) => silent().map(|()| false),
        }
    }

    /// Brings the tables to `plan`.
    pub(crate) fn migrate(&self, plan: &[Migration], applied_at: i64) -> StoreResult<()> {
        let done = migrate::run(self.link.client(), plan, applied_at);
        self.runtime.block_on(threads::within(migrate::LIMIT, done)).unwrap_or_else(|_| silent())
    }

    /// Prepares a text. The server forgets it again.
    pub(crate) fn prepare(&self, sql: &'static Sql) -> StoreResult<()> {
        let steps = [link::prepare_step(sql)];
        match self.link.talk(&self.runtime, &steps) {
            Ok(mut answers) => match answers.pop() {
                Some(Ok(Answer::Prepared(statement))) => link::check(sql, &statement),
                Some(Err(error)) => Err(errors::of_statement(sql.name, &error)),
                Some(Ok(_)) | None => unreachable!("a statement was asked for"),
            },
            Err(_) => silent(),
        }
    }
}

fn silent() -> StoreResult<()> {
    Err(StoreError::Unavailable("the server does not answer".into()))
}
