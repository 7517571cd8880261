//! Carrying the rows of a store into another one, of any engine, while the first still serves (KER-3).
//!
//! Tables are walked in the order of their primary keys, which is the same on every engine, in chunks of some megabytes. A chunk
//! that differs is replaced in the target and read back; one that is equal is left alone. So a walk that was killed is simply begun
//! again, and the next one after a while writes only what has changed. Chunks that were read back equal are remembered by their
//! digests: the last walk, for which the source stands still, reads the source alone and whatever changed since.
//!
//! Invariants: what is remembered was read from the target; after [`finish`] every row of the source is in the target and no other;
//! which tables there are is asked of the schema, so that none can be forgotten. Memory is that of one chunk, and a key and a
//! digest for each.

use std::collections::BTreeMap;

use crate::archive::{TableDigest, TableSummary, row_line};
use crate::store::{StoreError, StoreResult};
use crate::value::{Cell, Row};

/// Bytes of a chunk, about.
const CHUNK_BYTES: usize = 2 << 20;
/// Rows of a chunk at most.
const CHUNK_ROWS: usize = 4_000;
/// Rows of the first chunk of a table, when nothing is known of their size.
const FIRST_ROWS: usize = 64;

/// The primary key of a row.
pub type RowKey = Vec<Cell>;

/// A table as the schema has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableShape {
    /// Its name.
    pub name: String,
    /// Its columns in their order.
    pub columns: Vec<String>,
    /// Which of them are the primary key, in the key's order.
    pub key: Vec<usize>,
}

impl TableShape {
    /// The key of a row.
    #[must_use]
    pub fn key_of(&self, row: &Row) -> RowKey {
        self.key.iter().map(|at| row.0[*at].clone()).collect()
    }
}

/// Some rows of a table: those after a key, up to a key; what is not given is open.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeyRange {
    /// Not this one any more.
    pub after: Option<RowKey>,
    /// This one still.
    pub upto: Option<RowKey>,
}

/// A store whose rows are read by their keys.
pub trait RowsOut: Send {
    /// Its tables, but the engine's own, in the order of their names.
    ///
    /// # Errors
    /// The store cannot be read.
    fn tables(&mut self) -> StoreResult<Vec<TableShape>>;

    /// The first rows of a range, at most `limit`, in the order of their keys.
    ///
    /// # Errors
    /// The store cannot be read.
    fn page(&mut self, table: &TableShape, range: &KeyRange, limit: usize) -> StoreResult<Vec<Row>>;
}

/// A store that is being filled, and that nobody else uses.
pub trait RowsIn: RowsOut {
    /// Makes these the rows of a range, in one transaction. `false` if one of them does not go with rows outside of the range: then
    /// the range is empty.
    ///
    /// # Errors
    /// The store cannot be written.
    fn replace(&mut self, table: &TableShape, range: &KeyRange, rows: &[Row]) -> StoreResult<bool>;
}

/// How far a walk is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// The table it is at.
    pub table: String,
    /// Tables that are behind it.
    pub tables_done: usize,
    /// All tables.
    pub tables: usize,
    /// Rows that were looked at.
    pub rows: u64,
    /// Their bytes, as lines of text.
    pub bytes: u64,
    /// Rows that were written.
    pub written: u64,
}

/// Told how far a walk is; `false` ends it.
pub type Watch<'a> = &'a mut dyn FnMut(&Walked) -> bool;

/// What a target is known to hold, table by table.
#[derive(Debug, Default)]
pub struct Remembered(BTreeMap<String, Vec<Chunk>>);

/// A part of a table: it begins where the one before ends.
#[derive(Debug)]
struct Chunk {
    end: Option<RowKey>,
    /// What was read back; nothing if the rows could not be kept yet.
    digest: Option<TableDigest>,
}

impl Chunk {
    /// Room for what it held and as much again, so that it keeps its end when rows came into it.
    fn rows_likely(&self) -> usize {
        let rows = self.digest.as_ref().map_or(0, TableDigest::rows);
        usize::try_from(2 * rows).unwrap_or(CHUNK_ROWS).min(2 * CHUNK_ROWS)
    }
}

/// What to do with chunks that differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// The source goes on changing: each at once, and what does not go together is left for later.
    Passing,
    /// The source stands still: all are cleared before any is filled, so that nothing stands in the way of anything.
    Final,
}

/// Brings the target near the source, which goes on changing. Tells how many chunks had to be written.
///
/// # Errors
/// A store failed, their tables are not the same, or `watch` ended it.
pub fn follow(
    source: &mut dyn RowsOut,
    target: &mut dyn RowsIn,
    remembered: &mut Remembered,
    watch: Watch<'_>,
) -> StoreResult<u64> {
    let mut walk = Walk::begin(source, target, Manner::Passing, watch)?;
    walk.all(remembered)?;
    Ok(walk.replaced)
}

/// Makes the target equal to the source, which stands still, and tells what both hold.
///
/// # Errors
/// A store failed, their tables are not the same, `watch` ended it, or what is read back is not what was written.
pub fn finish(
    source: &mut dyn RowsOut,
    target: &mut dyn RowsIn,
    remembered: &mut Remembered,
    watch: Watch<'_>,
) -> StoreResult<Vec<TableSummary>> {
    let mut walk = Walk::begin(source, target, Manner::Final, watch)?;
    let summaries = walk.all(remembered)?;
    walk.fill_cleared()?;
    Ok(summaries)
}

struct Walk<'a> {
    source: &'a mut dyn RowsOut,
    target: &'a mut dyn RowsIn,
    tables: Vec<TableShape>,
    manner: Manner,
    /// Ranges of tables that differ, in the last walk.
    differing: Vec<(usize, KeyRange, usize)>,
    replaced: u64,
    walked: Walked,
    watch: Watch<'a>,
}

/// Rows of the source with what is known of them.
struct Portion {
    range: KeyRange,
    rows: Vec<Row>,
    digest: TableDigest,
}

impl<'a> Walk<'a> {
    fn begin(
        source: &'a mut dyn RowsOut,
        target: &'a mut dyn RowsIn,
        manner: Manner,
        watch: Watch<'a>,
    ) -> StoreResult<Self> {
        let (tables, there) = (source.tables()?, target.tables()?);
        check_same(&tables, &there)?;
        let walked = Walked { tables: tables.len(), ..Walked::default() };
        Ok(Self { source, target, tables, manner, differing: vec![], replaced: 0, walked, watch })
    }

    fn all(&mut self, remembered: &mut Remembered) -> StoreResult<Vec<TableSummary>> {
        let mut summaries = vec![];
        for at in 0..self.tables.len() {
            let table = self.tables[at].clone();
            self.walked.table.clone_from(&table.name);
            self.tell()?;
            let (chunks, digest) = self.table(at, &table, remembered.0.remove(&table.name).unwrap_or_default())?;
            remembered.0.insert(table.name.clone(), chunks);
            summaries.push(digest.summary(&table.name, table.columns.clone()));
            self.walked.tables_done += 1;
        }
        Ok(summaries)
    }

    fn tell(&mut self) -> StoreResult<()> {
        if (self.watch)(&self.walked) { Ok(()) } else { Err(StoreError::Unavailable("it was stopped".into())) }
    }

    fn table(&mut self, at: usize, table: &TableShape, known: Vec<Chunk>) -> StoreResult<(Vec<Chunk>, TableDigest)> {
        let (mut chunks, mut whole, mut known) = (vec![], TableDigest::default(), known.into_iter().peekable());
        let (mut after, mut limit) = (None, FIRST_ROWS);
        loop {
            let upto = known.peek().and_then(|chunk| chunk.end.clone());
            limit = limit.max(known.peek().map_or(0, Chunk::rows_likely));
            let portion = self.portion(table, KeyRange { after, upto }, &mut limit)?;
            let remembered = match known.peek() {
                Some(chunk) if chunk.end == portion.range.upto => known.next().and_then(|chunk| chunk.digest),
                Some(_) | None => None,
            };
            let is_same = remembered.as_ref() == Some(&portion.digest);
            let digest = if is_same { remembered } else { self.settle(at, table, &portion)? };
            whole.merge(&portion.digest);
            chunks.push(Chunk { end: portion.range.upto.clone(), digest });
            self.tell()?;
            match portion.range.upto {
                Some(end) => after = Some(end),
                None => return Ok((chunks, whole)),
            }
        }
    }

    /// The next rows of the source. Its range ends with the one that was wished, or with its last row if there are more.
    fn portion(&mut self, table: &TableShape, range: KeyRange, limit: &mut usize) -> StoreResult<Portion> {
        let rows = self.source.page(table, &range, *limit)?;
        let (mut digest, mut bytes) = (TableDigest::default(), 0);
        for row in &rows {
            let line = row_line(row);
            bytes += line.len();
            digest.add(&line);
        }
        let is_full = rows.len() == *limit;
        let upto = if is_full { rows.last().map(|row| table.key_of(row)) } else { range.upto };
        self.walked.rows += rows.len() as u64;
        self.walked.bytes += bytes as u64;
        if is_full {
            *limit = (CHUNK_BYTES * rows.len() / bytes.max(1)).clamp(1, CHUNK_ROWS);
        }
        Ok(Portion { range: KeyRange { after: range.after, upto }, rows, digest })
    }

    /// Compares a portion with the target, and writes it where it differs. Gives its digest once the target holds it.
    fn settle(&mut self, at: usize, table: &TableShape, portion: &Portion) -> StoreResult<Option<TableDigest>> {
        if self.holds(table, &portion.range, &portion.rows)? {
            return Ok(Some(portion.digest.clone()));
        }
        self.replaced += 1;
        if self.manner == Manner::Final {
            self.differing.push((at, portion.range.clone(), portion.rows.len()));
            // Known once it was filled; nobody asks after the last walk.
            return Ok(None);
        }
        let is_kept = self.target.replace(table, &portion.range, &portion.rows)?;
        self.walked.written += portion.rows.len() as u64;
        Ok((is_kept && self.holds(table, &portion.range, &portion.rows)?).then(|| portion.digest.clone()))
    }

    fn holds(&mut self, table: &TableShape, range: &KeyRange, rows: &[Row]) -> StoreResult<bool> {
        let there = self.target.page(table, range, rows.len() + 1)?;
        Ok(there.len() == rows.len() && there.iter().zip(rows).all(|(one, other)| row_line(one) == row_line(other)))
    }

    fn fill_cleared(&mut self) -> StoreResult<()> {
        let differing = std::mem::take(&mut self.differing);
        for (at, range, _) in &differing {
            self.target.replace(&self.tables[*at], range, &[])?;
        }
        for (at, range, count) in &differing {
            let table = self.tables[*at].clone();
            let rows = self.source.page(&table, range, count + 1)?;
            let is_kept = self.target.replace(&table, range, &rows)?;
            self.walked.written += rows.len() as u64;
            if !is_kept || !self.holds(&table, range, &rows)? {
                return Err(StoreError::Unavailable(format!(
                    "table {}: what was written does not read back",
                    table.name
                )));
            }
            self.tell()?;
        }
        Ok(())
    }
}

fn check_same(source: &[TableShape], target: &[TableShape]) -> StoreResult<()> {
    let unlike = source.iter().find(|table| !target.contains(table));
    let unlike = unlike.or_else(|| target.iter().find(|table| !source.contains(table)));
    match unlike {
        Some(table) => Err(StoreError::Unavailable(format!("table {} is not the same on both sides", table.name))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables in memory: `t` with a key and a text that must be the only one of its kind.
    #[derive(Default, Clone, PartialEq, Debug)]
    struct Heap(BTreeMap<i64, String>);

    fn shape() -> TableShape {
        TableShape { name: "t".into(), columns: vec!["id".into(), "word".into()], key: vec![0] }
    }

    fn bound(key: Option<&RowKey>, open: i64) -> i64 {
        key.map_or(open, |key| Row(key.clone()).int(0))
    }

    impl Heap {
        fn of(rows: impl IntoIterator<Item = (i64, String)>) -> Self {
            Self(rows.into_iter().collect())
        }
    }

    impl RowsOut for Heap {
        fn tables(&mut self) -> StoreResult<Vec<TableShape>> {
            Ok(vec![shape()])
        }

        fn page(&mut self, _: &TableShape, range: &KeyRange, limit: usize) -> StoreResult<Vec<Row>> {
            let (after, upto) = (bound(range.after.as_ref(), i64::MIN), bound(range.upto.as_ref(), i64::MAX));
            let inside = self.0.iter().filter(|(id, _)| **id > after && **id <= upto).take(limit);
            Ok(inside.map(|(id, word)| Row(vec![Cell::Int(*id), Cell::Text(word.clone())])).collect())
        }
    }

    impl RowsIn for Heap {
        fn replace(&mut self, _: &TableShape, range: &KeyRange, rows: &[Row]) -> StoreResult<bool> {
            let (after, upto) = (bound(range.after.as_ref(), i64::MIN), bound(range.upto.as_ref(), i64::MAX));
            self.0.retain(|id, _| *id <= after || *id > upto);
            if rows.iter().any(|row| self.0.values().any(|word| word == row.text(1))) {
                return Ok(false);
            }
            self.0.extend(rows.iter().map(|row| (row.int(0), row.text(1).to_owned())));
            Ok(true)
        }
    }

    fn words(ids: std::ops::Range<i64>) -> impl Iterator<Item = (i64, String)> {
        ids.map(|id| (id, format!("word {id}")))
    }

    fn follow_all(source: &mut Heap, target: &mut Heap, remembered: &mut Remembered) -> u64 {
        follow(source, target, remembered, &mut |_| true).unwrap()
    }

    #[test]
    fn ker_3_a_walk_makes_equal_and_the_next_writes_only_what_changed() {
        let (mut source, mut target) = (Heap::of(words(0..10_000)), Heap::of(words(-5..3)));
        let mut remembered = Remembered::default();
        assert!(follow_all(&mut source, &mut target, &mut remembered) > 2);
        assert_eq!(source, target);
        assert_eq!(
            follow_all(&mut source, &mut target, &mut Remembered::default()),
            0,
            "begun again, nothing is written"
        );
        source.0.insert(5_000, "another".into());
        source.0.remove(&9_999);
        source.0.extend(words(20_000..20_010));
        assert_eq!(follow_all(&mut source, &mut target, &mut remembered), 2, "the chunk of each change");
        assert_eq!(source, target);
    }

    #[test]
    fn ker_3_what_stands_in_the_way_of_something_else_is_got_over_at_the_end() {
        let (mut source, mut target) = (Heap::of(words(0..5_000)), Heap::default());
        let mut remembered = Remembered::default();
        follow_all(&mut source, &mut target, &mut remembered);
        // The last row's word belongs to the first one now, and the first one's to the last.
        let (first, last) = (source.0[&0].clone(), source.0[&4_999].clone());
        source.0.extend([(0, last), (4_999, first)]);
        follow_all(&mut source, &mut target, &mut remembered);
        assert_ne!(source, target, "one of the two was in the way");
        let tables = finish(&mut source, &mut target, &mut remembered, &mut |_| true).unwrap();
        assert_eq!(source, target);
        let mut digest = TableDigest::default();
        target
            .page(&shape(), &KeyRange::default(), usize::MAX)
            .unwrap()
            .iter()
            .for_each(|row| digest.add(&row_line(row)));
        assert_eq!(tables, [digest.summary("t", shape().columns)], "what is told is what is there");
    }

    #[test]
    fn ker_3_a_walk_that_is_stopped_says_so_and_can_go_on() {
        let (mut source, mut target) = (Heap::of(words(0..9_000)), Heap::default());
        let mut remembered = Remembered::default();
        let stopped = follow(&mut source, &mut target, &mut remembered, &mut |walked| walked.rows < 5_000);
        assert!(stopped.is_err() && !target.0.is_empty() && target != source);
        finish(&mut source, &mut target, &mut Remembered::default(), &mut |_| true).unwrap();
        assert_eq!(source, target);
    }

    #[test]
    fn ker_3_tables_that_differ_are_refused() {
        struct Bare;
        impl RowsOut for Bare {
            fn tables(&mut self) -> StoreResult<Vec<TableShape>> {
                Ok(vec![])
            }
            fn page(&mut self, _: &TableShape, _: &KeyRange, _: usize) -> StoreResult<Vec<Row>> {
                Ok(vec![])
            }
        }
        let refused = follow(&mut Bare, &mut Heap::default(), &mut Remembered::default(), &mut |_| true).unwrap_err();
        assert!(refused.to_string().contains("table t is not the same on both sides"), "{refused}");
    }
}
