//! Set-up work on a connection of its own: the schema's creation, migrations, preparing texts to find mistakes.

use base::{Migration, Sql, StoreError, StoreResult};
use tokio::runtime::Runtime;

use crate::errors;
use crate::heard;
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

    /// Whether the store's schema is there.
    pub(crate) fn find_schema(&self, shared: &Shared) -> StoreResult<()> {
        let schema = &shared.config.schema;
        let text = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";
        let client = self.link.client();
        let found = async { client.query_opt(text, &[schema]).await };
        match self.runtime.block_on(threads::within(shared.config.answer_limit(), found)) {
            Ok(Ok(Some(_))) => Ok(()),
            Ok(Ok(None)) => Err(StoreError::Unavailable(format!("schema {schema} is missing: lost, or set aside"))),
            Ok(Err(error)) => Err(StoreError::Unavailable(errors::text(&error))),
            Err(_) => silent(),
        }
    }

    /// How far the store's listening time is from the server's clock.
    pub(crate) fn heard_shift_ms(&self, shared: &Shared) -> StoreResult<i64> {
        let shift = heard::shift_ms(self.link.client(), &shared.config.schema);
        match self.runtime.block_on(threads::within(shared.config.answer_limit(), shift)) {
            Ok(shift) => shift.map_err(|error| StoreError::Unavailable(errors::text(&error))),
            Err(_) => silent().map(|()| 0),
        }
    }

    /// Renames a schema; false if there is none of that name. Where the new name is taken, by a rename whose end nobody heard of and a
    /// schema that was made after it, the next one is: what is set aside never stays in the way.
    pub(crate) fn rename_schema(&self, shared: &Shared, to: &str) -> StoreResult<bool> {
        let others = (2..=9).map(|number| format!("{to}_{number}"));
        for name in std::iter::once(to.to_owned()).chain(others) {
            if let Some(renamed) = self.try_rename(shared, &name)? {
                return Ok(renamed);
            }
        }
        Err(StoreError::Unavailable(format!("schema {to} and those numbered after it exist already")))
    }

    /// Drops the schema, if it is there.
    pub(crate) fn drop_schema(&self, shared: &Shared) -> StoreResult<()> {
        let text = format!("DROP SCHEMA IF EXISTS \"{}\" CASCADE", shared.config.schema);
        let dropped = self.link.client().batch_execute(&text);
        match self.runtime.block_on(threads::within(shared.config.answer_limit(), dropped)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(StoreError::Unavailable(errors::text(&error))),
            Err(_) => silent(),
        }
    }

    /// `None` if the new name is taken.
    fn try_rename(&self, shared: &Shared, to: &str) -> StoreResult<Option<bool>> {
        let text = format!("ALTER SCHEMA \"{}\" RENAME TO \"{to}\"", shared.config.schema);
        let renamed = self.link.client().batch_execute(&text);
        match self.runtime.block_on(threads::within(shared.config.answer_limit(), renamed)) {
            Ok(Ok(())) => Ok(Some(true)),
            Ok(Err(error)) if errors::is_unknown_schema(&error) => Ok(Some(false)),
            Ok(Err(error)) if errors::is_known_schema(&error) => Ok(None),
            Ok(Err(error)) => Err(StoreError::Unavailable(errors::text(&error))),
            Err(_) => silent().map(|()| None),
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
