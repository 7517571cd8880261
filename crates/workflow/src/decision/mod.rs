//! Decisions (WFL-4): what is known of each task that is ready or was. `next` is pure; `row` keeps them.

pub mod next;
pub(crate) mod row;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = row::STATEMENTS;
