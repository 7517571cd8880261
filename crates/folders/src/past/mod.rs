//! The past of files (FLD-24): shown, brought back, and let go in the end. It is only added to: what is brought back is a new version.

mod contents;
mod forget;
mod history;
mod restore;
mod rewind;
mod rules;
mod target;

use base::Sql;

pub(crate) use forget::FORGET;
pub use forget::FORGET_NOW;
pub use history::{HISTORY, HistoryOf, VersionView};
pub use restore::{RESTORE, Restore, Restored};
pub(crate) use rewind::TASK as REWIND_TASK;
pub use rewind::{BEGIN_REWIND, Begun, Rewind};
pub use rules::Rules;
pub use target::Moment;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] =
    &[contents::STATEMENTS, forget::STATEMENTS, history::STATEMENTS, rewind::STATEMENTS, target::STATEMENTS];
