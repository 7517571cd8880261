//! A business database of each kind: what was booked is counted, and nothing in it hides a second time.

use connector::Settings;
use connector::engine::{self, Engine};

/// A fresh database.
pub struct Books {
    pub engine: &'static str,
    pub connect: String,
    /// Lines at the top of the settings.
    pub extra: String,
    /// The table whose one row others may lock.
    pub stock: &'static str,
    pub end: Option<Box<dyn FnOnce() + Send + Sync>>,
}

/// The same on all three. No key: an order that is booked twice is there twice.
pub const TABLES: [&str; 4] = [
    "CREATE TABLE booked (id VARCHAR(40) NOT NULL)",
    "CREATE TABLE outbox (id VARCHAR(60) NOT NULL, recipient VARCHAR(60) NOT NULL, answers VARCHAR(60) NOT NULL)",
    "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, amount INTEGER NOT NULL CHECK (amount >= 0))",
    "INSERT INTO stock (id, amount) VALUES (1, 100)",
];

impl Books {
    pub fn config(&self, database: &str) -> String {
        let Self { engine, connect, extra, stock, .. } = self;
        format!(
            r#"
database = "{database}"
engine = "{engine}"
connect = '''{connect}'''
pause_s = 1
lock_wait_s = 1
{extra}

[[message]]
type = "order"
sql = [
  "INSERT INTO booked (id) VALUES (:id)",
  "INSERT INTO outbox (id, recipient, answers) VALUES ('r-' || CAST(:id AS VARCHAR(40)), :sender, :id)",
]

[[message]]
type = "take"
sql = ["UPDATE {stock} SET amount = amount - 1 WHERE id = 1", "INSERT INTO booked (id) VALUES (:id)"]

[[message]]
type = "too-much"
sql = ["INSERT INTO booked (id) VALUES (:id)", "UPDATE {stock} SET amount = amount - 1000 WHERE id = 1"]

[[message]]
type = "torn"
sql = [
  "INSERT INTO booked (id) VALUES (:id)",
  "INSERT INTO outbox (id, recipient, answers) VALUES ('r-' || CAST(:id AS VARCHAR(40)), '', :id)",
]

[[message]]
type = "nameless"
sql = ["INSERT INTO booked (id) VALUES (:id)", "INSERT INTO outbox (id, recipient, answers) VALUES ('r-nobody', '', '')"]

[replies]
query = "SELECT id, recipient, 'booked' AS type, 'да' AS payload_text, answers AS reply_to FROM outbox ORDER BY id"
then = "DELETE FROM outbox WHERE id = :id"
"#
        )
    }

    /// Somebody else's connection.
    pub fn other(&self) -> Box<dyn Engine> {
        engine::open(&Settings::read(&self.config("other")).unwrap()).unwrap()
    }

    pub fn make_tables(&self, write: impl Fn(&str) -> String) {
        let mut other = self.other();
        TABLES.iter().for_each(|sql| other.execute(&write(sql), &[]).expect(sql));
    }

    /// All that is booked, in order.
    pub fn booked(&self) -> Vec<String> {
        let rows = self.other().query("SELECT id FROM booked ORDER BY id", &[], 1_000).unwrap();
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Books {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end();
        }
    }
}
