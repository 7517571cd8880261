//! One state's work of a move, which can be repeated: killed in the middle of any of it, the same state is worked on again.
//!
//! | state | what is done | what a repeat finds |
//! |---|---|---|
//! | copying | the new store is made under another name and brought near the old one, which serves | a new store that is near already |
//! | closing | nobody has the old one open; on PostgreSQL it gets another name, which keeps everybody out; the rest is carried, all is compared, the new store gets its name | the old one under its other name, the new one under its own |
//! | switched | the old one gets its last name | nothing to rename |
//! | reopening | the old one gets its name back, what was carried is thrown away | nothing to rename |

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use base::carry::{Remembered, RowsIn, RowsOut, Walked, finish, follow};
use base::{Engine, Heard, Migration};
use kernel::namespaces::SecretUrl;
use kernel::namespaces::transfers::{Event, Transfer, TransferState};
use store_postgres::PostgresConfig;
use store_postgres::carry as postgres;
use store_sqlite::carry as sqlite;

use super::{short, total};
use crate::backup::disk;
use crate::stores::Opener;

/// How often the new store is brought near before the old one is closed.
const ROUNDS: u32 = 4;
/// So few chunks are left for the end.
const CHUNKS_LEFT: u64 = 4;

/// A move with all that its work needs.
pub(crate) struct Moving<'a> {
    pub(crate) opener: &'a Opener,
    pub(crate) plan: &'a [Migration],
    pub(crate) route: Route<'a>,
    /// The PostgreSQL that it leaves, if it has one of its own.
    pub(crate) from_url: Option<&'a SecretUrl>,
    pub(crate) remembered: &'a mut Remembered,
    pub(crate) watch: &'a mut dyn FnMut(&Walked) -> bool,
}

/// Which namespace is moved, and where to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) name: &'a str,
    pub(crate) place: &'a str,
    /// Tells this move from others of the same namespace.
    pub(crate) id: &'a str,
    pub(crate) to: Engine,
    /// The PostgreSQL that it comes to, if that is to be one of its own.
    pub(crate) to_url: Option<&'a SecretUrl>,
}

impl<'a> Route<'a> {
    pub(crate) fn of(transfer: &'a Transfer) -> Self {
        let Transfer { name, place, id, to, to_url, .. } = transfer;
        Self { name, place, id, to: *to, to_url: to_url.as_ref() }
    }
}

impl Moving<'_> {
    /// Does the work of a state; blocks.
    pub(crate) fn work(&mut self, state: TransferState) -> Result<Event> {
        match state {
            TransferState::Copying => self.copy(),
            TransferState::Closing => self.close(),
            TransferState::Reopening => self.reopen(),
            TransferState::Switched => self.keep_aside(),
            TransferState::Arriving | TransferState::Done | TransferState::Failed | TransferState::Cancelled => {
                anyhow::bail!("a move is never {}", state.word())
            }
        }
    }

    fn copy(&mut self) -> Result<Event> {
        ensure!(!self.is_settled()?, "there is a store in {} already: rename it", self.route.place);
        let mut source = self.old_store(false)?;
        let mut target = self.new_store()?;
        for _ in 0..ROUNDS {
            let replaced = follow(source.as_mut(), target.rows(), self.remembered, self.watch)?;
            if replaced <= CHUNKS_LEFT {
                break;
            }
        }
        Ok(Event::Copied)
    }

    fn close(&mut self) -> Result<Event> {
        self.fence()?;
        let mut source = self.old_store(true)?;
        let heard = self.heard()?;
        let is_settled = self.is_settled()?;
        let mut target = if is_settled { self.settled_store()? } else { self.new_store()? };
        let tables = finish(source.as_mut(), target.rows(), self.remembered, self.watch)?;
        drop(source);
        self.settle(target, is_settled, heard)?;
        let (rows, digest) = total(&tables);
        Ok(Event::Matched { rows, digest })
    }

    /// The old side first: it serves again whatever becomes of what was carried, which has a clear name if it stays.
    fn reopen(&mut self) -> Result<Event> {
        self.return_old()?;
        if let Err(error) = self.discard() {
            let (namespace, error) = (self.route.name, format!("{error:#}"));
            tracing::warn!(namespace, error, left = self.arriving_place(), "what was carried could not be removed");
        }
        Ok(Event::Reopened)
    }

    /// The old store gets its name back, if it has another one by now.
    pub(crate) fn return_old(&self) -> Result<()> {
        match self.old_engine() {
            Engine::Sqlite => {
                let aside = self.sqlite_aside();
                let size = |name: &str| disk::size(&self.folder().join(name));
                if size("store.db").is_none() && size(&aside).is_some() {
                    self.rename_sqlite(&aside, "store.db")?;
                }
            }
            Engine::Postgres => {
                let own = self.old_schema(false)?;
                if !postgres::exists(&own)? {
                    postgres::fence(&self.old_schema(true)?, &own.schema)?;
                }
            }
        }
        Ok(())
    }

    /// Removes what was carried. What was whole already is kept under another name.
    pub(crate) fn discard(&self) -> Result<()> {
        let is_settled = self.is_settled()?;
        let left = format!("left--{}", self.mark());
        match self.route.to {
            Engine::Sqlite => {
                if is_settled {
                    // Its log would stay under the name that the next store gets.
                    sqlite::seal(&self.folder().join("store.db"))?;
                    self.rename_sqlite("store.db", &format!("{left}.db"))?;
                }
                self.discard_sqlite()
            }
            Engine::Postgres => {
                let url = self.route.to_url;
                if is_settled {
                    postgres::fence(&self.schema(self.route.place, url)?, &self.schema(&left, url)?.schema)?;
                }
                Ok(postgres::discard(&self.schema(&self.arriving_place(), url)?)?)
            }
        }
    }

    fn keep_aside(&mut self) -> Result<Event> {
        // On PostgreSQL it has had its last name since it was fenced.
        if self.old_engine() == Engine::Sqlite {
            let file = self.folder().join("store.db");
            if disk::size(&file).is_some() {
                sqlite::seal(&file)?;
                self.rename_sqlite("store.db", &self.sqlite_aside())?;
            }
            disk::remove(&self.folder().join("store.reserve"))?;
        }
        Ok(Event::KeptAside)
    }

    /// Nobody can write the old store from here on, whoever slept through its closing. A SQLite file has no other node.
    fn fence(&self) -> Result<()> {
        if self.old_engine() == Engine::Sqlite {
            return Ok(());
        }
        let aside = self.schema(&self.aside_place(), self.from_url)?;
        if !postgres::exists(&aside)? {
            let is_there = postgres::fence(&self.schema(self.route.place, self.from_url)?, &aside.schema)?;
            ensure!(is_there, "schema {} is missing", self.route.place);
        }
        Ok(())
    }

    fn old_store(&self, fenced: bool) -> Result<Box<dyn RowsOut>> {
        Ok(match self.old_engine() {
            Engine::Sqlite => Box::new(sqlite::Leaving::open(&self.folder().join("store.db"))?),
            Engine::Postgres => Box::new(postgres::Leaving::open(&self.old_schema(fenced)?)?),
        })
    }

    /// From when on the new store listens.
    fn heard(&self) -> Result<Heard> {
        Ok(match self.old_engine() {
            Engine::Sqlite => sqlite::Leaving::open(&self.folder().join("store.db"))?.heard()?,
            Engine::Postgres => postgres::heard_now(&self.old_schema(true)?)?,
        })
    }

    fn old_schema(&self, fenced: bool) -> Result<PostgresConfig> {
        let place = if fenced { self.aside_place() } else { self.route.place.to_owned() };
        self.schema(&place, self.from_url)
    }

    fn new_store(&self) -> Result<NewStore> {
        Ok(match self.route.to {
            Engine::Sqlite => {
                disk::make_folder(&self.folder())?;
                let path = self.folder().join("arriving.db");
                NewStore::Sqlite(Box::new(sqlite::Arriving::open(&path, self.plan, self.opener.clock().clone())?))
            }
            Engine::Postgres => {
                let schema = self.schema(&self.arriving_place(), self.route.to_url)?;
                NewStore::Postgres(Box::new(postgres::Arriving::open(
                    &schema,
                    self.plan,
                    self.opener.clock().wall().0,
                )?))
            }
        })
    }

    /// The new store when it has its name already: only to be compared again.
    fn settled_store(&self) -> Result<NewStore> {
        Ok(match self.route.to {
            Engine::Sqlite => {
                let path = self.folder().join("store.db");
                NewStore::Sqlite(Box::new(sqlite::Arriving::open(&path, self.plan, self.opener.clock().clone())?))
            }
            Engine::Postgres => {
                let schema = self.schema(self.route.place, self.route.to_url)?;
                NewStore::Postgres(Box::new(postgres::Arriving::open(
                    &schema,
                    self.plan,
                    self.opener.clock().wall().0,
                )?))
            }
        })
    }

    /// Makes the new store durable and gives it its name, unless it has it.
    fn settle(&self, target: NewStore, is_settled: bool, heard: Heard) -> Result<()> {
        match target {
            NewStore::Sqlite(mut store) => {
                store.set_heard(heard)?;
                store.settle()?;
                if !is_settled {
                    sqlite::seal(&self.folder().join("arriving.db"))?;
                    self.rename_sqlite("arriving.db", "store.db")?;
                }
            }
            NewStore::Postgres(store) => {
                let own = self.schema(self.route.place, self.route.to_url)?;
                match is_settled {
                    true => postgres::set_heard(&own, heard)?,
                    false => store.settle(&own.schema, heard)?,
                }
            }
        }
        Ok(())
    }

    fn is_settled(&self) -> Result<bool> {
        Ok(match self.route.to {
            Engine::Sqlite => disk::size(&self.folder().join("store.db")).is_some(),
            Engine::Postgres => postgres::exists(&self.schema(self.route.place, self.route.to_url)?)?,
        })
    }

    fn discard_sqlite(&self) -> Result<()> {
        ["arriving.db", "arriving.db-wal", "arriving.db-shm"]
            .iter()
            .try_for_each(|name| disk::remove(&self.folder().join(name)))
    }

    fn rename_sqlite(&self, from: &str, to: &str) -> Result<()> {
        let folder = self.folder();
        disk::rename(&folder.join(from), &folder.join(to)).context("the store keeps its name")
    }

    fn old_engine(&self) -> Engine {
        match self.route.to {
            Engine::Sqlite => Engine::Postgres,
            Engine::Postgres => Engine::Sqlite,
        }
    }

    fn folder(&self) -> PathBuf {
        self.opener.folder(self.route.place)
    }

    fn schema(&self, place: &str, url: Option<&SecretUrl>) -> Result<PostgresConfig> {
        self.opener.postgres_at(place, url)
    }

    fn mark(&self) -> String {
        short(self.route.id)
    }

    // Two hyphens: no namespace has such a place, so that neither a backup nor a start takes it for one.
    fn arriving_place(&self) -> String {
        format!("arriving--{}", self.mark())
    }

    fn sqlite_aside(&self) -> String {
        sqlite_aside(&self.mark())
    }

    fn aside_place(&self) -> String {
        aside_place(self.route.name, &self.mark())
    }
}

/// Where the old side of a move is kept on PostgreSQL.
pub(crate) fn aside_place(name: &str, mark: &str) -> String {
    format!("moved--{name}-{mark}")
}

/// The same on SQLite, in its folder.
pub(crate) fn sqlite_aside(mark: &str) -> String {
    format!("moved-{mark}.db")
}

/// A store on its way in.
enum NewStore {
    Sqlite(Box<sqlite::Arriving>),
    Postgres(Box<postgres::Arriving>),
}

impl NewStore {
    fn rows(&mut self) -> &mut dyn RowsIn {
        match self {
            Self::Sqlite(store) => store.as_mut(),
            Self::Postgres(store) => store.as_mut(),
        }
    }
}
