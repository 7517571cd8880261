//! Namespaces whose rows cannot be found from here: only `z` knows that they exist. A backup without them is not whole, and a check that passed
//! over them has not looked at everything.

use std::io;
use std::path::PathBuf;

use anyhow::Result;
use base::Engine;
use base::archive::RowSink;
use kernel::namespaces::State;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use store_postgres::archive as postgres;
use store_sqlite::archive as sqlite;

use super::disk;
use super::source::{Rows, Source, sources};
use crate::config::Config;

/// The table of namespaces in `z`.
const TABLE: &str = "namespace";
/// Its columns that are read, in the order of [`Listed`].
const COLUMNS: [&str; 6] = ["name", "engine", "place", "home", "url", "state"];

/// A namespace that was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Elsewhere {
    /// Its name.
    #[serde(rename = "namespace")]
    pub(crate) name: String,
    /// Why.
    pub(crate) why: Why,
    /// The newest backup in the same folder that has it; that one is kept.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shown")]
    pub(crate) last: Option<PathBuf>,
    /// Where its rows were, which is its name in backups.
    #[serde(skip)]
    pub(super) place: String,
}

/// A path as people see it: not every one is UTF-8, which JSON must be.
fn shown<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.display().to_string()).serialize(to)
}

/// Why the rows of a namespace are not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Why {
    /// It has an address of its own, where it is looked after by its owner.
    OwnPostgres,
    /// It is on PostgreSQL, and nobody said where that is.
    NoUrl,
    /// PostgreSQL has no schema of it.
    NoSchema,
    /// Its file is on the disk of another node.
    OtherNode,
    /// The data directory has no file of it.
    NoFile,
}

impl Why {
    /// For people, behind the name; the second half says what to do.
    pub(crate) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::OwnPostgres => ("has a PostgreSQL of its own", "back it up there"),
            Self::NoUrl => {
                ("is on PostgreSQL, and store.url is not set here", "give FASTNESS_STORE__URL as the server has it")
            }
            Self::NoSchema => ("has no schema on the PostgreSQL of store.url", "look which PostgreSQL the server uses"),
            Self::OtherNode => ("has its file on another node", "back it up there, or move it to PostgreSQL"),
            Self::NoFile => ("has no file here", "look on the other node's disk, or mount the disk that it is on"),
        }
    }
}

/// A namespace as `z` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) name: String,
    engine: Engine,
    pub(super) place: String,
    /// The node that made its file.
    home: String,
    /// It has a PostgreSQL of its own.
    pub(super) has_url: bool,
}

/// Those that ought to have rows somewhere, as the administrators' namespace tells them; none if it is not among `found`.
pub(super) fn listed(config: &Config, found: &[Source]) -> Result<Vec<Listed>> {
    let admin = || found.iter().filter(|source| source.name == config.namespaces.admin);
    // After a change of the engine the old file may still lie there.
    let current = admin().find(|source| source.engine() == config.store.engine).or_else(|| admin().next());
    let mut sink = Namespaces::default();
    match current.map(|source| &source.rows) {
        Some(Rows::Sqlite(store)) => drop(sqlite::export(store, &mut sink)?),
        Some(Rows::Postgres(settings)) => drop(postgres::export(settings, &mut sink)?),
        None => {}
    }
    Ok(sink.found)
}

/// Those of `listed` that are not among `found`.
pub(super) fn elsewhere(config: &Config, listed: &[Listed], found: &[Source]) -> Vec<Elsewhere> {
    let is_found = |row: &Listed| found.iter().any(|it| it.name == row.place && it.engine() == row.engine);
    let of = |row: &Listed| {
        let (name, place) = (row.name.clone(), row.place.clone());
        Elsewhere { name, why: why(config, row), last: None, place }
    };
    listed.iter().filter(|row| row.has_url || !is_found(row)).map(of).collect()
}

fn why(config: &Config, row: &Listed) -> Why {
    match row.engine {
        _ if row.has_url => Why::OwnPostgres,
        Engine::Postgres if config.store.url.is_none() => Why::NoUrl,
        Engine::Postgres => Why::NoSchema,
        Engine::Sqlite if is_of_another_node(config, row) => Why::OtherNode,
        Engine::Sqlite => Why::NoFile,
    }
}

/// Nodes that share their rows have disks of their own. Where this one has no name no server has run yet: nothing can be said of it.
fn is_of_another_node(config: &Config, row: &Listed) -> bool {
    let own = disk::read_text(&config.data.dir.join("node/name"));
    config.store.engine == Engine::Postgres && own.is_ok_and(|own| own != row.home)
}

/// What is there, what is listed, and what of it is elsewhere.
pub(super) type Survey = (Vec<Source>, Vec<Listed>, Vec<Elsewhere>);

/// What is there, and what the administrators' namespace says is elsewhere.
pub(super) fn surveyed(config: &Config) -> Result<Survey> {
    settled(|| {
        let listed = listed(config, &sources(config)?)?;
        // Looked for after it was listed: what is created meanwhile is found, too.
        let found = sources(config)?;
        let elsewhere = elsewhere(config, &listed, &found);
        Ok((found, listed, elsewhere))
    })
}

/// Looks once more if anything is missing: what was removed or moved between the list and the look is listed otherwise by then.
fn settled(mut look: impl FnMut() -> Result<Survey>) -> Result<Survey> {
    let first = look()?;
    if first.2.iter().all(|it| it.why == Why::OwnPostgres) { Ok(first) } else { look() }
}

/// Namespaces of a stopped server that are not among `found`.
pub(crate) fn missing(config: &Config, found: &[Source]) -> Result<Vec<Elsewhere>> {
    Ok(elsewhere(config, &listed(config, found)?, found))
}

/// Takes the rows of one table and passes over all others.
#[derive(Default)]
struct Namespaces {
    /// Where the columns are in a row, while the rows are those of the table.
    columns: Option<[usize; 6]>,
    found: Vec<Listed>,
}

impl RowSink for Namespaces {
    fn table(&mut self, name: &str, columns: &[String]) -> io::Result<()> {
        let at = COLUMNS.map(|wanted| columns.iter().position(|column| column == wanted));
        let [Some(name_at), Some(engine), Some(place), Some(home), Some(url), Some(state)] = at else {
            self.columns = None;
            return Ok(());
        };
        self.columns = (name == TABLE).then_some([name_at, engine, place, home, url, state]);
        Ok(())
    }

    fn row(&mut self, line: &str) -> io::Result<()> {
        let Some(columns) = self.columns else { return Ok(()) };
        let row: Value = serde_json::from_str(line)?;
        let [name, engine, place, home, url, state] = columns.map(|at| &row[at]);
        if !has_rows(state) {
            return Ok(());
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let engine = if engine == "postgres" { Engine::Postgres } else { Engine::Sqlite };
        let (name, place, home) = (text(name), text(place), text(home));
        self.found.push(Listed { name, engine, place, home, has_url: !url.is_null() });
        Ok(())
    }
}

/// The store of one that is being made is not there yet, and that of one that is being removed may be gone.
fn has_rows(state: &Value) -> bool {
    match state.as_str().and_then(State::from_word) {
        Some(State::Creating | State::Removing) => false,
        Some(State::Open | State::ReadOnly | State::Closed | State::Moving) | None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of a table of namespaces with these rows: name, label, engine, place, node, address and state.
    fn read(rows: &[&str]) -> Vec<Listed> {
        let mut sink = Namespaces::default();
        let columns = ["name", "label", "engine", "place", "home", "url", "state"].map(str::to_owned);
        sink.table("key", &columns).unwrap();
        sink.row(r#"["a", "", "postgres", "a-1", "node", "host=x", "open"]"#).unwrap();
        sink.table(TABLE, &columns).unwrap();
        rows.iter().for_each(|row| sink.row(row).unwrap());
        sink.table("task", &["name".to_owned()]).unwrap();
        sink.row(r#"["b"]"#).unwrap();
        sink.found
    }

    fn file(name: &str) -> Source {
        Source { name: name.to_owned(), title: name.to_owned(), rows: Rows::Sqlite(PathBuf::from(name)) }
    }

    #[test]
    fn ker_37_each_namespace_that_is_listed_and_not_found_is_elsewhere_with_its_reason() {
        let listed = read(&[
            r#"["main", "", "sqlite", "main", "node", null, "open"]"#,
            r#"["own", "", "postgres", "own-1", "node", "host=other", "open"]"#,
            r#"["moved", "", "postgres", "moved-1", "node", null, "closed"]"#,
            r#"["far", "", "sqlite", "far-1", "node", null, "read-only"]"#,
            r#"["new", "", "sqlite", "new-1", "node", null, "creating"]"#,
            r#"["gone", "", "postgres", "gone-1", "node", null, "removing"]"#,
        ]);
        // The old side of the one that was moved: not its rows any more.
        let found = [file("main"), file("moved-1")];
        let told = elsewhere(&Config::default(), &listed, &found);
        let expected = [("own", Why::OwnPostgres), ("moved", Why::NoUrl), ("far", Why::NoFile)];
        assert_eq!(told.iter().map(|it| (it.name.as_str(), it.why)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn ker_37_what_is_removed_while_namespaces_are_looked_for_is_not_missing() {
        let looked = |lists: &[&[&str]]| {
            let mut lists = lists.iter().map(|rows| read(rows));
            let mut look = || {
                let (found, listed) = (vec![file("main")], lists.next().unwrap());
                let elsewhere = elsewhere(&Config::default(), &listed, &found);
                Ok((found, listed, elsewhere))
            };
            let names = |told: Vec<Elsewhere>| told.into_iter().map(|it| it.name).collect::<Vec<_>>();
            (names(settled(&mut look).unwrap().2), lists.len())
        };
        let (main, own) = (
            r#"["main", "", "sqlite", "main", "node", null, "open"]"#,
            r#"["own", "", "postgres", "o-1", "node", "host=x", "open"]"#,
        );
        let (shop, leaving) = (
            r#"["shop", "", "sqlite", "s-1", "node", null, "open"]"#,
            r#"["shop", "", "sqlite", "s-1", "node", null, "removing"]"#,
        );
        assert_eq!(looked(&[&[main, own, shop], &[main, own, leaving]]), (vec!["own".to_owned()], 0));
        assert_eq!(looked(&[&[main, shop], &[main, shop]]), (vec!["shop".to_owned()], 0));
        assert_eq!(looked(&[&[main, own], &[]]), (vec!["own".to_owned()], 1), "looked once");
    }

    #[cfg(unix)]
    #[test]
    fn ker_37_a_folder_of_backups_whose_name_is_not_utf_8_is_told() {
        use std::os::unix::ffi::OsStringExt as _;

        let last = Some(PathBuf::from(std::ffi::OsString::from_vec(b"/b\xff/backup-1".to_vec())));
        let it = Elsewhere { name: "shop".into(), why: Why::NoFile, last, place: "s-1".into() };
        assert_eq!(serde_json::json!(it)["last"], "/b\u{fffd}/backup-1");
    }

    #[test]
    fn ker_37_a_file_on_the_disk_of_another_node_is_told_apart_from_one_that_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.data.dir = folder.path().to_owned();
        let row = |node: &str| format!(r#"["shop", "", "sqlite", "s-1", "{node}", null, "open"]"#);
        let why = |config: &Config, node: &str| elsewhere(config, &read(&[&row(node)]), &[])[0].why;
        assert_eq!(why(&config, "other"), Why::NoFile, "all rows are here, and there is one node only");
        config.store.engine = Engine::Postgres;
        assert_eq!(why(&config, "other"), Why::NoFile, "nobody knows which node this is");
        disk::make_folder(&folder.path().join("node")).unwrap();
        disk::write(&folder.path().join("node/name"), b"this").unwrap();
        assert_eq!((why(&config, "other"), why(&config, "this")), (Why::OtherNode, Why::NoFile));
    }
}
