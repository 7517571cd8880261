//! `check` and `doctor` on PostgreSQL (KER-37).

use kill::load::open_pool;
use kill::postgres::{Database, SHARED};

use crate::backup::{fastness, text};
use crate::launch;

#[test]
fn ker_37_check_and_doctor_look_into_postgresql() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let database = Database::new(SHARED, "chk").expect("a database");
    let server = database.launch(launch(&data)).start().expect("a server");
    open_pool(&server).expect("a pool");
    server.end("TERM").expect("an end");
    let pair = |name: &str, value: &str| (format!("FASTNESS_STORE__{name}"), value.to_owned());
    let environment = [pair("ENGINE", "postgres"), pair("URL", &database.url), pair("SCHEMA_PREFIX", &database.prefix)];
    let data = data.to_str().expect("text");
    let good = fastness(&["check", "--data", data], &environment);
    assert!(good.status.success() && text(&good).contains(&database.schema()), "{}", text(&good));
    let seen = fastness(&["doctor", "--data", data, "--listen", "127.0.0.1:0"], &environment);
    assert!(text(&seen).contains("ok      PostgreSQL 1"), "{}", text(&seen));
}
