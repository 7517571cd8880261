//! A connector between a server that follows a script and a file of SQLite.

use std::path::{Path, PathBuf};

use client::Client;
use connector::{Connector, Report, Settings};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::server::{Say, Script};

const TABLES: &str = "CREATE TABLE booked (id TEXT); CREATE TABLE late (of TEXT REFERENCES keys (id) DEFERRABLE INITIALLY DEFERRED); \
                      CREATE TABLE keys (id TEXT PRIMARY KEY); CREATE TABLE filler (content BLOB);";

/// What is done with messages. Those that use `side` need a file of that name beside.
const HANDLERS: &str = r#"
[[message]]
type = "order"
sql = ["INSERT INTO booked (id) VALUES (:id)"]

[[message]]
type = "late"
sql = ["INSERT INTO late (of) VALUES ('nothing')"]

[[message]]
type = "slow"
sql = ["WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000000) SELECT COUNT(*) FROM n"]

[[message]]
type = "large"
sql = ["INSERT INTO booked (id) VALUES (:id || hex(zeroblob(20000)))"]

[[message]]
type = "side"
sql = ["INSERT INTO side.extra (id) VALUES (:id)"]
"#;

pub struct Site {
    pub folder: TempDir,
    file: PathBuf,
    pub script: Script,
    pub connector: Connector,
}

pub fn site(says: Vec<Say>) -> Site {
    site_with("patience_s = 30", says)
}

pub fn site_with(lines: &str, says: Vec<Say>) -> Site {
    site_in("erp.db", |_| lines.to_owned(), says)
}

/// A site with a second file, of which statements speak as `side`, and with more statements for each connection.
pub fn site_beside(name: &str, setup: &str, says: Vec<Say>) -> Site {
    let lines = |folder: &Path| {
        let side = folder.join("side.db");
        Connection::open(&side).unwrap().execute_batch("CREATE TABLE extra (id TEXT);").unwrap();
        format!("setup = [\"ATTACH '{}' AS side\"{setup}]", side.display())
    };
    site_in(name, lines, says)
}

/// With a file of this name; the lines are those of its settings.
fn site_in(name: &str, lines: impl FnOnce(&Path) -> String, says: Vec<Say>) -> Site {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    Connection::open(&file).unwrap().execute_batch(TABLES).unwrap();
    let text = format!(
        "database = 'erp'\nengine = 'sqlite'\nconnect = '{}'\nlock_wait_s = 1\n{}\n{HANDLERS}",
        file.display(),
        lines(folder.path())
    );
    let script = Script::start(says);
    let client = Client::new(&script.url, "main", "key").unwrap();
    let connector = Connector::new(client, Settings::read(&text).unwrap());
    Site { folder, file, script, connector }
}

impl Site {
    pub fn round(&mut self) -> Report {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let round = runtime.block_on(self.connector.round());
        assert_eq!((round.trouble.len(), round.open.len()), (0, 0), "{round:?}");
        round.report
    }

    /// Another connection to the file.
    pub fn other(&self) -> Connection {
        Connection::open(&self.file).unwrap()
    }

    pub fn count(&self, table: &str) -> i64 {
        self.other().query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

pub fn started(process: &str, messages: &[(&str, &str)]) -> Say {
    let message = |(id, kind): &(&str, &str)| {
        json!({"version": 1, "id": id,
            "head": {"company": "c", "subsystem": "s", "from": "phone", "to": "erp", "created_at": "2026-11-16T12:00:00Z"},
            "body": {"type": kind, "version": 1, "payload": {}}})
    };
    let messages: Vec<_> = messages.iter().map(message).collect();
    Say::Yes(json!({"status": "OK", "process": process, "messages": messages}).to_string())
}

pub fn say(status: &str) -> Say {
    Say::Yes(json!({ "status": status }).to_string())
}

/// A process that is over.
pub fn ended(outcome: &str) -> Say {
    Say::Yes(json!({ "state": "ENDED", "outcome": outcome }).to_string())
}

/// A list of processes.
pub fn listed(processes: &[&str]) -> Say {
    let items: Vec<_> = processes.iter().map(|id| json!({ "id": id })).collect();
    Say::Yes(json!({ "items": items, "next": null }).to_string())
}
