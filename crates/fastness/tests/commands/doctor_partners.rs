//! `fastness doctor` at real servers: they let us in, and with a wrong password they do not (KER-37). Needs `cargo xtask services run`.

use crate::doctor::{finds, lines};

/// Where a server is, as the services tell.
fn address(name: &str) -> String {
    std::env::var(name).expect("run by `cargo xtask services run`")
}

/// The same with a user whom nobody knows.
fn stranger(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").expect("a URL");
    format!("{scheme}://stranger:wrong@{}", rest.rsplit('@').next().unwrap_or(rest))
}

/// Asks with the server's own URL, then as a stranger.
fn asked(key: &str, url: &str, name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let said = lines(&data, &[(key, url)]);
    let is_there = |line: &&serde_json::Value| line["what"].as_str().is_some_and(|what| what.contains(name));
    let line = said.iter().find(is_there).unwrap_or_else(|| panic!("no line of {name}: {said:#?}"));
    assert_eq!(line["state"], "ok", "{line}");
    finds(&data, &[(key, &stranger(url))], "bad", &format!("{name} cannot be used"));
}

#[test]
fn ker_37_doctor_tells_whether_redis_lets_us_in() {
    asked("FASTNESS_SENSORS__REDIS_URL", &address("FASTNESS_TEST_REDIS"), "Redis");
}

#[test]
fn ker_37_doctor_tells_whether_clickhouse_lets_us_in() {
    asked("FASTNESS_SENSORS__CLICKHOUSE_URL", &address("FASTNESS_TEST_CLICKHOUSE"), "ClickHouse");
}

#[test]
fn ker_37_doctor_tells_whether_rabbitmq_lets_us_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, key) = (folder.path().join("data"), "FASTNESS_SENSORS__AMQP_URL");
    let url = address("FASTNESS_TEST_RABBITMQ");
    let said = lines(&data, &[(key, &url)]);
    assert!(said.iter().any(|line| line["what"].as_str().is_some_and(|what| what.contains("the broker is there"))));
    finds(&data, &[(key, &stranger(&url))], "bad", "the broker cannot be used");
}

#[test]
fn ker_37_doctor_tells_whether_the_smtp_server_lets_us_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let url = format!("smtp://{}", address("FASTNESS_TEST_SMTP"));
    let from = ("FASTNESS_MAIL__FROM", "fastness@example.org");
    let said = lines(&data, &[("FASTNESS_MAIL__URL", &url), from]);
    let is_there =
        |line: &serde_json::Value| line["what"].as_str().is_some_and(|what| what.contains("the mail server is there"));
    assert!(said.iter().any(is_there), "{said:#?}");
    finds(&data, &[("FASTNESS_MAIL__URL", &stranger(&url)), from], "bad", "the mail server cannot be used");
}
