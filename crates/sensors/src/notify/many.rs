//! What tells of many sensors at once (SEN-13): which, and whether the client still has any of them.

use std::collections::BTreeSet;

use base::{OpError, OpResult, Tx, args, codes};
use serde::Deserialize;

use super::Told;
use crate::link::NEXT_OF_CLIENT;

#[derive(Deserialize)]
struct Body {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    sensors: Vec<String>,
}

/// The sensors that it tells of.
pub(super) fn sensors_of(body: &str) -> OpResult<Vec<String>> {
    let wrong = |error| OpError::new(codes::BDETECTED, format!("no notification of many sensors: {error}"));
    let body: Body = serde_json::from_str(body).map_err(wrong)?;
    Ok(body.data.sensors)
}

/// Whether the client has one of them (SEN-8).
pub(super) fn has_any(tx: &mut dyn Tx, told: &Told, body: &str) -> OpResult<bool> {
    let linked_from = |sensor: &str| {
        let row = tx.query_one(&NEXT_OF_CLIENT, args![&told.client, sensor])?;
        Ok(row.map(|row| row.text(0).to_owned()))
    };
    meet(&sensors_of(body)?.into_iter().collect(), linked_from)
}

/// Whether one of the sensors is linked, where `linked_from` gives the first that is linked from one on. Each goes on from where the other
/// is, so that who has few links, or none, takes few questions.
fn meet(sensors: &BTreeSet<String>, mut linked_from: impl FnMut(&str) -> OpResult<Option<String>>) -> OpResult<bool> {
    let mut next = sensors.first();
    while let Some(sensor) = next {
        match linked_from(sensor)? {
            Some(linked) if linked == *sensor => return Ok(true),
            Some(linked) => next = sensors.range(linked..).next(),
            None => return Ok(false),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: impl Iterator<Item = u32>) -> BTreeSet<String> {
        numbers.map(|number| format!("s{number:03}")).collect()
    }

    #[test]
    fn sen_8_whether_a_client_has_one_of_many_takes_no_more_questions_than_it_has_links() {
        let sensors = ids((0..200).map(|number| number * 2));
        let asked = |linked: BTreeSet<String>| {
            let mut questions = 0;
            let linked_from = |sensor: &str| {
                questions += 1;
                Ok(linked.range(sensor.to_owned()..).next().cloned())
            };
            (meet(&sensors, linked_from).unwrap(), questions)
        };
        assert_eq!(asked(BTreeSet::new()), (false, 1), "it has none at all");
        assert_eq!(asked(ids([301].into_iter())), (false, 2));
        assert_eq!(asked(ids([301, 303, 500].into_iter())), (false, 3));
        assert_eq!(asked(ids([1, 301, 302].into_iter())), (true, 3));
        assert_eq!(asked(ids([398].into_iter())), (true, 2), "the last one");
        assert_eq!(asked(ids((0..400).map(|number| number * 2 + 1))), (false, 200), "in between all of them");
    }
}
