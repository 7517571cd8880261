//! A store: sound as a file, at a schema that this program knows, with every invariant kept.

use std::path::Path;
use std::sync::Arc;

use base::archive::SchemaStep;
use base::{Migration, StoreResult, Tx};
use host::{OsEntropy, RealClock};
use store_postgres::PostgresConfig;
use store_postgres::archive as postgres;
use store_sqlite::archive as sqlite;

use super::invariants::Broken;
use super::{RESTORE, Report, invariants};
use crate::restore;

/// A SQLite file that nobody writes. Tells the names of the blobs that it refers to.
pub(super) fn sqlite(report: &mut Report, name: &str, path: &Path, services: &[web::Service]) -> Vec<String> {
    let place = format!("namespace {name}");
    // Before anything opens the store: SQLite would drop what stands behind the damage.
    if let Some(what) = store_sqlite::find_wal_damage(path) {
        report.find(&place, what, RESTORE);
    }
    match sqlite::find_damage(path) {
        Ok(damage) => damage.into_iter().for_each(|what| report.find(&place, what, RESTORE)),
        Err(error) => report.find(&place, format!("{}: {error}", path.display()), RESTORE),
    }
    if report.findings.iter().any(|finding| finding.place == place) {
        return vec![];
    }
    report.checked.push(format!("{place}: {}", path.display()));
    if !is_current(report, &place, sqlite::schema_steps(path), services) {
        return vec![];
    }
    let seen = sqlite::inspect(path, Arc::new(RealClock::new()), |tx| look(tx, services));
    tell(report, &place, seen, services)
}

/// Invariants that do not hold, and the names of blobs.
type Seen = (Vec<Broken>, StoreResult<Vec<String>>);

fn look(tx: &mut dyn Tx, services: &[web::Service]) -> Seen {
    (invariants::broken(tx, services), kernel::blobs::held(tx))
}

fn tell(report: &mut Report, place: &str, seen: StoreResult<Seen>, services: &[web::Service]) -> Vec<String> {
    let (broken, held) = match seen {
        Ok((broken, held)) => (Ok(broken), held),
        Err(error) => (Err(error), Ok(vec![])),
    };
    invariants::tell(report, place, broken, services);
    held.unwrap_or_else(|error| {
        report.find(place, format!("its blobs cannot be read: {error}"), RESTORE);
        vec![]
    })
}

/// A schema of PostgreSQL. Tells the names of the blobs that it refers to.
pub(super) fn postgres(
    report: &mut Report,
    name: &str,
    settings: &PostgresConfig,
    services: &[web::Service],
) -> Vec<String> {
    let place = format!("namespace {name}");
    report.checked.push(format!("{place}: PostgreSQL, schema {}", settings.schema));
    if !is_current(report, &place, postgres::schema_steps(settings), services) {
        return vec![];
    }
    let (clock, entropy) = (Arc::new(RealClock::new()), Arc::new(OsEntropy));
    let seen = postgres::inspect(settings, clock, entropy, |tx| look(tx, services));
    tell(report, &place, seen, services)
}

/// Whether the invariants of this program are those of the store.
fn is_current(
    report: &mut Report,
    place: &str,
    steps: StoreResult<Vec<SchemaStep>>,
    services: &[web::Service],
) -> bool {
    let steps = match steps {
        Ok(steps) => steps,
        Err(error) => {
            report.find(place, format!("its schema cannot be read: {error}"), RESTORE);
            return false;
        }
    };
    let known = restore::plan::known(services);
    for step in &steps {
        if let Some(what) = unlike(step, &known) {
            report.find(place, what, "use the program that wrote it, or a newer one");
            return false;
        }
    }
    let missing = known.iter().filter(|known| !steps.iter().any(|step| is_same(step, known))).count();
    if missing > 0 {
        report.notes.push(format!(
            "{place}: {missing} schema steps are missing, the next start applies them; its invariants were not checked"
        ));
    }
    missing == 0
}

fn is_same(step: &SchemaStep, known: &Migration) -> bool {
    step.service == known.service && step.version == known.version
}

/// A step that this program does not have as it was applied. Steps of services that it does not have at all are theirs.
fn unlike(step: &SchemaStep, known: &[Migration]) -> Option<String> {
    let SchemaStep { service, version, digest } = step;
    let newest = known.iter().filter(|known| known.service == service).map(|known| known.version).max()?;
    match known.iter().find(|known| is_same(step, known)) {
        Some(known) if known.digest() == *digest => None,
        Some(_) => Some(format!("schema step {service} {version} is not the one that this program has")),
        None => Some(format!("the schema of {service} is at step {version}, this program knows {newest}")),
    }
}
