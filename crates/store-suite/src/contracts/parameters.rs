//! Values and parameters: one text means the same on every engine.

use base::{Cell, Outcome, Row, StoreError, StoreResult, Tx, Value, Verdict, args};

use crate::fixture::Fixture;
use crate::tables::{self, integers, prepared};
use crate::work::{change, look, work};

const TEXTS: &[&str] = &[
    "",
    " ",
    "Grüße, 日本語, 🦀, e\u{301}",
    "it's ?1 and \"$1\" -- and \\ % _ {text}",
    "\u{1}\u{7f}\u{fffd}\u{10ffff}\r\n\t",
];

/// A value that an engine changes on the way (an integer cut to 32 bits, a float through text, bytes through an escape)
/// breaks versions, amounts and hashes, and shows only with the rare value.
pub fn every_value_comes_back(fixture: &dyn Fixture) {
    let integers = [0, 1, -1, i64::MIN, i64::MAX, i64::from(i32::MAX) + 1].map(|value| [Cell::Int(value)]);
    let reals = [0.0, 0.1, -1.5, 3.0, 1e300, 5e-324, f64::MAX, f64::MIN].map(|value| [Cell::Real(value)]);
    let texts = TEXTS.iter().map(|text| [Cell::Text((*text).to_owned())]);
    let long = [Cell::Text("ä".repeat(100_000))];
    let all_bytes: Vec<u8> = (0..=255).collect();
    let blobs = [vec![], all_bytes.clone(), all_bytes.repeat(4_096)].map(|bytes| [Cell::Blob(bytes)]);
    let cells = integers.into_iter().chain(reals).chain(texts).chain([long]).chain(blobs);
    comes_back(fixture, cells.flatten().collect());
}

/// Writes each cell into the column of its type, by a row of its own.
fn comes_back(fixture: &dyn Fixture, cells: Vec<Cell>) {
    let store = prepared(fixture);
    for (id, cell) in (0i64..).zip(cells) {
        let (written, column) = (cell.clone(), column_of(&cell));
        change(store.as_ref(), move |tx| {
            let mut row = [Value::Int(id), Value::Null, Value::Null, Value::Null, Value::Null];
            row[column + 1] = as_value(&written);
            tx.execute(&tables::VALUE_INSERT, &row).map(drop)
        });
        let row = look(store.as_ref(), move |tx| tx.query_one(&tables::VALUE_GET, args![id])).expect("the row");
        assert!(row.0[column] == cell, "{} became {}", shown(&cell), shown(&row.0[column]));
    }
}

fn column_of(cell: &Cell) -> usize {
    match cell {
        Cell::Null | Cell::Int(_) => 0,
        Cell::Real(_) => 1,
        Cell::Text(_) => 2,
        Cell::Blob(_) => 3,
    }
}

fn as_value(cell: &Cell) -> Value<'_> {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(value) => Value::from(*value),
        Cell::Real(value) => Value::from(*value),
        Cell::Text(text) => Value::from(text),
        Cell::Blob(bytes) => Value::from(bytes.as_slice()),
    }
}

/// The beginning of a cell: a mebibyte helps nobody.
fn shown(cell: &Cell) -> String {
    format!("{cell:?}").chars().take(200).collect()
}

/// A missing value is not an empty one, and an engine that is not told a type must still take it in every column.
pub fn every_column_holds_nothing(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| {
        tx.execute(&tables::VALUE_INSERT, args![1, None::<i64>, None::<f64>, None::<&str>, None::<&[u8]>])?;
        tx.execute(&tables::VALUE_INSERT, args![2, 0, 0.0, "", b""]).map(drop)
    });
    let (row, empty) = look(store.as_ref(), |tx| {
        let row = tx.query_one(&tables::VALUE_GET, args![1])?.expect("the row");
        Ok((row, integers(&tx.query(&tables::VALUE_EMPTY, args![], 9)?)))
    });
    assert_eq!(row.0, [Cell::Null, Cell::Null, Cell::Null, Cell::Null]);
    assert_eq!(empty, [1], "empty values are not nothing");
}

/// SQLite reads `$2, $1` as names in order of first use; with `?n` the number must decide on every engine, also where
/// one parameter is used twice and where `?1` is the beginning of `?10`.
pub fn parameters_go_by_number_not_by_place(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| {
        tx.execute(&tables::VALUE_INSERT_BACKWARDS, args![b"blob", "text", 0.5, 7, 1])?;
        (2..=13).try_for_each(|id| tx.execute(&tables::VALUE_INSERT, args![id, id * 10, 0.0, "", b""]).map(drop))
    });
    let [found, around, among] = look(store.as_ref(), |tx| {
        Ok([
            integers(&tx.query(&tables::VALUE_FIND, args![7, 0.5, "text", b"blob"], 99)?),
            integers(&tx.query(&tables::VALUE_AROUND, args![60, 40, 20], 99)?),
            integers(&tx.query(&tables::VALUE_IN, args![2, 102, 103, 104, 105, 106, 107, 108, 109, 10, 11, 12], 99)?),
        ])
    });
    assert_eq!(found, [1], "?5 … ?1 in the places 1 … 5");
    assert_eq!(around, [2, 5, 6], "20 is below 40, 50 between 40 and 60, and 60 itself");
    assert_eq!(among, [2, 10, 11, 12], "?1 and ?10 … ?12 are different parameters");
}

/// Pages and cursors go by text order; an engine that sorts by a language's rules would skip or repeat rows.
pub fn text_is_ordered_by_bytes(fixture: &dyn Fixture) {
    const WORDS: [&str; 9] = ["a", "Z", "ä", "z", "A", "aa", "a b", "é", "🦀"];
    let store = prepared(fixture);
    change(store.as_ref(), |tx| {
        WORDS.iter().try_for_each(|word| tx.execute(&tables::WORD_INSERT, args![*word]).map(drop))
    });
    let (all, range) = look(store.as_ref(), |tx| {
        Ok((tx.query(&tables::WORD_ALL, args![], 99)?, tx.query(&tables::WORD_RANGE, args!["Z", "z"], 99)?))
    });
    let words = |rows: &[base::Row]| rows.iter().map(|row| row.text(0).to_owned()).collect::<Vec<_>>();
    let mut sorted = WORDS;
    sorted.sort_unstable();
    assert_eq!(words(&all), sorted);
    assert_eq!(words(&range), ["Z", "a", "a b", "aa"]);
}

/// Fences are updates that must hit exactly one row: a wrong count lets a holder with an old epoch pass (KER-24).
pub fn a_change_tells_how_many_rows(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| {
        assert_eq!(tx.execute(&tables::VALUE_INSERT_ID, args![1])?, 1);
        tx.write(&tables::VALUE_INSERT_ID, args![2])?;
        assert_eq!(tx.execute(&tables::VALUE_SET_ABOVE, args![0, 5])?, 2, "a deferred write was before it");
        assert_eq!(tx.execute(&tables::VALUE_SET_ABOVE, args![0, 5])?, 2, "also if nothing differs");
        assert_eq!(tx.execute(&tables::VALUE_SET_ABOVE, args![2, 5])?, 0);
        assert_eq!(tx.execute(&tables::VALUE_DELETE, args![1])?, 1);
        assert_eq!(tx.execute(&tables::VALUE_DELETE, args![1])?, 0);
        Ok(())
    });
}

/// Rows that come back in another order, or without those that are not there, would be taken for others'. More sets than one
/// round trip takes, after writes that were not sent yet.
pub fn many_reads_at_once_give_what_single_ones_give(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let check = |tx: &mut dyn Tx| {
        let sets: Vec<Vec<Value<'_>>> = (0..700).rev().map(|id| vec![Value::Int(id)]).collect();
        let each = tx.query_each(&tables::VALUE_GET, &sets)?;
        let single: Vec<Option<Row>> =
            sets.iter().map(|args| tx.query_one(&tables::VALUE_GET, args)).collect::<StoreResult<_>>()?;
        assert_eq!(each, single);
        assert_eq!(each.iter().flatten().count(), 350, "every second one is there");
        assert_eq!(tx.query_each(&tables::VALUE_GET, &[])?, []);
        Ok(())
    };
    change(store.as_ref(), move |tx| {
        for id in (0..700i64).filter(|id| id % 2 == 1) {
            tx.write(&tables::VALUE_INSERT, args![id, id * 3, 0.5, "t", &b"b"[..]])?;
        }
        check(tx)
    });
    look(store.as_ref(), check);
}

/// What comes after a read that failed is not what the job believes that it is.
pub fn ker_6_an_error_among_many_reads_is_final(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let job = work("many reads", |tx| {
        for id in 0..3i64 {
            tx.write(&tables::VALUE_INSERT, args![id, 7, 0.5, "t", &b"b"[..]])?;
        }
        let of = |i: i64| args![i, 0.5, "t", &b"b"[..]].to_vec();
        let found = tx.query_each(&tables::VALUE_FIND, &[of(1), of(7), of(2)]);
        assert!(matches!(found, Err(StoreError::Statement { .. })), "{found:?}");
        assert_eq!(tx.query_one(&tables::VALUE_COUNT, args![]), Err(StoreError::Poisoned));
        Ok(Verdict::Keep)
    });
    assert!(matches!(job.outcome(store.as_ref()), Outcome::Failed(StoreError::Statement { .. })));
    assert_eq!(look(store.as_ref(), tables::ids), [] as [i64; 0]);
}
