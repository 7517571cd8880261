//! Searches for processes (WFL-18): what is looked for, how it is found page by page, and those that somebody gave a name.
//!
//! A page costs about the same whatever the table holds: it looks at a bounded number of rows along the index that fits best, and tells
//! where to go on, also if it found fewer than were asked for.

mod broken;
mod find;
mod form;
mod matching;
mod saved;
mod walk;

pub use broken::BrokenBy;
pub use find::{Found, Order, PROCESSES, ProcessLine, ProcessesOf};
pub use form::Search;
pub use saved::{DELETE_SEARCH, SAVE_SEARCH, SEARCHES, SaveSearch, SavedSearch};

pub(crate) use form::{Wanted, moment};
pub(crate) use matching::matches;
pub(crate) use walk::{Seen, Walk};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] =
    &[broken::STATEMENTS, walk::STATEMENTS, matching::STATEMENTS, find::STATEMENTS, saved::STATEMENTS];
