//! The books as they are in the end: read over HTTP, from the SQLite file without the server, or from PostgreSQL by SQL.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::violation;
use crate::client::Client;

/// One entry of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// The account.
    pub account: String,
    /// What was added.
    pub amount: i64,
    /// For people.
    pub memo: String,
    /// Stamp of the change.
    pub version: i64,
}

/// What is kept beside the books, seen only without the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backstage {
    /// Journal lines of transfers: account and text.
    pub journal: BTreeMap<(String, String), usize>,
    /// Keys of answered requests.
    pub requests: BTreeSet<String>,
}

/// Everything that the ledger holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Books {
    /// All entries.
    pub entries: Vec<Entry>,
    /// Balance and version by account.
    pub accounts: BTreeMap<String, (i64, i64)>,
    /// What the server does not show.
    pub backstage: Option<Backstage>,
}

impl Books {
    /// As the server shows them; of the accounts only these.
    ///
    /// # Errors
    /// It does not answer.
    pub fn over_http(client: &mut Client, accounts: impl IntoIterator<Item = String>) -> Result<Self> {
        let entries = pages(client)?;
        let mut found = BTreeMap::new();
        for account in accounts {
            let answer = client.get(&format!("/v1/main/ledger/accounts/{account}"))?;
            match answer.status {
                200 => found.insert(account, (number(&answer.body, "balance")?, number(&answer.body, "version")?)),
                404 => None,
                _ => return Err(violation(format!("account {account}: {answer:?}"))),
            };
        }
        Ok(Self { entries, accounts: found, backstage: None })
    }

    /// As they are in the file. The server has ended.
    ///
    /// # Errors
    /// The file is damaged: that is a broken promise, whatever SQLite says about it.
    pub fn of_file(path: &Path) -> Result<Self> {
        Self::read_file(path).map_err(|error| violation(format!("{}: {error:#}", path.display())))
    }

    fn read_file(path: &Path) -> Result<Self> {
        let file = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).context("no store")?;
        let sound: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        ensure!(sound == "ok", "integrity_check: {sound}");
        let mut rows = file.prepare("SELECT id, account, amount, memo, version FROM ledger_entry ORDER BY id")?;
        let entry = |row: &rusqlite::Row<'_>| {
            let (id, account, amount) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Entry { id, account, amount, memo: row.get(3)?, version: row.get(4)? })
        };
        let entries = rows.query_map([], entry)?.collect::<Result<_, _>>()?;
        let mut rows = file.prepare("SELECT id, balance, version FROM ledger_account")?;
        let account = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)));
        let accounts = rows.query_map([], account)?.collect::<Result<_, _>>()?;
        Ok(Self { entries, accounts, backstage: Some(backstage_of(&file)?) })
    }
}

fn backstage_of(file: &Connection) -> Result<Backstage> {
    let mut backstage = Backstage::default();
    let mut rows = file.prepare("SELECT subject, text FROM journal WHERE kind = 'ledger.transfer'")?;
    for line in rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
        *backstage.journal.entry(line?).or_default() += 1;
    }
    let mut rows = file.prepare("SELECT key FROM request WHERE complete = 1")?;
    backstage.requests = rows.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(backstage)
}

fn pages(client: &mut Client) -> Result<Vec<Entry>> {
    let (mut entries, mut after) = (vec![], String::new());
    loop {
        let answer = client.get(&format!("/v1/main/ledger/entries?limit=1000{after}"))?;
        let items = answer.body["items"].as_array().ok_or_else(|| violation(format!("no page: {answer:?}")))?;
        for item in items {
            entries.push(entry(item)?);
        }
        match answer.body["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return Ok(entries),
        }
    }
}

fn entry(item: &Value) -> Result<Entry> {
    let text = |name: &str| item[name].as_str().map(str::to_owned).with_context(|| format!("no {name} in {item}"));
    let (amount, version) = (number(item, "amount")?, number(item, "version")?);
    Ok(Entry { id: text("id")?, account: text("account")?, amount, memo: text("memo")?, version })
}

fn number(item: &Value, name: &str) -> Result<i64> {
    item[name].as_i64().with_context(|| format!("no {name} in {item}"))
}
