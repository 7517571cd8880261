//! Rows outside of a store: one portable line of text per row, the same from every engine, and a digest per table.
//!
//! A line is a JSON array of the row's cells in the order of the columns: `null`, an integer, a text, `{"real": "0.5"}`
//! (the shortest text that reads back to the same number, also for infinities) or `{"blob": "00ff"}` in hexadecimal.
//! Backups of PostgreSQL are files of such lines; the digest of a table is that of its lines in any order, so that two
//! engines, two moments or a file and a store can be compared.
//!
//! The engines' own tables are no part of this: what they hold is about one engine and one place.

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::value::{Cell, Row};

/// Tables of the engines themselves, which are neither carried nor compared.
pub const ENGINE_TABLES: &[&str] = &["store_meta", "schema_step", "schema_lock", "store_probe", "store_arriving"];

/// A table as it was found: what it holds can be compared without being kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TableSummary {
    /// Its name.
    pub name: String,
    /// Its columns in their order.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: u64,
    /// Digest over its rows in any order, hexadecimal.
    pub digest: String,
}

/// A step of the schema as a store has recorded it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct SchemaStep {
    /// Whose step it is.
    pub service: String,
    /// Its number.
    pub version: u32,
    /// Fingerprint of its text.
    pub digest: i64,
}

/// Takes rows in, table by table.
pub trait RowSink: Send {
    /// The rows that follow are of this table, with these columns.
    ///
    /// # Errors
    /// They cannot be kept.
    fn table(&mut self, name: &str, columns: &[String]) -> std::io::Result<()>;

    /// One row.
    ///
    /// # Errors
    /// It cannot be kept.
    fn row(&mut self, line: &str) -> std::io::Result<()>;

    /// The table has ended.
    ///
    /// # Errors
    /// That cannot be kept.
    fn ended(&mut self, summary: &TableSummary) -> std::io::Result<()> {
        let _ = summary;
        Ok(())
    }
}

/// Gives the lines of a table.
pub trait RowSource: Send + Sync {
    /// The lines of the table, one by one.
    ///
    /// # Errors
    /// They cannot be read.
    fn lines(&self, table: &str) -> std::io::Result<Box<dyn Iterator<Item = std::io::Result<String>> + Send>>;
}

/// Adds up a table's digest. Sums of SHA-256, so that the order of rows does not matter: against accidents, not against
/// somebody who makes rows up to deceive it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableDigest {
    sums: [u64; 4],
    rows: u64,
}

impl TableDigest {
    /// Adds a row by its line.
    pub fn add(&mut self, line: &str) {
        let hash = Sha256::digest(line.as_bytes());
        for (sum, bytes) in self.sums.iter_mut().zip(hash.chunks_exact(8)) {
            let part = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            *sum = sum.wrapping_add(part);
        }
        self.rows += 1;
    }

    /// Adds the rows of another part of the same table.
    pub fn merge(&mut self, other: &Self) {
        for (sum, part) in self.sums.iter_mut().zip(other.sums) {
            *sum = sum.wrapping_add(part);
        }
        self.rows += other.rows;
    }

    /// How many rows were added.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The table of this name with what was added.
    #[must_use]
    pub fn summary(&self, name: &str, columns: Vec<String>) -> TableSummary {
        let digest = self.sums.iter().map(|sum| format!("{sum:016x}")).collect();
        TableSummary { name: name.to_owned(), columns, rows: self.rows, digest }
    }
}

/// The line of a row.
#[must_use]
pub fn row_line(row: &Row) -> String {
    let mut line = String::from("[");
    for (at, cell) in row.0.iter().enumerate() {
        line.push_str(if at == 0 { "" } else { "," });
        push_cell(&mut line, cell);
    }
    line.push(']');
    line
}

/// Written straight into the line: a backup does this for every cell there is.
fn push_cell(line: &mut String, cell: &Cell) {
    match cell {
        Cell::Null => line.push_str("null"),
        Cell::Int(number) => line.push_str(&number.to_string()),
        // SQLite keeps no sign of nothing, and no engine compares by it.
        Cell::Real(number) => {
            line.push_str(&format!("{{\"real\":\"{:?}\"}}", if *number == 0.0 { 0.0 } else { *number }))
        }
        Cell::Text(text) => line.push_str(&Json::from(text.as_str()).to_string()),
        Cell::Blob(bytes) => {
            line.push_str("{\"blob\":\"");
            push_hex(line, bytes);
            line.push_str("\"}");
        }
    }
}

/// The row of a line.
///
/// # Errors
/// The text is no such line; says why.
pub fn line_row(line: &str) -> Result<Row, String> {
    let cells: Vec<Json> = serde_json::from_str(line).map_err(|error| format!("not a row: {error}"))?;
    cells.iter().map(json_cell).collect::<Option<_>>().map(Row).ok_or_else(|| "not a row: an odd cell".to_owned())
}

fn json_cell(json: &Json) -> Option<Cell> {
    match json {
        Json::Null => Some(Cell::Null),
        Json::Number(number) => number.as_i64().map(Cell::Int),
        Json::String(text) => Some(Cell::Text(text.clone())),
        Json::Object(object) => match (object.get("real"), object.get("blob")) {
            (Some(Json::String(text)), None) => text.parse().ok().map(Cell::Real),
            (None, Some(Json::String(text))) => unhex(text).map(Cell::Blob),
            _ => None,
        },
        Json::Bool(_) | Json::Array(_) => None,
    }
}

/// Bytes as hexadecimal text.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    push_hex(&mut text, bytes);
    text
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.reserve(2 * bytes.len());
    text.extend(
        bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)])),
    );
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| digit.try_into().ok())).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells() -> impl Strategy<Value = Vec<Cell>> {
        let cell = prop_oneof![
            Just(Cell::Null),
            any::<i64>().prop_map(Cell::Int),
            any::<f64>().prop_filter("NaN is not equal to itself", |number| !number.is_nan()).prop_map(Cell::Real),
            any::<String>().prop_map(Cell::Text),
            any::<Vec<u8>>().prop_map(Cell::Blob),
        ];
        proptest::collection::vec(cell, 0..6)
    }

    proptest! {
        #[test]
        fn ker_37_a_row_comes_back_from_its_line(cells in cells()) {
            let row = Row(cells);
            let line = row_line(&row);
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(line_row(&line), Ok(row));
        }
    }

    #[test]
    fn ker_37_infinities_and_odd_texts_survive() {
        let row = Row(vec![Cell::Real(f64::NEG_INFINITY), Cell::Real(-0.0), Cell::Text("{\"real\":\"1\"}\n".into())]);
        assert_eq!(line_row(&row_line(&row)), Ok(row));
    }

    #[test]
    fn ker_37_what_is_no_row_is_refused() {
        for bad in
            ["", "{}", "[true]", "[[1]]", "[{\"blob\":\"0\"}]", "[{\"real\":\"x\"}]", "[1.5]", "[{\"x\":\"1\"}]", "[1"]
        {
            assert!(line_row(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ker_37_a_digest_minds_content_and_number_but_not_order() {
        let digest = |lines: &[&str]| {
            let mut digest = TableDigest::default();
            lines.iter().for_each(|line| digest.add(line));
            digest.summary("t", vec![])
        };
        assert_eq!(digest(&["[1]", "[2]"]), digest(&["[2]", "[1]"]));
        assert_ne!(digest(&["[1]", "[2]"]).digest, digest(&["[1]", "[3]"]).digest);
        assert_ne!(digest(&["[1]"]), digest(&["[1]", "[1]"]));
    }
}
