//! ClickHouse has every signal that was acknowledged, once, read there by hand.

use std::collections::BTreeMap;

use crate::clickhouse;
use crate::load::Done;
use crate::load::signals::{FLOOD, TALKER, flood};
use crate::site::{Site, wait_until};

pub fn check(site: &Site, done: &Done) {
    // As many rows as move at once, so that nobody waits for the minute.
    flood(site);
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    expected.extend(done.said.iter().chain(&done.published).map(|(sensor, many)| (sensor.clone(), *many)));
    expected.insert(TALKER.to_owned(), 2 * FLOOD.unsigned_abs());
    wait_until(&format!("ClickHouse has {expected:?}"), || counts(site, "") == expected);
    expected.insert(TALKER.to_owned(), 1);
    assert_eq!(counts(site, "AND changed = 1"), expected, "changes of each sensor");
}

/// Rows of each sensor; those that were written twice are one, as they are for whoever reads the history.
fn counts(site: &Site, and: &str) -> BTreeMap<String, u64> {
    let sql = format!(
        "SELECT sensor_id, count() FROM {}.sensor_history FINAL WHERE namespace = 'main' {and} GROUP BY sensor_id",
        site.parts.database()
    );
    let answer = clickhouse::ask(&site.parts.clickhouse.url(), &sql);
    let rows = answer.lines().map(|line| line.split_once('\t').unwrap());
    rows.map(|(sensor, many)| (sensor.to_owned(), many.parse().unwrap())).collect()
}
