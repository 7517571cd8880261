//! The table of requirements: rows `| KER-1 | yes | words |` anywhere in the file.

use crate::Result;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// Delivered and proved.
    Yes,
    /// Begun.
    Part,
    Later,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Yes => "yes",
            Status::Part => "part",
            Status::Later => "later",
        })
    }
}

#[derive(PartialEq, Debug)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) status: Status,
    pub(super) line: usize,
}

/// The error begins with the line number.
pub(super) fn parse(text: &str) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(row) = row(line, index + 1)? else { continue };
        if rows.iter().any(|other| other.id == row.id) {
            return Err(format!("{}: trace: {} is there twice", row.line, row.id));
        }
        rows.push(row);
    }
    Ok(rows)
}

fn row(line: &str, number: usize) -> Result<Option<Row>> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [_, id, status, words, ..] = cells[..] else { return Ok(None) };
    if !is_id(id) {
        return Ok(None);
    }
    let status = match status {
        "yes" => Status::Yes,
        "part" => Status::Part,
        "later" => Status::Later,
        _ => return Err(format!("{number}: trace: status `{status}` is not yes, part or later")),
    };
    if words.is_empty() {
        return Err(format!("{number}: trace: {id} has no words"));
    }
    Ok(Some(Row { id: id.to_owned(), status, line: number }))
}

fn is_id(cell: &str) -> bool {
    cell.split_once('-').is_some_and(|(letters, number)| {
        let letters_only = !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_uppercase());
        letters_only && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_heads_are_not() {
        let text = "| id | status | words |\n|---|---|---|\n| KER-1 | yes | a, b |\n";
        assert_eq!(parse(text).unwrap(), [Row { id: "KER-1".into(), status: Status::Yes, line: 3 }]);
    }

    #[test]
    fn wrong_rows_are_refused_with_their_line() {
        assert_eq!(parse("| KER-1 | soon | a |").unwrap_err(), "1: trace: status `soon` is not yes, part or later");
        assert_eq!(parse("| KER-1 | yes | |").unwrap_err(), "1: trace: KER-1 has no words");
        assert_eq!(parse("| KER-1 | yes | a |\n| KER-1 | part | b |").unwrap_err(), "2: trace: KER-1 is there twice");
    }
}
