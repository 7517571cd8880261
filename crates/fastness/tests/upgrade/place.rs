//! A server's data on one of the engines, while the server is stopped: every statement here is run beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use base::{Migration, Store};
use host::{OsEntropy, RealClock};
use kill::postgres::{Database, SHARED};
use kill::server::{Launch, Server};
use rusqlite::Connection;
use store_postgres::{PostgresConfig, PostgresStore};
use store_sqlite::InlineStore;
use tempfile::TempDir;
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// The namespaces of a new server.
pub const NAMESPACES: [&str; 2] = ["z", "main"];

/// Where a server lives, and how it is started there.
pub struct Place {
    folder: TempDir,
    pub launch: Launch,
    database: Option<Database>,
}

impl Place {
    pub fn sqlite() -> Self {
        Self::of(None)
    }

    pub fn postgres() -> Self {
        Self::of(Some(Database::new(SHARED, "upgrade").unwrap()))
    }

    fn of(database: Option<Database>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch =
            Launch::new(program(), &folder.path().join("data")).env("FASTNESS_OUTBOUND__ALLOW_PRIVATE", "true");
        let launch = match &database {
            Some(database) => database.launch(launch),
            None => launch,
        };
        Self { folder, launch, database }
    }

    pub fn is_postgres(&self) -> bool {
        self.database.is_some()
    }

    pub fn start(&self) -> Server {
        self.launch.start().unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Another command of the program on the same data.
    pub fn run(&self, words: &[&str]) -> Output {
        self.launch.other_command(words).output().unwrap()
    }

    /// A start that must fail, as it ends.
    pub fn refused(&self) -> Output {
        let mut command: Command = self.launch.command();
        command.output().unwrap()
    }

    fn file(&self, namespace: &str) -> PathBuf {
        self.launch.data().join("namespaces").join(namespace).join("store.db")
    }

    /// Runs statements in the store of a namespace.
    pub fn change(&self, namespace: &str, sql: &str) {
        match &self.database {
            None => Connection::open(self.file(namespace)).unwrap().execute_batch(sql).unwrap(),
            Some(database) => drop(in_schema(database, namespace, sql)),
        }
    }

    /// The texts that a statement gives, a row each.
    pub fn texts(&self, namespace: &str, sql: &str) -> Vec<String> {
        match &self.database {
            None => texts_of(&self.file(namespace), sql),
            Some(database) => in_schema(database, namespace, sql),
        }
    }

    /// Tables with their columns, and indices with theirs.
    pub fn shape(&self, namespace: &str) -> Vec<String> {
        self.texts(namespace, if self.is_postgres() { POSTGRES_SHAPE } else { SQLITE_SHAPE })
    }

    /// The shape of a store that these steps made from nothing.
    pub fn shape_of(&self, plan: &[Migration]) -> Vec<String> {
        let clock = Arc::new(RealClock::new());
        let Some(database) = &self.database else {
            let file = self.folder.path().join("fresh.db");
            let store = InlineStore::open(&file, clock).unwrap();
            store.migrate(plan).unwrap();
            store.close();
            return texts_of(&file, SQLITE_SHAPE);
        };
        let schema = format!("{}fresh", database.prefix);
        let config = PostgresConfig::new(database.url.clone(), schema);
        let store = PostgresStore::open(config, clock, Arc::new(OsEntropy)).unwrap();
        store.migrate(plan).unwrap();
        store.close();
        in_schema(database, "fresh", POSTGRES_SHAPE)
    }

    /// All rows of all tables, but for those that every start writes.
    pub fn rows(&self, namespace: &str) -> BTreeMap<String, Vec<String>> {
        let names = self.texts(namespace, if self.is_postgres() { POSTGRES_TABLES } else { SQLITE_TABLES });
        let own = ["store_meta", "schema_lock", "heard"];
        let names = names.into_iter().filter(|name| !own.contains(&name.as_str()));
        names.map(|name| (name.clone(), self.rows_of(namespace, &name))).collect()
    }

    fn rows_of(&self, namespace: &str, table: &str) -> Vec<String> {
        if self.is_postgres() {
            return self.texts(namespace, &format!("SELECT CAST(t AS TEXT) FROM {table} t ORDER BY 1"));
        }
        let columns = self.texts(namespace, &format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid"));
        let columns: Vec<String> = columns.iter().map(|name| format!("quote(\"{name}\")")).collect();
        self.texts(namespace, &format!("SELECT {} FROM {table} ORDER BY 1", columns.join(" || ' ' || ")))
    }
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fastness"))
}

const SQLITE_TABLES: &str =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1";
const POSTGRES_TABLES: &str = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1";

const SQLITE_SHAPE: &str = "SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' ' || c.pk FROM sqlite_master m, \
    pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' UNION ALL \
    SELECT m.name || ' on ' || m.tbl_name || ' ' || c.seqno || ' ' || COALESCE(c.name, '') FROM sqlite_master m, \
    pragma_index_info(m.name) c WHERE m.type = 'index' ORDER BY 1";
const POSTGRES_SHAPE: &str = "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable \
    FROM information_schema.columns WHERE table_schema = current_schema() UNION ALL \
    SELECT replace(indexdef, schemaname || '.', '') FROM pg_indexes WHERE schemaname = current_schema() UNION ALL \
    SELECT relname || ' ' || COALESCE(CAST(reloptions AS TEXT), '') FROM pg_class WHERE relkind = 'r' \
    AND relnamespace = CAST(current_schema() AS regnamespace) ORDER BY 1";

fn texts_of(file: &Path, sql: &str) -> Vec<String> {
    let store = Connection::open(file).unwrap();
    let mut statement = store.prepare(sql).unwrap();
    let texts = statement.query_map([], |row| row.get(0)).unwrap();
    texts.collect::<Result<_, _>>().unwrap()
}

/// The first column of what comes of statements in a schema.
fn in_schema(database: &Database, namespace: &str, sql: &str) -> Vec<String> {
    let text = format!("SET search_path TO \"{}{namespace}\"; {sql}", database.prefix);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answers = runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&database.url, NoTls).await.unwrap();
        let driven = tokio::spawn(connection);
        let answers = client.simple_query(&text).await.unwrap();
        drop(client);
        driven.await.unwrap().unwrap();
        answers
    });
    let text = |answer| match answer {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or("").to_owned()),
        _ => None,
    };
    answers.into_iter().filter_map(text).collect()
}
