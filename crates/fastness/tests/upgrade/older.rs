//! Stores of older schemas, and how a newer program brings them up to date.

use base::Migration;

use crate::flight::Flight;
use crate::place::{NAMESPACES, Place};

/// How each step behind the first is taken back. A new step comes with its line.
const TAKEN_BACK: &[(&str, u32, &str)] = &[
    ("counters", 2, "DROP TABLE counter_minute"),
    (
        "documents",
        2,
        "DROP TABLE doc_change; ALTER TABLE doc DROP COLUMN changes; ALTER TABLE doc_item DROP COLUMN op; \
         ALTER TABLE doc_item DROP COLUMN who",
    ),
    ("exchange", 3, "DROP INDEX exc_company_by_name; DROP INDEX exc_device_by_name; DROP INDEX exc_message_by_id"),
    ("exchange", 2, "DROP TABLE exc_packed"),
    ("folders", 3, "DROP INDEX fld_directory_by_name; DROP INDEX fld_file_by_slot"),
    (
        "folders",
        2,
        "DROP INDEX fld_version_try; \
         CREATE INDEX fld_version_try ON fld_version (client, try_us) WHERE try_us IS NOT NULL",
    ),
    ("kernel", 2, "DROP INDEX access_key_by_label"),
    ("namespaces", 3, "ALTER TABLE namespace DROP COLUMN temporary"),
    ("namespaces", 2, "DROP TABLE namespace_transfer"),
    // Of PostgreSQL alone: see `take_back`.
    ("sensors", 3, ""),
    (
        "sensors",
        2,
        "DROP TABLE sensor_life; DROP TABLE sensor_outbox; DROP INDEX sensor_attempt_batch; DROP INDEX sensor_history_batch; \
         ALTER TABLE sensor_attempt DROP COLUMN batch; ALTER TABLE sensor_history DROP COLUMN batch",
    ),
    ("tasks", 3, "DROP INDEX task_targeted"),
    ("tasks", 2, "DROP INDEX task_behind_by_id; DROP INDEX task_retried"),
    ("workflow", 2, "DROP TABLE wfl_given"),
];

/// How old a store is made.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Age {
    /// Each service lacks its newest step.
    OneStep,
    /// Each service has its first step only.
    First,
}

/// All steps of the program.
pub fn steps() -> Vec<Migration> {
    let services = fastness::services();
    let all = kernel::OWN.into_iter().chain(services.iter().map(|service| service.def));
    all.flat_map(|service| service.migrations.iter().copied()).collect()
}

/// Whether a step of all of them is missing in a store of this age.
fn is_missing(step: &Migration, all: &[Migration], age: Age) -> bool {
    let newest = all.iter().filter(|other| other.service == step.service).map(|other| other.version).max();
    step.version > 1 && (age == Age::First || Some(step.version) == newest)
}

/// Takes steps back, the newest first, until a store has that age.
fn take_back(place: &Place, namespace: &str, age: Age) {
    let all = steps();
    let mut missing: Vec<&Migration> = all.iter().filter(|step| is_missing(step, &all, age)).collect();
    missing.sort_by_key(|step| std::cmp::Reverse(step.version));
    for Migration { service, version, .. } in missing {
        let known = TAKEN_BACK.iter().find(|(of, number, _)| of == service && number == version);
        let Some((_, _, sql)) = known else { panic!("say how step {version} of {service} is taken back") };
        let forget = format!("DELETE FROM schema_step WHERE service = '{service}' AND version = {version}");
        let more =
            if place.is_postgres() && (*service, *version) == ("sensors", 3) { unfilled() } else { String::new() };
        place.change(namespace, &format!("{sql}; {more} {forget}"));
    }
}

/// Tables of sensors filled as any other.
fn unfilled() -> String {
    (0..8).map(|part| format!("ALTER TABLE sensor_{part} RESET (fillfactor); ")).collect()
}

fn check(place: &Place, age: Age) {
    let server = place.start();
    let flight = Flight::begin(&server);
    server.kill().unwrap();
    let shapes = NAMESPACES.map(|namespace| place.shape(namespace));
    for namespace in NAMESPACES {
        take_back(place, namespace, age);
    }
    let all = steps();
    let older: Vec<Migration> = all.iter().filter(|step| !is_missing(step, &all, age)).copied().collect();
    let made = place.shape_of(&older);
    for namespace in NAMESPACES {
        assert_eq!(place.shape(namespace), made, "{namespace}: what is taken back is what was never there");
    }

    let server = place.start();
    flight.go_on(&server);
    server.kill().unwrap();
    assert_eq!(NAMESPACES.map(|namespace| place.shape(namespace)), shapes, "it is as a new one");
    let checked = place.run(&["check"]);
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success() && said.contains("nothing is wrong"), "{checked:?}");
}

#[test]
fn ker_39_a_store_without_the_newest_steps_comes_up_to_date_and_what_is_in_flight_goes_on() {
    check(&Place::sqlite(), Age::OneStep);
}

#[test]
fn ker_39_a_store_of_the_first_steps_comes_up_to_date_and_what_is_in_flight_goes_on() {
    check(&Place::sqlite(), Age::First);
}

#[test]
fn ker_39_on_postgres_a_store_without_the_newest_steps_comes_up_to_date_and_what_is_in_flight_goes_on() {
    check(&Place::postgres(), Age::OneStep);
}

#[test]
fn ker_39_on_postgres_a_store_of_the_first_steps_comes_up_to_date_and_what_is_in_flight_goes_on() {
    check(&Place::postgres(), Age::First);
}
