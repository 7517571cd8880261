//! Imports (SEN-1): sensors or links by the hundred thousand, as lines of JSON or CSV.
//!
//! The lines are staged as a blob before anything is answered, so that an import that was taken is never lost. A task works through
//! them: it has some bytes read, and what their lines do is written in one commit together with how far it came. Killed at any
//! moment it goes on from there, and no line is done twice. A line that cannot be is rejected with its number and the reason, and
//! stops nothing.
//!
//! - [`begin`](mod@begin): takes an import; `work`: the task; `lines`, `csv`, `row`: what lines say (pure); `show`: how far it is.

mod begin;
mod csv;
mod lines;
mod row;
mod show;
mod state;
mod work;

pub use begin::{BEGIN_IMPORT, BeginImport, CANCEL_IMPORT};
pub use show::{IMPORTS, ImportView, ImportsOf, RejectedLine, SHOW_IMPORT};
pub use state::{ImportFormat, ImportKind, ImportState};
pub(crate) use work::IMPORT;

use base::Sql;
use kernel::blobs::Owner;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &begin::INSERT,
    &row::NAMED,
    &show::NEWEST,
    &show::BEFORE,
    &show::REJECTED,
    &state::GET,
    &state::SAVE,
    &state::REJECT,
];

/// Bytes of an import.
pub const IMPORT_MAX: u64 = 64 << 20;

/// How many lines of these bytes say something, and how many do not. For the fuzz targets.
#[doc(hidden)]
#[must_use]
pub fn count_lines(kind: ImportKind, format: ImportFormat, bytes: &[u8]) -> (usize, usize) {
    let mut columns = (format != ImportFormat::Csv).then(Vec::new);
    let portion = lines::cut(bytes, true, false, usize::MAX);
    let good = portion.lines.iter().filter(|line| {
        let lines::Line::Bytes(bytes) = line else { return false };
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        match &columns {
            Some(columns) => row::said(kind, format, columns, text).is_ok(),
            None => row::columns(kind, text).map(|names| columns = Some(names)).is_ok(),
        }
    });
    let good = good.count();
    (good, portion.lines.len() - good)
}

/// Who keeps the bytes of an import.
fn owner(id: &str) -> Owner<'_> {
    Owner { kind: "sensor.import", id }
}
