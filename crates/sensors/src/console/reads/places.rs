//! The map of all doors: what follows a beginning of addresses, part by part, with how its sensors are.
//!
//! Whatever lies below a part is counted up to a bound, and then the walk jumps to the next part: every part of a level is seen
//! also where the first of them has most of a million sensors. How many are lost is known of each, since those have an index.

use base::{OpResult, Row, Sql, Tx, args};
use kernel::Query;

use crate::sensor::next_part;

/// A page of parts.
pub(in super::super) static PLACES: Query<PlacesOf, Places> = Query::new("sensor.places", places);

/// Sensors of a part that are counted.
const COUNTED_MAX: i64 = 2_000;
/// Sensors that a page looks at.
const LOOKED_AT_MAX: usize = 20_000;
/// Parts of a page.
const PARTS_MAX: usize = 60;
/// Sensors that are read at once.
const STEP: usize = 500;
/// Lost sensors that are looked at.
const LOST_MAX: usize = 10_000;
/// Behind every letter, and behind every id.
const BEHIND: char = '\u{10ffff}';

/// Which page.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct PlacesOf {
    /// What the addresses begin with.
    pub(in super::super) prefix: String,
    /// After this part; empty: from the first.
    pub(in super::super) after: String,
}

/// A page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Places {
    pub(in super::super) items: Vec<Place>,
    /// After which part the next page begins.
    pub(in super::super) next: Option<String>,
}

/// A part of addresses, and how its sensors are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Place {
    /// The beginning that these addresses share.
    pub(in super::super) address: String,
    /// Whether no further part follows.
    pub(in super::super) whole: bool,
    /// One of its sensors.
    pub(in super::super) first: String,
    pub(in super::super) open: i64,
    pub(in super::super) closed: i64,
    pub(in super::super) lost: i64,
    pub(in super::super) never: i64,
    /// Whether there are more than were counted.
    pub(in super::super) more: bool,
}

pub(super) static FROM: Sql = Sql::new(
    "sensor.places_from",
    "SELECT address, id, data, lost_since FROM sensor WHERE (address, id) > (?1, ?2) ORDER BY address, id LIMIT ?3",
);
pub(super) static LOST: Sql = Sql::new(
    "sensor.places_lost",
    "SELECT address FROM sensor WHERE lost_since IS NOT NULL ORDER BY lost_since, id LIMIT ?1",
);

impl Place {
    fn of(address: &str, part: &str, first: &str) -> Self {
        Self {
            address: part.to_owned(),
            whole: part.len() == address.len(),
            first: first.to_owned(),
            ..Self::default()
        }
    }

    /// Sensors that were counted.
    pub(in super::super) fn counted(&self) -> i64 {
        self.open + self.closed + self.lost + self.never
    }

    fn add(&mut self, row: &Row) {
        match (row.opt_int(3), row.opt_int(2)) {
            (Some(_), _) => self.lost += 1,
            (None, None) => self.never += 1,
            (None, Some(0)) => self.open += 1,
            (None, Some(_)) => self.closed += 1,
        }
    }
}

fn places(tx: &mut dyn Tx, wanted: &PlacesOf) -> OpResult<Places> {
    let mut found = walked(tx, wanted)?;
    if found.items.iter().any(|place| place.more) {
        let rows = tx.query(&LOST, args![i64::try_from(LOST_MAX).unwrap_or(i64::MAX)], LOST_MAX)?;
        for place in found.items.iter_mut().filter(|place| place.more) {
            let lost = rows.iter().filter(|row| row.text(0).starts_with(&place.address)).count();
            place.lost = place.lost.max(i64::try_from(lost).unwrap_or(i64::MAX));
        }
    }
    Ok(found)
}

fn walked(tx: &mut dyn Tx, wanted: &PlacesOf) -> OpResult<Places> {
    let mut found = Places::default();
    let mut from = if wanted.after.is_empty() { (wanted.prefix.clone(), String::new()) } else { behind(&wanted.after) };
    let mut looked_at = 0;
    while looked_at < LOOKED_AT_MAX {
        let rows = tx.query(&FROM, args![&from.0, &from.1, i64::try_from(STEP).unwrap_or(i64::MAX)], STEP)?;
        looked_at += rows.len();
        match taken(&mut found.items, &rows, &wanted.prefix) {
            Step::Jump => from = found.items.last().map(|last| behind(&last.address)).unwrap_or_default(),
            Step::End => return Ok(found),
            Step::Full => break,
            Step::On if rows.len() < STEP => return Ok(found),
            Step::On => {
                from = rows.last().map(|row| (row.text(0).to_owned(), row.text(1).to_owned())).unwrap_or_default()
            }
        }
    }
    // What was looked at last may go on: it counts as cut.
    found.items.iter_mut().last().filter(|_| looked_at >= LOOKED_AT_MAX).into_iter().for_each(|last| last.more = true);
    found.next = found.items.last().map(|last| last.address.clone());
    Ok(found)
}

/// How the walk goes on.
enum Step {
    /// With the rows that follow.
    On,
    /// Behind the last part, of which enough was counted.
    Jump,
    /// Not at all: the addresses begin otherwise.
    End,
    /// Not at all: the page is full.
    Full,
}

fn taken(items: &mut Vec<Place>, rows: &[Row], prefix: &str) -> Step {
    for row in rows {
        if !row.text(0).starts_with(prefix) {
            return Step::End;
        }
        let part = next_part(row.text(0), prefix);
        if items.last().is_none_or(|last| last.address != part) {
            if items.len() == PARTS_MAX {
                return Step::Full;
            }
            items.push(Place::of(row.text(0), part, row.text(1)));
        }
        let Some(last) = items.last_mut() else { continue };
        if last.counted() == COUNTED_MAX {
            last.more = true;
            return Step::Jump;
        }
        last.add(row);
    }
    Step::On
}

/// The place from which on nothing belongs to a part.
fn behind(part: &str) -> (String, String) {
    let goes_on = part.trim_end_matches(' ').ends_with(',');
    if goes_on { (format!("{part}{BEHIND}"), String::new()) } else { (part.to_owned(), BEHIND.to_string()) }
}

/// The parts of an address, each with the beginning up to and with it.
pub(in super::super) fn parts(address: &str) -> Vec<(&str, &str)> {
    let (mut parts, mut done) = (vec![], "");
    while done.len() < address.len() {
        let next = next_part(address, done);
        if next.len() <= done.len() {
            break;
        }
        parts.push((&address[..next.len()], address[done.len()..next.len()].trim().trim_end_matches(',')));
        done = &address[..next.len()];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_7_an_address_falls_into_its_parts() {
        let found = parts("Moscow, Russia, Svobody st. 23");
        assert_eq!(found[0], ("Moscow, ", "Moscow"));
        assert_eq!(found[1], ("Moscow, Russia, ", "Russia"));
        assert_eq!(found[2], ("Moscow, Russia, Svobody st. 23", "Svobody st. 23"));
        assert_eq!(found.len(), 3);
        assert!(parts("").is_empty());
    }

    #[test]
    fn con_7_the_walk_jumps_behind_a_part_and_not_behind_its_neighbour() {
        let (address, id) = behind("Moscow, ");
        assert!(address.as_str() > "Moscow, Russia, Zzz" && address.as_str() < "Moscow,a" && id.is_empty());
        let (address, id) = behind("room 1");
        assert!(address == "room 1" && id.as_str() > "zzzzzzzzzzzzzzzz", "room 16 follows");
    }
}
