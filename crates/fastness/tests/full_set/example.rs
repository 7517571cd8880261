//! The example configuration itself: its file as it is, its variables with values of this machine, and what no other machine could
//! have: addresses, folders, certificates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::parts::{Part, variable};
use crate::site::Parts;
use crate::storage;

const VARIABLES: &str = include_str!("../../../../examples/config/full.env");

/// The file that servers are started with.
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/config/full.toml")
}

/// The variables of a node: those of the example, and those that stand for something of its file.
pub fn environment(parts: &Parts, broker: &Part, folder: &Path) -> BTreeMap<String, String> {
    let secrets = secrets(parts, broker);
    let named: Vec<&str> = secrets.keys().map(String::as_str).collect();
    assert_eq!(named, example_names(), "the variables of full.env are those that the servers get");
    secrets.into_iter().chain(of_this_machine(parts, folder)).collect()
}

fn example_names() -> Vec<&'static str> {
    let lines = VARIABLES.lines().filter(|line| !line.starts_with('#'));
    let mut names: Vec<&str> = lines.map(|line| line.split_once('=').unwrap().0).collect();
    names.sort_unstable();
    names
}

fn secrets(parts: &Parts, broker: &Part) -> BTreeMap<String, String> {
    let mail = variable("FASTNESS_TEST_SMTP");
    let values = [
        ("STORE__URL", variable("FASTNESS_TEST_POSTGRES_FAULTS")),
        ("BLOBS__ACCESS_KEY", storage::KEY.to_owned()),
        ("BLOBS__SECRET_KEY", storage::SECRET.to_owned()),
        ("SENSORS__AMQP_URL", broker.url()),
        ("SENSORS__REDIS_URL", parts.redis.url()),
        ("SENSORS__CLICKHOUSE_URL", format!("{}/{}", parts.clickhouse.url(), parts.database())),
        ("MAIL__URL", format!("smtp://{mail}?tls=none")),
        ("ALERTS__WEBHOOK_URL", "http://127.0.0.1:9/alerts".to_owned()),
        ("ALERTS__WEBHOOK_SECRET", "whsec_Y2hhbmdlLW1lLWNoYW5nZS1tZS1jaGFuZ2UtbWU=".to_owned()),
    ];
    named(values)
}

/// Addresses and folders; plain HTTP, which loopback allows; a receiver on loopback; schemas beside those of other tests.
fn of_this_machine(parts: &Parts, folder: &Path) -> BTreeMap<String, String> {
    let values = [
        ("SERVER__TLS_CERTIFICATE", String::new()),
        ("SERVER__TLS_KEY", String::new()),
        ("BACKUP__DIR", folder.join("backups").display().to_string()),
        ("BLOBS__URL", format!("http://{}", parts.storage.lock().unwrap().address)),
        ("OUTBOUND__CERTIFICATES", String::new()),
        ("OUTBOUND__ALLOW_PRIVATE", "true".to_owned()),
        ("STORE__SCHEMA_PREFIX", parts.schema_prefix()),
    ];
    named(values)
}

fn named<const N: usize>(values: [(&str, String); N]) -> BTreeMap<String, String> {
    values.into_iter().map(|(name, value)| (format!("FASTNESS_{name}"), value)).collect()
}
