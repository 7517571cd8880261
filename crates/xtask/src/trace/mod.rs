//! `cargo xtask trace`: from each promise in `docs/requirements.md` to the tests that prove it.
//!
//! A delivered requirement (`yes`) without a test fails; so does a test that names an id nobody knows,
//! because then some promise lost its proof to a typing error.

mod find;
mod table;

use crate::repo::Tree;
use crate::{Result, repo};
use find::Mention;
use std::path::Path;
use std::process::ExitCode;
use table::{Row, Status};

/// What [`run`] prints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    All,
    /// Requirements without a test.
    Missing,
}

const TABLE: &str = "docs/requirements.md";

struct Trace {
    rows: Vec<Row>,
    mentions: Vec<Mention>,
}

pub(crate) fn run(show: Show) -> Result<ExitCode> {
    let trace = Trace::load(&repo::root()?)?;
    trace
        .rows
        .iter()
        .filter(|row| show == Show::All || trace.tests(&row.id).is_empty())
        .for_each(|row| trace.print(row));
    let (note, ()) = trace.judge()?;
    say!("trace: {note}");
    Ok(ExitCode::SUCCESS)
}

/// The same judgement without the list.
pub(crate) fn check(root: &Path) -> Result<(String, ())> {
    Trace::load(root)?.judge()
}

impl Trace {
    fn load(root: &Path) -> Result<Trace> {
        let tree = Tree::load(root)?;
        let table = tree.files.iter().find(|file| file.path == TABLE).ok_or_else(|| format!("{TABLE} is missing"))?;
        let rows = table::parse(&table.text).map_err(|message| format!("{TABLE}:{message}"))?;
        let mentions = find::mentions(&tree, &prefixes(&rows));
        Ok(Trace { rows, mentions })
    }

    fn tests(&self, id: &str) -> Vec<&Mention> {
        self.mentions.iter().filter(|mention| mention.id == id).collect()
    }

    fn print(&self, row: &Row) {
        let tests: Vec<String> = self.tests(&row.id).iter().map(|test| test.to_string()).collect();
        let shown = if tests.is_empty() { "-".to_owned() } else { tests.join("\n               ") };
        say!("{:<8} {:<5} {shown}", row.id, row.status);
    }

    fn judge(&self) -> Result<(String, ())> {
        let problems: Vec<String> = self.unproved().chain(self.unknown()).collect();
        problems.iter().for_each(|problem| say!("{problem}"));
        if !problems.is_empty() {
            return Err(format!("problems: {}; {}", problems.len(), self.count()));
        }
        Ok((self.count(), ()))
    }

    fn unproved(&self) -> impl Iterator<Item = String> {
        let bare = self.rows.iter().filter(|row| row.status == Status::Yes && self.tests(&row.id).is_empty());
        bare.map(|row| format!("{TABLE}:{}: trace: {} is delivered (yes) but no test names it", row.line, row.id))
    }

    fn unknown(&self) -> impl Iterator<Item = String> {
        let odd = self.mentions.iter().filter(|mention| !self.rows.iter().any(|row| row.id == mention.id));
        odd.map(|mention| format!("{mention}: trace: {} is not in {TABLE}", mention.id))
    }

    fn count(&self) -> String {
        let of = |status| self.rows.iter().filter(|row| row.status == status).count();
        let tested = self.rows.iter().filter(|row| !self.tests(&row.id).is_empty()).count();
        let (yes, part, later) = (of(Status::Yes), of(Status::Part), of(Status::Later));
        format!("{} requirements: {yes} yes, {part} part, {later} later; {tested} with tests", self.rows.len())
    }
}

/// `KER`, `DOC`, …: the letters that ids of the table begin with.
fn prefixes(rows: &[Row]) -> Vec<String> {
    let mut prefixes: Vec<String> = rows.iter().filter_map(|row| Some(row.id.split_once('-')?.0.to_owned())).collect();
    prefixes.sort();
    prefixes.dedup();
    prefixes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(table: &str, test: &str) -> Result<String> {
        let rows = table::parse(table).unwrap();
        let mentions = find::mentions(&Tree::of(&[("crates/a/src/lib.rs", test)]), &prefixes(&rows));
        Trace { rows, mentions }.judge().map(|(note, ())| note)
    }

    #[test]
    fn a_delivered_row_needs_a_test_and_others_do_not() {
        let table = "| KER-1 | yes | a |\n| KER-2 | part | b |\n| KER-3 | later | c |\n";
        let count = "3 requirements: 1 yes, 1 part, 1 later";
        assert_eq!(judge(table, ""), Err(format!("problems: 1; {count}; 0 with tests")));
        assert_eq!(judge(table, "#[test]\nfn ker_1_holds() {}"), Ok(format!("{count}; 1 with tests")));
    }

    #[test]
    fn an_id_that_nobody_knows_is_a_problem() {
        let error = judge("| KER-1 | later | a |\n", "#[test]\nfn ker_11_holds() {}").unwrap_err();
        assert!(error.starts_with("problems: 1;"), "{error}");
    }
}
