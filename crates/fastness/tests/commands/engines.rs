//! A server whose engine was changed does not begin anew beside what it has (KER-36, KER-37).

use kill::postgres::{Database, SHARED};
use kill::server::Launch;

use crate::doctor::{finds, lines};
use crate::kit::{Kit, bare, program, ran};

#[test]
fn ker_36_ker_37_a_server_on_sqlite_is_not_left_behind_for_an_empty_one_postgres() {
    let database = Database::new(SHARED, "engines").expect("a database");
    let Kit { server, folder } = Kit::start();
    let data = folder.path().join("data");
    drop(server);
    let settings = [
        ("FASTNESS_STORE__ENGINE", "postgres"),
        ("FASTNESS_STORE__URL", database.url.as_str()),
        ("FASTNESS_STORE__SCHEMA_PREFIX", database.prefix.as_str()),
    ];
    let part = "but store.engine is postgres";
    let mut serve = bare();
    serve.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data).envs(settings);
    let refused = ran(&mut serve, "");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.err.contains(part)
            && refused.err.contains("what to do: to go on there with what is here, run `fastness admin change-engine"),
        "{refused:?}"
    );
    finds(&data, &settings, "bad", part);
    // One that began elsewhere is not held up by what lies in the directory, and neither is its next start here.
    let begun = database.launch(Launch::new(program(), &folder.path().join("other"))).start().expect("a server");
    drop(begun);
    let told = |line: &serde_json::Value| line["what"].as_str().is_some_and(|what| what.contains(part));
    assert!(!lines(&data, &settings).iter().any(told));
    database.launch(Launch::new(program(), &data)).start().expect("a server");
}
