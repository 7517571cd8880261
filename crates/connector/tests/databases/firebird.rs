//! Firebird.

use std::process::Command;

use connector::engine;
use connector::{CommitFailure, Marker};

use crate::kit::{Site, TABLES, fresh_name, work};
use crate::suite::{self, Codes};

/// gdscodes of unique_key_violation and of deadlock, which is also what a lock is that does not go away in time.
const CODES: Codes = Codes { duplicate: 335_544_665, lock: Some(335_544_336) };

fn site() -> Site {
    let server = std::env::var("FASTNESS_TEST_FIREBIRD").expect("FASTNESS_TEST_FIREBIRD: cargo xtask services run");
    let connect = format!("{server}/{}.fdb", fresh_name());
    let mut builder = rsfbclient::builder_pure_rust();
    let made = builder.from_string(&connect).expect("an address").create_database().expect("a database");
    made.close().expect("an end");
    let site = Site {
        engine: "firebird",
        connect: connect.clone(),
        extra: String::new(),
        stock: "stock",
        end: Box::new(|| ()),
    };
    let mut engine = engine::open(&site.settings()).expect("a database");
    for sql in TABLES {
        // No text without a length, and nothing is checked late.
        let sql =
            sql.replace("TEXT", "BLOB SUB_TYPE TEXT CHARACTER SET UTF8").replace("DEFERRABLE INITIALLY DEFERRED", "");
        engine.execute(&sql, &[]).expect(&sql);
    }
    let end = move || {
        let mut builder = rsfbclient::builder_pure_rust();
        let last = builder.from_string(&connect).expect("an address").connect().expect("a database");
        last.drop_database().expect("no database");
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
fn exc_25_procedures_and_their_exceptions() {
    let site = site();
    let mut other = site.other();
    other.execute("CREATE EXCEPTION no_stock 'there is none'", &[]).unwrap();
    let procedure = "CREATE PROCEDURE take_order (id VARCHAR(40), made TIMESTAMP, version INTEGER) AS BEGIN \
                     INSERT INTO orders (id, made_at) VALUES (:id, :made); IF (version > 5) THEN EXCEPTION no_stock; END";
    other.execute(procedure, &[]).unwrap();
    let mut settings = site.settings();
    settings.handlers[0].sql = vec!["EXECUTE PROCEDURE take_order(:id, :created_at, :version)".into()];
    let mut database = connector::Database::new(std::sync::Arc::new(settings));
    database.ready().unwrap();
    let mut both = work("p1", &[("a", "order"), ("b", "order")]);
    both.messages[1].body.version = 9.into();
    let worked = database.work(&both).unwrap();
    assert_eq!(worked.results[0].error_text, None);
    assert_eq!(worked.results[1].error_code, Some(335_544_517), "{:?}", worked.results[1]);
    assert!(worked.results[1].error_text.as_ref().is_some_and(|text| text.contains("there is none")));
    database.commit().unwrap();
    assert_eq!(site.count("FROM orders WHERE made_at STARTING WITH '2026-11-16 12:00:00'"), 1);
    drop((database, other));
    (site.end)();
}

/// Firebird is killed between the work and the commit: nobody knows, until it is back and the marker tells.
#[test]
fn exc_20_a_killed_server_leaves_no_doubt_behind() {
    let site = site();
    let mut database = site.database();
    database.work(&work("p1", &[("a", "order")])).unwrap();
    control("kill");
    let failure = database.commit().unwrap_err();
    assert!(matches!(failure, CommitFailure::Unclear(_)), "{failure:?}");
    assert!(database.marker("p1").is_err(), "while it is away nobody knows");
    control("start");
    assert_eq!(database.marker("p1").unwrap(), Marker::Absent);
    database.work(&work("p2", &[("a", "order")])).unwrap();
    database.commit().unwrap();
    control("kill");
    control("start");
    assert_eq!(database.marker("p2").unwrap(), Marker::Present, "what was committed survives");
    assert_eq!(site.count("FROM orders"), 1);
    drop(database);
    (site.end)();
}

fn control(word: &str) {
    let control = std::env::var("FASTNESS_TEST_FIREBIRD_CTL").expect("FASTNESS_TEST_FIREBIRD_CTL");
    assert!(Command::new(control).arg(word).status().expect("the control file").success(), "{word}");
}
