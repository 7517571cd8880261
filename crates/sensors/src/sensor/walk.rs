//! Walks sensors along the index that fits what is looked for: by id, by address, or those that are lost in the order in which they
//! were. Each statement costs what it returns.

use base::{OpResult, Row, Sql, Tx, args};

use super::view::{SensorState, SensorView, view_columns};

pub(super) static IDS: Sql = Sql::new(
    "sensor.walk_ids",
    concat!("SELECT ", view_columns!(), " FROM sensor s WHERE s.id >= ?1 ORDER BY s.id LIMIT ?2"),
);
pub(super) static ADDRESSES: Sql = Sql::new(
    "sensor.walk_addresses",
    concat!(
        "SELECT ",
        view_columns!(),
        " FROM sensor s WHERE (s.address, s.id) > (?1, ?2) ORDER BY s.address, s.id LIMIT ?3"
    ),
);
pub(super) static FIRST_LOST: Sql = Sql::new(
    "sensor.walk_first_lost",
    concat!(
        "SELECT ",
        view_columns!(),
        " FROM sensor s WHERE s.lost_since IS NOT NULL ORDER BY s.lost_since, s.id LIMIT ?1"
    ),
);
pub(super) static LOST: Sql = Sql::new(
    "sensor.walk_lost",
    concat!(
        "SELECT ",
        view_columns!(),
        " FROM sensor s WHERE s.lost_since IS NOT NULL AND (s.lost_since, s.id) > (?1, ?2) \
         ORDER BY s.lost_since, s.id LIMIT ?3"
    ),
);

/// The smallest character of an id: what follows an id directly is that id with it.
const SMALLEST: char = '0';

/// Along what is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Along {
    /// All, by their ids.
    Ids,
    /// By their addresses.
    Addresses,
    /// Those that are lost.
    Lost,
}

impl Along {
    /// What is likely to be fewest.
    pub(super) fn of(address: &str, id: &str, state: Option<SensorState>) -> Self {
        match state {
            _ if !address.is_empty() => Self::Addresses,
            Some(SensorState::Lost) if id.is_empty() => Self::Lost,
            Some(SensorState::Lost | SensorState::Open | SensorState::Closed | SensorState::Never) | None => Self::Ids,
        }
    }

    /// At most `most` sensors: from where the prefix begins, or after a sensor that was seen.
    pub(super) fn step(self, tx: &mut dyn Tx, prefix: &str, after: Option<&Place>, most: usize) -> OpResult<Vec<Row>> {
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = match (self, after) {
            (Self::Ids, None) => tx.query(&IDS, args![prefix, limit], most),
            (Self::Ids, Some(place)) => tx.query(&IDS, args![format!("{}{SMALLEST}", place.id), limit], most),
            (Self::Addresses, None) => tx.query(&ADDRESSES, args![prefix, "", limit], most),
            (Self::Addresses, Some(place)) => tx.query(&ADDRESSES, args![&place.by, &place.id, limit], most),
            (Self::Lost, None) => tx.query(&FIRST_LOST, args![limit], most),
            (Self::Lost, Some(place)) => {
                tx.query(&LOST, args![place.by.parse::<i64>().unwrap_or(0), &place.id, limit], most)
            }
        };
        Ok(rows?)
    }

    /// Where a sensor lies on the way.
    pub(super) fn place(self, row: &Row) -> Place {
        let by = match self {
            Self::Ids => String::new(),
            Self::Addresses => row.text(1).to_owned(),
            Self::Lost => row.opt_int(6).unwrap_or(0).to_string(),
        };
        Place { id: row.text(0).to_owned(), by }
    }
}

/// A place on the way; as a cursor `id` or `id by`, because no id has a blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    id: String,
    by: String,
}

impl Place {
    pub(super) fn parse(cursor: &str) -> Self {
        let (id, by) = cursor.split_once(' ').unwrap_or((cursor, ""));
        Self { id: id.to_owned(), by: by.to_owned() }
    }

    pub(super) fn cursor(&self) -> String {
        if self.by.is_empty() { self.id.clone() } else { format!("{} {}", self.id, self.by) }
    }
}

/// Whether a sensor fits, and whether the way still leads through what was asked for.
pub(super) fn fits(view: &SensorView, (id, address): (&str, &str), state: Option<SensorState>) -> bool {
    view.id.starts_with(id) && view.address.starts_with(address) && state.is_none_or(|state| state == view.state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_1_a_cursor_leads_back_to_its_place() {
        for place in [Place { id: "a".into(), by: String::new() }, Place { id: "a".into(), by: "b c, d".into() }] {
            assert_eq!(Place::parse(&place.cursor()), place);
        }
    }

    #[test]
    fn sen_1_the_walk_takes_the_index_that_fits() {
        let lost = Some(SensorState::Lost);
        assert_eq!(Along::of("", "", None), Along::Ids);
        assert_eq!(Along::of("", "", lost), Along::Lost);
        assert_eq!(Along::of("", "a", lost), Along::Ids, "within a prefix of ids there are fewer");
        assert_eq!(Along::of("Moscow", "", lost), Along::Addresses);
    }
}
