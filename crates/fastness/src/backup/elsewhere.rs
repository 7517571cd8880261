//! Namespaces with a PostgreSQL of their own: only `z` knows of them, and a backup has none of their rows.

use std::io;

use anyhow::Result;
use base::archive::RowSink;
use serde_json::Value;
use store_postgres::archive as postgres;
use store_sqlite::archive as sqlite;

use super::source::{Rows, Source};

/// The table of namespaces in `z`.
const TABLE: &str = "namespace";

/// Their names, as the administrators' namespace tells them.
pub(super) fn elsewhere(admin: &Source) -> Result<Vec<String>> {
    let mut sink = Namespaces::default();
    match &admin.rows {
        Rows::Sqlite(store) => drop(sqlite::export(store, &mut sink)?),
        Rows::Postgres(settings) => drop(postgres::export(settings, &mut sink)?),
    }
    Ok(sink.found)
}

/// Takes the rows of one table and passes over all others.
#[derive(Default)]
struct Namespaces {
    /// Where the name and the address are in a row, while the rows are those of the table.
    columns: Option<(usize, usize)>,
    found: Vec<String>,
}

impl RowSink for Namespaces {
    fn table(&mut self, name: &str, columns: &[String]) -> io::Result<()> {
        let at = |wanted: &str| columns.iter().position(|column| column == wanted);
        self.columns = at("name").zip(at("url")).filter(|_| name == TABLE);
        Ok(())
    }

    fn row(&mut self, line: &str) -> io::Result<()> {
        let Some((name, url)) = self.columns else { return Ok(()) };
        let row: Value = serde_json::from_str(line)?;
        if !row[url].is_null() {
            self.found.extend(row[name].as_str().map(str::to_owned));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_37_only_namespaces_with_an_address_of_their_own_are_elsewhere() {
        let mut sink = Namespaces::default();
        let columns = ["name", "label", "url"].map(str::to_owned);
        sink.table("key", &columns).unwrap();
        sink.row(r#"["a", "", "host=x"]"#).unwrap();
        sink.table(TABLE, &columns).unwrap();
        sink.row(r#"["main", "", null]"#).unwrap();
        sink.row(r#"["shop", "", "host=other"]"#).unwrap();
        sink.table("task", &["name".to_owned()]).unwrap();
        sink.row(r#"["b"]"#).unwrap();
        assert_eq!(sink.found, ["shop"]);
    }
}
