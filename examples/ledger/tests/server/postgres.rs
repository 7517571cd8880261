//! The server on PostgreSQL: the same load, and two servers side by side.

use std::process::Command;

use serde_json::json;

use crate::load::{Writer, check_totals, open_pool};
use crate::process::{Server, command};

/// Tells a PostgreSQL of the test run.
pub(crate) struct Database {
    pub(crate) url: String,
    pub(crate) prefix: String,
}

impl Database {
    /// Schemas of its own on the server that `variable` names.
    pub(crate) fn new(variable: &str, prefix: &str) -> Self {
        let url =
            std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set: run this by `cargo xtask ci`"));
        Self { url, prefix: format!("{prefix}_{}_", std::process::id()) }
    }

    pub(crate) fn command(&self, data: &std::path::Path) -> Command {
        let mut command = command(data);
        command.env("FASTNESS_STORE__ENGINE", "postgres").env("FASTNESS_STORE__URL", &self.url);
        command.env("FASTNESS_STORE__SCHEMA_PREFIX", &self.prefix).env("FASTNESS_STORE__WORKERS", "4");
        command
    }
}

#[test]
fn ker_10_repeats_and_totals_hold_on_postgresql_with_two_servers() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new("FASTNESS_TEST_POSTGRES", "two");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let servers = [Server::spawn(database.command(&one), &one), Server::spawn(database.command(&two), &two)];
    open_pool(&servers[0]);
    let mut writers: Vec<Writer> = (0..6).map(|number| Writer::new(format!("w{number}"))).collect();
    std::thread::scope(|scope| {
        for (number, writer) in writers.iter_mut().enumerate() {
            let mut client = servers[number % 2].client();
            scope.spawn(move || {
                for _ in 0..60 {
                    let answer = writer.ask(&mut client).expect("an answer");
                    assert!(matches!(answer.status, 200 | 409), "{answer:?}");
                }
            });
        }
    });
    // Everything again, through the other server.
    for (number, writer) in writers.iter_mut().enumerate() {
        writer.settle(&servers[(number + 1) % 2]);
    }
    check_totals(&servers[1], &writers);
    for server in servers {
        assert!(server.end("TERM").0.success());
    }
}

#[test]
fn ker_30_readyz_names_the_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = Server::spawn(Database::new("FASTNESS_TEST_POSTGRES", "ready").command(&data), &data);
    let ready = server.client().get("/readyz").expect("an answer");
    assert_eq!((ready.status, &ready.body["namespaces"][0]["engine"]), (200, &json!("postgres")));
}
