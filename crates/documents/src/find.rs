//! Finds classes by the beginning of their name, and documents by that of their id, class after class (CON-11).

use base::{OpResult, Row, Sql, Tx, after_prefix, args};
use kernel::Home;
use kernel::find::{Found, Sought};

use crate::browse::Viewer;

/// Classes that are looked at.
const CLASSES_MAX: usize = 200;
/// Rows of a class that are looked at: some may be deleted, or not for whoever asks.
const LOOKS_MAX: usize = 50;

pub(crate) static CLASSES: Sql = Sql::new("doc_class.names", "SELECT class FROM doc_class ORDER BY class LIMIT ?1");
pub(crate) static FIND: Sql =
    Sql::new("doc.sought", "SELECT id, ctime FROM doc WHERE class = ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4");

pub(crate) static CLASS: Sql = Sql::new(
    "doc_class.sought",
    "SELECT class FROM doc_class WHERE class >= ?1 AND class < ?2 ORDER BY class LIMIT ?3",
);

pub(crate) fn classes(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    let class = |row: &Row| Found { id: row.text(0).to_owned(), name: row.text(0).to_owned(), ..Found::default() };
    sought.gather(tx, &[&CLASS], class)
}

pub(crate) fn documents(tx: &mut dyn Tx, home: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    let classes = tx.query(&CLASSES, args![many(CLASSES_MAX)], CLASSES_MAX)?;
    let mut all = vec![];
    for class in classes.iter().map(|row| row.text(0)) {
        let viewer = Viewer::at_home(home, class, &sought.caller, &sought.properties);
        for id in ids(tx, class, sought)? {
            let found = Found { name: id.clone(), about: class.to_owned(), within: class.to_owned(), id };
            if viewer.sees(&found.id) && !all.contains(&found) {
                all.push(found);
            }
        }
        if all.len() >= sought.limit {
            break;
        }
    }
    all.truncate(sought.limit);
    Ok(all)
}

/// Ids of documents of a class that begin so, in whatever way it is written.
fn ids(tx: &mut dyn Tx, class: &str, sought: &Sought) -> OpResult<Vec<String>> {
    let mut ids = vec![];
    for form in sought.forms() {
        let Some(end) = after_prefix(&form) else { continue };
        let rows = tx.query(&FIND, args![class, &form, &end, many(LOOKS_MAX)], LOOKS_MAX)?;
        ids.extend(rows.iter().filter(|row| row.int(1) != 0).map(|row| row.text(0).to_owned()));
    }
    Ok(ids)
}

fn many(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
