//! The server on PostgreSQL: the same load, and two servers side by side.

use kill::load::{Plan, Told, Writer, open_pool};
use kill::postgres::{Database, SHARED};
use serde_json::json;

use crate::{check_all_done, launch};

#[test]
fn ker_10_repeats_and_totals_hold_on_postgresql_with_two_servers() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "two").expect("a database");
    let server = |name: &str| database.launch(launch(&folder.path().join(name))).start().expect("a server");
    let servers = [server("one"), server("two")];
    open_pool(&servers[0]).expect("a pool");
    let mut writers = Writer::several(6, Plan::PLAIN);
    std::thread::scope(|scope| {
        for (number, writer) in writers.iter_mut().enumerate() {
            let mut client = servers[number % 2].client();
            scope.spawn(move || {
                for _ in 0..60 {
                    let told = writer.ask(&mut client).expect("no contradiction");
                    assert!(matches!(&told, Told::Answer(answer) if matches!(answer.status, 200 | 409)), "{told:?}");
                }
            });
        }
    });
    // Everything again, through the other server.
    for (number, writer) in writers.iter_mut().enumerate() {
        writer.settle(&servers[(number + 1) % 2]).expect("each is known in the end");
    }
    check_all_done(&servers[1], &writers);
    for server in servers {
        assert!(server.end("TERM").expect("an end").0.success());
    }
}

#[test]
fn ker_30_readyz_names_the_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "ready").expect("a database");
    let server = database.launch(launch(&folder.path().join("data"))).start().expect("a server");
    let ready = server.client().get("/readyz").expect("an answer");
    assert_eq!((ready.status, &ready.body["namespaces"][0]["engine"]), (200, &json!("postgres")));
}

#[test]
fn ker_12_where_one_server_is_allowed_a_second_on_the_same_postgresql_refuses_to_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "alone").expect("a database");
    let alone = |name: &str| {
        let launch = database.launch(launch(&folder.path().join(name)));
        launch.env("FASTNESS_STORE__NODES", "one").env("FASTNESS_TASKS__LEASE", "3s")
    };
    let first = alone("one").start().expect("a server");
    let refused = format!("{:#}", alone("two").start().err().expect("a second one is refused"));
    assert!(refused.contains("another server") && refused.contains("store.nodes"), "{refused}");
    assert_eq!(first.client().get("/readyz").expect("an answer").status, 200);
    first.kill().expect("a running server");
    let second = alone("two").start().expect("it follows the killed one when its lease is over");
    assert!(second.end("TERM").expect("an end").0.success());
    let third = alone("one").start().expect("what was given back is free");
    assert!(!third.log().contains("waiting for its end"), "{}", third.log());
}
