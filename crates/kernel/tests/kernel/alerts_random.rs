//! KER-27 under random events: conditions that come and go, channels that fail in every way, kills between any two steps.

use std::collections::{BTreeMap, BTreeSet};

use base::{Row, Sql};
use proptest::prelude::*;

use crate::alert_driver::{Came, Driver, Made};

#[derive(Debug, Clone)]
enum Event {
    Open(u8),
    Close(u8),
    Acknowledge,
    Pass(i64),
    Look,
    End(Came),
    Kill,
}

fn event() -> impl Strategy<Value = Event> {
    let came = prop_oneof![Just(Came::Good), Just(Came::Refused), Just(Came::Unknown)];
    prop_oneof![
        3 => (0..4u8).prop_map(Event::Open),
        2 => (0..4u8).prop_map(Event::Close),
        1 => Just(Event::Acknowledge),
        3 => prop_oneof![1..5_000i64, 20_000..400_000i64, Just(7 * 3_600_000)].prop_map(Event::Pass),
        4 => Just(Event::Look),
        4 => came.prop_map(Event::End),
        1 => Just(Event::Kill),
    ]
}

static ALERTS: Sql = Sql::new(
    "test.alerts",
    "SELECT a.id, a.key, o.done_at, c.done_at, a.closed_at, a.kind FROM alert a \
     LEFT JOIN alert_message o ON o.id = a.opening_message LEFT JOIN alert_message c ON c.id = a.closing_message \
     WHERE a.kind <> 'alerts.channel' ORDER BY a.id LIMIT 100",
);
static OPEN_IDS: Sql = Sql::new("test.open_ids", "SELECT id FROM alert WHERE closed_at IS NULL ORDER BY id LIMIT 1");

fn happen(driver: &mut Driver, event: &Event, heard: &mut Vec<(Made, Option<Came>)>) {
    match event {
        // Two kinds, two keys each.
        Event::Open(key) => driver.open(&format!("k{key}"), &format!("kind{}", key % 2)),
        Event::Close(key) => driver.close(&format!("k{key}")),
        Event::Acknowledge => {
            if let Some(row) = driver.world.rows(&OPEN_IDS).first() {
                driver.acknowledge(row.text(0));
            }
        }
        Event::Pass(ms) => driver.pass(*ms),
        Event::Look => drop(driver.look()),
        Event::End(came) => {
            if let Some(made) = driver.in_flight.clone() {
                heard.push((made, Some(*came)));
                driver.end(*came);
            }
        }
        Event::Kill => {
            heard.extend(driver.in_flight.clone().map(|made| (made, None)));
            driver.kill();
        }
    }
}

/// All channels work and time passes until nothing is to be said but repetitions.
fn calm(driver: &mut Driver, heard: &mut Vec<(Made, Option<Came>)>) {
    for _ in 0..60 {
        while let Some(made) = driver.look() {
            heard.push((made, Some(Came::Good)));
            driver.end(Came::Good);
        }
        driver.pass(120_000);
    }
}

/// A message that a channel took goes out no more.
fn check_no_doubles(heard: &[(Made, Option<Came>)]) {
    let mut taken = BTreeSet::new();
    for (made, came) in heard {
        assert!(!taken.contains(&made.id), "{made:?} went out though a channel had taken it");
        if *came == Some(Came::Good) {
            taken.insert(made.id.clone());
        }
    }
}

/// Two messages of one kind are a pace apart.
fn check_pace(driver: &Driver) {
    static MADE: Sql = Sql::new("test.made", "SELECT kind, made_at FROM alert_message ORDER BY id LIMIT 100");
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for row in driver.world.rows(&MADE) {
        if let Some(before) = last.insert(row.text(0).to_owned(), row.int(1)) {
            assert!(row.int(1) - before >= 300_000, "{} after {} ms", row.text(0), row.int(1) - before);
        }
    }
}

fn check_all_told(rows: &[Row]) {
    for row in rows {
        let closed = row.opt_int(4).is_some();
        assert!(row.opt_int(2).is_some(), "{} {} was never told", row.text(0), row.text(1));
        assert!(!closed || row.opt_int(3).is_some(), "the end of {} {} was never told", row.text(0), row.text(1));
    }
}

fn run(events: &[Event]) {
    let (mut driver, mut heard) = (Driver::new(), vec![]);
    for event in events {
        happen(&mut driver, event, &mut heard);
        driver.world.check_invariants();
    }
    calm(&mut driver, &mut heard);
    driver.world.check_invariants();
    check_all_told(&driver.world.rows(&ALERTS));
    check_no_doubles(&heard);
    check_pace(&driver);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn ker_27_every_change_is_told_once_whatever_fails_and_whoever_is_killed(
        events in proptest::collection::vec(event(), 1..60)
    ) {
        run(&events);
    }
}
