//! Two lists of the same rows become one: each row once, in order, no longer than asked for.

use super::row::{HistoryRow, TryRow};

/// What the store had and what the archive had, both newest first.
pub(super) fn history(mut rows: Vec<HistoryRow>, archived: Vec<HistoryRow>, limit: u32) -> Vec<HistoryRow> {
    rows.extend(archived);
    rows.sort_by_key(|row| std::cmp::Reverse(row.place()));
    rows.dedup_by_key(|row| row.place());
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    rows
}

/// The same of tries, in order of event and number. Where both have one, the store's counts: it may have ended meanwhile.
pub(super) fn tries(mut rows: Vec<TryRow>, archived: Vec<TryRow>) -> Vec<TryRow> {
    rows.extend(archived);
    rows.sort_by_key(TryRow::key);
    rows.dedup_by_key(|row| row.key());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Id, Wall};
    use proptest::prelude::*;

    fn row((at, chance): (i64, u8)) -> HistoryRow {
        HistoryRow {
            id: Id::new(Wall(1), [chance; 10]),
            sensor_id: "a".into(),
            address: String::new(),
            data: 1,
            previous: None,
            changed: true,
            at: Wall(at),
            taken_at: Wall(at),
        }
    }

    fn newest_first(mut rows: Vec<HistoryRow>) -> Vec<HistoryRow> {
        rows.sort_by_key(|row| std::cmp::Reverse(row.place()));
        rows
    }

    proptest! {
        #[test]
        fn sen_11_each_row_is_shown_once_wherever_it_lies(
            rows in proptest::collection::btree_set((0_i64..20, any::<u8>()), 0..30), parts in proptest::collection::vec(1_u8..4, 30), limit in 1_u32..10,
        ) {
            let all: Vec<_> = rows.into_iter().map(row).collect();
            let part = |mask: u8| {
                let here = all.iter().zip(&parts).filter(|(_, part)| **part & mask > 0).map(|(row, _)| row.clone());
                let mut here = newest_first(here.collect());
                here.truncate(limit as usize);
                here
            };
            let mut expected = newest_first(all.clone());
            expected.truncate(limit as usize);
            prop_assert_eq!(history(part(1), part(2), limit), expected);
        }
    }

    #[test]
    fn sen_11_a_try_that_is_in_both_places_is_the_stores() {
        let begun = TryRow {
            client_id: "c".into(),
            seq: 1,
            number: 1,
            at: Wall(5),
            status: None,
            latency_ms: None,
            error: None,
        };
        let ended = TryRow { status: Some(200), ..begun.clone() };
        let second = TryRow { number: 2, ..begun.clone() };
        assert_eq!(tries(vec![second.clone(), ended.clone()], vec![begun]), [ended, second]);
    }
}
