//! The schemas of all stores, on either engine: none is newer than this program.

use base::archive::SchemaStep;
use base::{Migration, StoreResult};
use store_postgres::archive as postgres;
use store_sqlite::archive as sqlite;

use super::Line;
use crate::backup::{self, Rows, Source};
use crate::config::Config;
use crate::restore;

const WHY: &str = "the server does not start on it";

/// A PostgreSQL that does not answer is told elsewhere.
pub(super) fn lines(config: &Config, services: &[web::Service]) -> Vec<Line> {
    let known = restore::plan::known(services);
    backup::sources(config).unwrap_or_default().iter().filter_map(|source| newer(source, &known)).collect()
}

/// A store that a newer program has written, or that nobody can read.
fn newer(source: &Source, known: &[Migration]) -> Option<Line> {
    let name = &source.name;
    let steps = match steps(&source.rows) {
        Ok(steps) => steps,
        Err(error) => {
            let what = format!("the store of namespace {name} cannot be read: {error}");
            return Some(Line::bad(what, WHY, "fastness check says more"));
        }
    };
    let beyond = steps.iter().find(|step| {
        let newest = known.iter().filter(|known| known.service == step.service).map(|known| known.version).max();
        newest.is_some_and(|newest| step.version > newest)
    })?;
    let what = format!("namespace {name}: the schema of {} is newer than this program", beyond.service);
    Some(Line::bad(what, WHY, "use the newer program"))
}

fn steps(rows: &Rows) -> StoreResult<Vec<SchemaStep>> {
    match rows {
        Rows::Sqlite(path) => sqlite::schema_steps(path),
        Rows::Postgres(settings) => postgres::schema_steps(settings),
    }
}
