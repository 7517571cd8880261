//! What pages read beside what routes answer. Each costs what it shows, also among millions of processes and with values of megabytes.

mod detail;
mod lines;
mod totals;

pub(super) use detail::{DETAIL, Detail};
pub(super) use lines::{LINES, Stands, TaskLine, WAITS};
pub(super) use totals::{TOTALS, Totals};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&lines::LINE, &lines::WAIT];
