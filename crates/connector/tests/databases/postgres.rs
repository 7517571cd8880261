//! PostgreSQL.

use connector::engine;
use connector::{CommitFailure, Ended, Marker};

use crate::exchange::after_rounds;
use crate::kit::{Site, TABLES, fresh_name, work};
use crate::suite::{self, Codes};

/// unique_violation and lock_not_available (55P03, which is no number).
const CODES: Codes = Codes { duplicate: 23_505, lock: None };

fn site() -> Site {
    let server = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES: cargo xtask services run");
    let schema = fresh_name();
    let plain = |connect: String| Site {
        engine: "postgres",
        connect,
        extra: String::new(),
        stock: "stock",
        end: Box::new(|| ()),
    };
    let root = plain(server.clone());
    let mut engine = engine::open(&root.settings()).expect("a server");
    engine.execute(&format!("CREATE SCHEMA {schema}"), &[]).expect("a schema");
    let site = plain(format!("{server} options='-c search_path={schema}'"));
    let mut engine = engine::open(&site.settings()).expect("a schema");
    for sql in TABLES {
        engine.execute(sql, &[]).expect(sql);
    }
    let end = move || {
        let mut engine = engine::open(&root.settings()).expect("a server");
        engine.execute(&format!("DROP SCHEMA {schema} CASCADE"), &[]).expect("no schema");
    };
    Site { end: Box::new(end), ..site }
}

#[test]
fn exc_25_exc_20_the_suite_holds() {
    suite::check_all(site, &CODES);
}

#[test]
fn exc_25_a_lock_of_others_is_a_deadlock() {
    let site = site();
    suite::a_lock_of_others_is_a_deadlock_and_only_for_its_message(&site, &CODES);
    (site.end)();
}

#[test]
fn exc_25_a_commit_that_fails_says_why() {
    let site = site();
    suite::a_commit_that_fails_says_why_and_leaves_nothing(&site);
    (site.end)();
}

#[test]
fn exc_25_a_message_whose_commit_fails_keeps_no_other() {
    let site = site();
    suite::a_message_whose_commit_fails_keeps_no_other(&site);
    (site.end)();
}

#[test]
fn exc_25_a_message_that_ends_the_connection_keeps_no_other() {
    let site = site();
    let (books, ended) = after_rounds(&site, "tell_senders = true", &[("d", "deadly"), ("a", "order")], 6);
    assert_eq!(books.done, [("a".to_owned(), "PROCESSED".to_owned())], "{ended:?}");
    assert!(books.skipped("d").is_some_and(|skipped| skipped > 0), "it waits behind the others: {books:?}");
    assert_eq!((books.told, site.count("FROM orders")), (0, 1));
    (site.end)();
}

#[test]
fn exc_25_a_statement_that_the_server_ends_comes_again_and_keeps_no_other() {
    let site = site();
    let lines = "setup = [\"SET statement_timeout = 5000\"]";
    let (books, ended) = after_rounds(&site, lines, &[("l", "long"), ("a", "order")], 1);
    assert_eq!((books.done, ended), (vec![("a".to_owned(), "PROCESSED".to_owned())], vec![Ended::Committed]));
    (site.end)();
}

#[test]
fn exc_20_a_connection_that_the_server_ends_commits_nothing() {
    let site = site();
    let mut database = site.database();
    database.work(&work("p1", &[("a", "order")])).unwrap();
    let mut other = site.other();
    let all = "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation \
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relname = 'orders' AND l.pid <> pg_backend_pid()";
    other.execute(all, &[]).unwrap();
    let failure = database.commit().unwrap_err();
    assert!(matches!(failure, CommitFailure::Undone(_) | CommitFailure::Unclear(_)), "{failure:?}");
    assert_eq!(database.marker("p1").unwrap(), Marker::Absent, "it connects again");
    assert_eq!(site.count("FROM orders"), 0);
    (site.end)();
}

#[test]
fn exc_25_statements_call_functions_and_values_become_what_their_places_are() {
    let site = site();
    let mut other = site.other();
    other.execute("CREATE TABLE typed (id uuid, made timestamptz, body jsonb, version int)", &[]).unwrap();
    let function = "CREATE FUNCTION take(a uuid, b timestamptz, c jsonb, d int) RETURNS void LANGUAGE plpgsql AS \
                    $$ BEGIN IF d > 5 THEN RAISE EXCEPTION 'too new' USING ERRCODE = '45001'; END IF; INSERT INTO typed VALUES (a, b, c, d); END $$";
    other.execute(function, &[]).unwrap();
    let mut settings = site.settings();
    settings.handlers[0].sql = vec!["SELECT take(:id, :created_at, :payload::jsonb, :version)".into()];
    let mut database = connector::Database::new(std::sync::Arc::new(settings));
    database.ready().unwrap();
    let id = "0190a5f2-0000-7000-8000-000000000001";
    let worked = database.work(&work("p1", &[(id, "order")])).unwrap();
    assert_eq!(worked.results[0].error_text, None);
    database.commit().unwrap();
    assert_eq!(site.count("FROM typed WHERE made = '2026-11-16T12:00:00Z' AND body = '\"привет\"'"), 1);
    let mut newer = work("p2", &[(id, "order")]);
    newer.messages[0].body.version = 9.into();
    let worked = database.work(&newer).unwrap();
    assert_eq!(worked.results[0].error_code, Some(45_001), "{:?}", worked.results[0]);
    database.roll_back();
    (site.end)();
}
