//! A fresh database of each kind, and messages for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use client::exchange::Message;
use connector::engine::{self, Engine};
use connector::{Blame, Database, Settings, Work};
use serde_json::json;

/// A database made for one test.
pub struct Site {
    pub engine: &'static str,
    pub connect: String,
    /// Lines before the handlers.
    pub extra: String,
    /// The table whose one row others may lock.
    pub stock: &'static str,
    /// Ends it.
    pub end: Box<dyn FnOnce()>,
}

impl Site {
    pub fn settings(&self) -> Settings {
        self.settings_with("")
    }

    /// With further lines at the top.
    pub fn settings_with(&self, lines: &str) -> Settings {
        let Site { engine, connect, extra, stock, .. } = self;
        let text = format!(
            r#"
database = "erp"
engine = "{engine}"
connect = '''{connect}'''
lock_wait_s = 1
{extra}
{lines}

[[message]]
type = "order"
sql = [
  "INSERT INTO orders (id, sender, payload, made_at) VALUES (:id, :sender, :payload, :created_at)",
  "INSERT INTO outbox (id, recipient, kind, payload, answers) VALUES ('r-' || CAST(:id AS VARCHAR(40)), :sender, 'done', :payload, :id)",
]

[[message]]
type = "torn"
sql = [
  "INSERT INTO orders (id, sender, payload, made_at) VALUES (:id, :sender, :payload, :created_at)",
  "INSERT INTO outbox (id, recipient, kind, payload, answers) VALUES ('r-' || CAST(:id AS VARCHAR(40)), :sender, 'done', '{{', :id)",
]

[[message]]
type = "twice"
sql = [
  "INSERT INTO orders (id, sender, payload, made_at) VALUES ('partial', :sender, :payload, :created_at)",
  "INSERT INTO orders (id, sender, payload, made_at) VALUES ('partial', :sender, :payload, :created_at)",
]

[[message]]
type = "take"
sql = ["UPDATE {stock} SET amount = amount - 1 WHERE id = 1"]

[[message]]
type = "nonsense"
sql = ["INSERT INTO no_such_table (id) VALUES (:id)"]

[[message]]
type = "late"
sql = ["INSERT INTO lines (id, of_order) VALUES (:id, 'no such order')"]

[[message]]
type = "deadly"
sql = ["SELECT pg_terminate_backend(pg_backend_pid())"]

[[message]]
type = "long"
sql = ["SELECT pg_sleep(60)"]

[replies]
query = "SELECT id, recipient, kind AS type, payload, answers AS reply_to FROM outbox ORDER BY id"
then = "DELETE FROM outbox WHERE id = :id"
"#
        );
        Settings::read(&text).expect("settings")
    }

    pub fn database(&self) -> Database {
        let mut database = Database::new(Arc::new(self.settings()));
        database.ready().expect("a database");
        database
    }

    /// Another connection, of somebody else.
    pub fn other(&self) -> Box<dyn Engine> {
        engine::open(&self.settings()).expect("another connection")
    }

    /// One number of a query, as others see it.
    pub fn count(&self, sql: &str) -> i64 {
        let mut other = self.other();
        other.begin().expect("a transaction");
        let rows = other.query(&format!("SELECT COUNT(*) AS many {sql}"), &[], 1).expect("a count");
        other.roll_back().expect("an end");
        rows[0]["many"].as_i64().expect("a number")
    }
}

/// The same on all three.
pub const TABLES: [&str; 5] = [
    "CREATE TABLE orders (id VARCHAR(40) NOT NULL PRIMARY KEY, sender VARCHAR(40), payload TEXT, made_at VARCHAR(40))",
    "CREATE TABLE outbox (id VARCHAR(60) NOT NULL PRIMARY KEY, recipient VARCHAR(40), kind VARCHAR(40), payload TEXT, answers VARCHAR(40))",
    "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, amount INTEGER NOT NULL)",
    "CREATE TABLE lines (id VARCHAR(40) NOT NULL PRIMARY KEY, of_order VARCHAR(40) REFERENCES orders (id) DEFERRABLE INITIALLY DEFERRED)",
    "INSERT INTO stock (id, amount) VALUES (1, 100)",
];

pub fn message(id: &str, kind: &str, payload: &str) -> Message {
    let json = json!({"version": 1, "id": id,
        "head": {"company": "c", "subsystem": "shop", "from": "phone-1", "to": "erp", "created_at": "2026-11-16T12:00:00Z"},
        "body": {"type": kind, "version": 1, "payload": payload}});
    serde_json::from_str(&json.to_string()).expect("a message")
}

pub fn work(process: &str, messages: &[(&str, &str)]) -> Work {
    let messages = messages.iter().map(|(id, kind)| message(id, kind, "привет")).collect();
    Work { process: process.to_owned(), messages, blame: Blame::default() }
}

/// A name that no other test has.
pub fn fresh_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
