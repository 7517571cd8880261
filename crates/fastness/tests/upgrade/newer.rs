//! A store that a program with one more step has written.

use std::process::Output;

use crate::older::steps;
use crate::place::{NAMESPACES, Place};

/// The service whose schema is newer; others of the plan come before and behind it.
const SERVICE: &str = "sensors";

/// What a newer program leaves: a table, and the record of its step.
fn step_up(place: &Place, namespace: &str) -> u32 {
    let newest = steps().iter().filter(|step| step.service == SERVICE).map(|step| step.version).max().unwrap();
    let columns = if place.is_postgres() { ", applied_at" } else { "" };
    let values = if place.is_postgres() { ", 0" } else { "" };
    let record = format!(
        "INSERT INTO schema_step (service, version, digest{columns}) VALUES ('{SERVICE}', {}, 7{values})",
        newest + 1
    );
    place.change(namespace, &format!("CREATE TABLE sensor_newer (id BIGINT PRIMARY KEY); {record}"));
    newest
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn check(place: &Place) {
    place.start().end("TERM").unwrap();
    let newest = step_up(place, "z");
    // One that this program would apply, if it touched anything.
    place.change("z", "DROP TABLE counter_minute; DELETE FROM schema_step WHERE service = 'counters' AND version = 2");
    let before = NAMESPACES.map(|namespace| (place.shape(namespace), place.rows(namespace)));

    let started = place.refused();
    let wanted =
        format!("the schema of sensors is at step {}, newer than this program, which knows {newest}", newest + 1);
    assert!(!started.status.success() && words(&started).contains(&wanted), "{}", words(&started));
    for (command, wanted) in [
        ("check", "the schema of sensors is at step"),
        ("doctor", "namespace z: the schema of sensors is newer than this program"),
    ] {
        let ran = place.run(&[command]);
        assert!(!ran.status.success() && words(&ran).contains(wanted), "{command}: {}", words(&ran));
    }
    assert_eq!(
        NAMESPACES.map(|namespace| (place.shape(namespace), place.rows(namespace))),
        before,
        "nothing was touched"
    );

    place.change("z", &format!("DELETE FROM schema_step WHERE service = '{SERVICE}' AND version = {}", newest + 1));
    place.start().end("TERM").unwrap();
}

/// One namespace alone: it is away and says why, and the others are served.
fn check_one(place: &Place) {
    place.start().end("TERM").unwrap();
    let newest = step_up(place, "main");
    let before = (place.shape("main"), place.rows("main"));
    let server = place.start();
    let ready = server.client().get("/readyz").unwrap();
    let wanted = format!("the schema of sensors is at step {}, newer than this program", newest + 1);
    assert!(server.log().contains(&wanted), "{}", server.log());
    let asked = server.client().get("/v1/main/tasks").unwrap();
    assert_eq!(asked.status, 503, "{asked:?} {ready:?}");
    let other = server.client().get("/v1/z/keys").unwrap();
    assert_eq!(other.status, 200, "{other:?}");
    server.end("TERM").unwrap();
    assert_eq!((place.shape("main"), place.rows("main")), before, "nothing was touched");
}

#[test]
fn ker_39_a_newer_store_is_refused_by_name_and_left_as_it_is() {
    check(&Place::sqlite());
    check_one(&Place::sqlite());
}

#[test]
fn ker_39_on_postgres_a_newer_store_is_refused_by_name_and_left_as_it_is() {
    check(&Place::postgres());
    check_one(&Place::postgres());
}
