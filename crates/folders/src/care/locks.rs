//! Who writes or waits in a directory.

use base::{OpResult, Sql, Tx, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::list::OfDirectory;
use crate::desk::file;
use crate::desk::paths::Paths;
use crate::desk::rights::{Right, enter};
use crate::desk::seats::{Place, seats};

/// Who writes or waits in a directory, at most 1,000 places.
pub static LOCKS: Query<OfDirectory, Vec<LockView>> = Query::new("folders.locks", locks);

/// Places that are shown.
const LOCKS_MAX: usize = 1_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LIST];

static LIST: Sql = Sql::new("fld_seat.list", concat!(seats!(), " WHERE s.directory = ?1 ORDER BY s.place LIMIT 1000"));

/// A place that somebody writes, or waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderLock)]
pub struct LockView {
    /// The file; null where one is to be that is new.
    #[schema(nullable)]
    pub file: Option<String>,
    /// Where it is or is to be.
    pub path: String,
    /// Who writes.
    #[schema(nullable)]
    pub holder: Option<String>,
    /// For whom it is kept free.
    #[schema(nullable)]
    pub reserved: Option<String>,
    /// Who waits, in this order.
    pub waiting: Vec<String>,
    /// How long it is theirs without being renewed.
    pub left_ms: i64,
}

fn locks(tx: &mut dyn Tx, of: &OfDirectory) -> OpResult<Vec<LockView>> {
    enter(tx, &of.directory, &of.who, Right::Read)?;
    let (now, mut paths) = (tx.heard(), Paths::default());
    let rows = tx.query(&LIST, args![&of.directory], LOCKS_MAX)?;
    let mut views = vec![];
    for row in &rows {
        let place = Place::read(row)?;
        let (file, path) = whereabouts(tx, &mut paths, &place)?;
        views.push(LockView {
            file,
            path,
            holder: place.seat.holder().cloned(),
            reserved: place.seat.reserved().cloned(),
            waiting: place.seat.waiting().cloned().collect(),
            left_ms: (place.until.0 - now.0).max(0),
        });
    }
    Ok(views)
}

fn whereabouts(tx: &mut dyn Tx, paths: &mut Paths, place: &Place) -> OpResult<(Option<String>, String)> {
    let slot = place.place.strip_prefix(&format!("{}/", place.directory)).and_then(|rest| rest.split_once('/'));
    if let Some((parent, slot)) = slot {
        return Ok((None, paths.of(tx, parent, slot)?));
    }
    let path = match file::find(tx, &place.place)? {
        Some(found) => paths.of(tx, &found.entry.parent, &found.entry.name)?,
        None => String::new(),
    };
    Ok((Some(place.place.clone()), path))
}
