//! The books in PostgreSQL, read by SQL without our engine.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::books::{Backstage, Books, Entry};

impl Books {
    /// As they are in this schema.
    ///
    /// # Errors
    /// The database does not answer.
    pub fn of_schema(url: &str, schema: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await.context("no connection")?;
            let task = tokio::spawn(connection);
            let books = read(&client, schema).await;
            drop(client);
            task.await?.context("the connection broke")?;
            books
        })
    }
}

async fn read(client: &Client, schema: &str) -> Result<Books> {
    client.batch_execute(&format!("SET search_path TO \"{schema}\"")).await?;
    let mut entries = vec![];
    for row in rows(client, "SELECT id, account, amount, memo, version FROM ledger_entry ORDER BY id").await? {
        let [id, account, amount, memo, version] = columns(row)?;
        entries.push(Entry { id, account, amount: amount.parse()?, memo, version: version.parse()? });
    }
    let mut accounts = BTreeMap::new();
    for row in rows(client, "SELECT id, balance, version FROM ledger_account").await? {
        let [id, balance, version] = columns(row)?;
        accounts.insert(id, (balance.parse()?, version.parse()?));
    }
    Ok(Books { entries, accounts, backstage: Some(backstage(client).await?) })
}

async fn backstage(client: &Client) -> Result<Backstage> {
    let mut backstage = Backstage::default();
    for row in rows(client, "SELECT subject, text FROM journal WHERE kind = 'ledger.transfer'").await? {
        let [subject, text] = columns(row)?;
        *backstage.journal.entry((subject, text)).or_default() += 1;
    }
    for row in rows(client, "SELECT key FROM request WHERE complete = 1").await? {
        let [key] = columns(row)?;
        backstage.requests.insert(key);
    }
    Ok(backstage)
}

async fn rows(client: &Client, text: &str) -> Result<Vec<Vec<String>>> {
    let mut rows = vec![];
    for message in client.simple_query(text).await? {
        if let SimpleQueryMessage::Row(row) = message {
            rows.push((0..row.len()).map(|at| row.get(at).unwrap_or_default().to_owned()).collect());
        }
    }
    Ok(rows)
}

fn columns<const N: usize>(row: Vec<String>) -> Result<[String; N]> {
    row.try_into().map_err(|row: Vec<String>| anyhow::anyhow!("{} columns, not {N}", row.len()))
}
