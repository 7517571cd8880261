//! The ERP: a SQLite file with orders. The connector takes messages and books them; all that is written here is SQL.
//!
//! `erp SERVER KEY [ROUNDS]`. Kill it when you like: an order is booked once.

use anyhow::{Context, Result, bail};
use client::{Client, pause};
use connector::{Connector, Ended, Settings};
use std::time::Duration;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, device TEXT NOT NULL, item TEXT NOT NULL, amount INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS outbox (id TEXT PRIMARY KEY, recipient TEXT NOT NULL, reply_to TEXT, payload TEXT NOT NULL);
";

const SETTINGS: &str = r#"
database = "erp"
engine = "sqlite"
connect = "erp.db"

[[message]]
type = "order"
sql = [
  "INSERT INTO orders (id, device, item, amount) VALUES (:id, :sender, :payload ->> 'item', :payload ->> 'amount')",
  "INSERT INTO outbox (id, recipient, reply_to, payload) VALUES (lower(hex(randomblob(16))), :sender, :id, json_object('booked', :payload ->> 'item'))",
]

[replies]
query = "SELECT id, recipient, 'booked' AS type, payload, reply_to FROM outbox ORDER BY rowid"
then = "DELETE FROM outbox WHERE id = :id"
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, key, rounds @ ..] = &words[..] else { bail!("erp SERVER KEY [ROUNDS]") };
    let rounds: Option<u32> = rounds.first().map(|text| text.parse().context("ROUNDS is no number")).transpose()?;
    rusqlite::Connection::open("erp.db")?.execute_batch(TABLES)?;
    let mut connector = Connector::new(Client::new(server, "main", key)?, Settings::read(SETTINGS)?);
    let mut round = 0;
    while rounds.is_none_or(|rounds| round < rounds) {
        let done = connector.round().await;
        for (process, committed) in &done.settled {
            println!("process {process} was {}", if *committed { "committed" } else { "not committed" });
        }
        if done.report.ended != Ended::Idle {
            println!("{}", done.report);
        }
        // Where messages were done there may be more; after anything else somebody needs time.
        if !done.report.goes_on() {
            pause(Duration::from_secs(1)).await;
        }
        round += 1;
    }
    Ok(())
}
