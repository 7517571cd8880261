//! History in ClickHouse, over its HTTP interface.
//!
//! Our statements are valid from 18.16 (Debian's) to today's, so: moments are milliseconds in `Int64` (no `DateTime64`), literals
//! are quoted by us (no parameters), and settings that not every server knows are only used where it says that it knows them.
//!
//! An insert whose answer was lost is repeated with the same rows. The tables are keyed by what makes a row that row
//! (`ReplacingMergeTree`), so that doubles go when parts are merged, and every read takes one of each key (`LIMIT 1 BY`), so that nobody
//! sees them before. Where the server knows it, the batch's name keeps them from being written at all.
//!
//! The tables are made if they are not there; an operator may make them beforehand, replicated for instance.

mod client;
mod reply;
mod tables;
mod text;
mod url;

use std::sync::{Arc, Mutex, PoisonError};

use base::Outbound;

use super::archive::{Archive, ArchiveError, Archived, Batch};
use super::question::{Question, Tries};
use super::row::{HistoryRow, TryRow};
use crate::id::SensorId;
use client::{Ask, Client, Fault};
use tables::Known;

pub use self::url::InvalidUrl;

/// How many rows of history, or else of tries, are in an answer; none of an answer that is neither. For the fuzz targets.
#[doc(hidden)]
#[must_use]
pub fn count_rows(answer: &[u8]) -> Option<usize> {
    let history = reply::history(answer).map(|rows| rows.len());
    history.or_else(|_| reply::tries(answer).map(|rows| rows.len())).ok()
}

/// What ClickHouse calls a table that is not there.
const NO_TABLE: u32 = 60;

/// A ClickHouse server.
pub struct ClickHouse {
    client: Arc<Client>,
    /// What the server knows, once its tables are there.
    known: Arc<Mutex<Option<Known>>>,
}

impl ClickHouse {
    /// A server at `http[s]://user:password@host:port/database`; the calls are made by `outbound`, which must let them go where the
    /// operator says, private addresses included.
    ///
    /// # Errors
    /// It is no such URL.
    pub fn new(url: &str, outbound: Arc<dyn Outbound>) -> Result<Self, InvalidUrl> {
        let client = Arc::new(Client::new(url::Server::parse(url)?, outbound));
        Ok(Self { client, known: Arc::default() })
    }

    /// Whether a URL names one.
    ///
    /// # Errors
    /// It does not.
    pub fn check_url(url: &str) -> Result<(), InvalidUrl> {
        url::Server::parse(url).map(drop)
    }

    /// Tells whether the server answers us, and does nothing else.
    pub fn probe(&self, done: Archived<()>) {
        let answer = move |answered: Result<Vec<u8>, Fault>| done(answered.map(drop).map_err(ArchiveError::from));
        self.client.ask(Ask::reading(tables::FACTS.to_owned()), Box::new(answer));
    }

    fn ask_for<T: Send + 'static>(
        &self,
        sql: String,
        read: fn(&[u8]) -> Result<Vec<T>, String>,
        done: Archived<Vec<T>>,
    ) {
        let answer = move |answered: Result<Vec<u8>, Fault>| match answered {
            Ok(body) => done(read(&body).map_err(|reason| ArchiveError(format!("ClickHouse: {reason}")))),
            // Nothing was ever written.
            Err(fault) if fault.code == Some(NO_TABLE) => done(Ok(vec![])),
            Err(fault) => done(Err(fault.into())),
        };
        self.client.ask(Ask::reading(sql), Box::new(answer));
    }
}

impl Archive for ClickHouse {
    fn write(&self, place: &str, batch: Batch, done: Archived<()>) {
        let (client, known) = (self.client.clone(), self.known.clone());
        let place = place.to_owned();
        let remembered = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let insert = move |prepared: Result<Known, Fault>| match prepared {
            Ok(facts) => {
                *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(facts.clone());
                let inserts = tables::inserts(&place, &batch, &facts);
                client.ask_all(inserts, Box::new(move |written| done(written.map_err(|fault| forget(&known, fault)))));
            }
            Err(fault) => done(Err(fault.into())),
        };
        match remembered {
            Some(facts) => insert(Ok(facts)),
            None => prepare(&self.client, Box::new(insert)),
        }
    }

    fn history(&self, place: &str, question: &Question, sensors: &[SensorId], done: Archived<Vec<HistoryRow>>) {
        self.ask_for(tables::history(place, question, sensors), reply::history, done);
    }

    fn tries(&self, place: &str, tries: &Tries, done: Archived<Vec<TryRow>>) {
        self.ask_for(tables::tries(place, tries), reply::tries, done);
    }
}

/// Somebody may have dropped the tables, or put another server there: the next try looks again.
fn forget(known: &Mutex<Option<Known>>, fault: Fault) -> ArchiveError {
    *known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    fault.into()
}

/// Asks what the server knows, and makes the tables that are not there.
fn prepare(client: &Arc<Client>, done: Box<dyn FnOnce(Result<Known, Fault>) + Send>) {
    let asked = client.clone();
    let create = move |answered: Result<Vec<u8>, Fault>| match answered {
        Ok(body) => {
            let facts = Known::of(&body);
            asked.ask_all(tables::creations(&facts), Box::new(move |made| done(made.map(|()| facts))));
        }
        Err(fault) => done(Err(fault)),
    };
    client.ask(Ask::reading(tables::FACTS.to_owned()), Box::new(create));
}
