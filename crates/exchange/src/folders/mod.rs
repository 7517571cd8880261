//! Folders (EXC-4 to EXC-7): a file of each message, where the store says that it belongs.
//!
//! Rows are the truth, files follow: whatever changes a message's place makes it due for the clerk, who brings files there in batches
//! (`clerk`: decide and settle in transactions; `perform`: the files, outside of them). The text of a message stays in the store as long
//! as it can be given on, and until its file is durable in its last folder.
//!
//! Files are compared with rows at a start and on demand, and those that a batch may have touched of which nobody knows what came of it (`scan`).
//!
//! Invariants: a file is known to lie somewhere only after that is durable; one clerk is at work in a namespace at a time; what the clerk
//! did to a message that meanwhile belongs elsewhere is noted as it is, and put right with the next batch.

mod clerk;
mod generation;
mod layout;
mod leave;
mod perform;
mod scan;
mod shelves;
pub(crate) mod turn;

pub use clerk::{ANY_DUE_NOW, BEGIN, CLERK_OP, SCAN};
pub use layout::{FOLDERS, fits, folder_of, path_of, place_of};
pub use perform::{FILES, perform};
pub use scan::{Scans, recover};
pub use shelves::Shelves;

pub(crate) use clerk::{ALERT, CLERK, URGENT, make, wake_for_process};
pub(crate) use leave::leave;
pub(crate) use perform::{TEXTS, ask, call};
pub(crate) use scan::{ALERT as SCAN_ALERT, STATEMENTS as SCAN_STATEMENTS, close_lost_unless_any};

use base::{Cell, RelPath, Row, Sql, Wall};

use crate::message::name::FileName;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &clerk::DUE,
    &clerk::ANY_DUE,
    &clerk::MARK,
    &clerk::MARK_LAID,
    &clerk::OLDEST_DUE,
    &clerk::NEWEST_DUE,
    &clerk::ANY_PUT_OFF,
    &clerk::FORGET,
    &generation::GET,
    &generation::NEXT,
    &leave::WAITING,
    &leave::LET_BE,
    &clerk::FORGET_BODY,
    &clerk::CLEANING,
    &clerk::PUT_OFF,
    &clerk::DROP_BODY,
    &clerk::DROP_BODIES,
    &clerk::HOLDERS,
    &turn::GET,
    &turn::TAKE,
    &turn::NEXT,
    &turn::AGAIN,
    &turn::END,
    &perform::BODIES,
];

/// Where the file of a message may lie, below the folder of its namespace: first where its row says, then in the other folders, to which
/// the clerk may have brought it since. `columns` are those of the row. Nothing for a message that has no file.
#[must_use]
pub fn paths_of(columns: &[String], row: &Row) -> Vec<RelPath> {
    let cell = |name: &str| columns.iter().position(|column| column == name).map(|at| &row.0[at]);
    let text = |name: &str| match cell(name) {
        Some(Cell::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let number = |name: &str| match cell(name) {
        Some(Cell::Int(number)) => Some(*number),
        _ => None,
    };
    let named = || {
        let (at, number) = (Wall(number("at")?), number("number")?);
        let (id, from, to, subsystem) = (text("id")?, text("sender")?, text("receiver")?, text("subsystem")?);
        Some((text("db")?, text("on_disk")?, FileName { at, number, id, from, to, subsystem }.text()))
    };
    let Some((db, on_disk, name)) = named() else { return vec![] };
    let others = FOLDERS.iter().map(|(place, _)| *place).filter(|place| *place != on_disk);
    std::iter::once(on_disk.as_str()).chain(others).filter_map(|place| path_of(&db, place, &name)).collect()
}
