//! Actors and types of processes: what holds for them (WFL-10), who polls (WFL-13, WFL-21).

pub(crate) mod polled;
pub(crate) mod rules;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[rules::STATEMENTS, polled::STATEMENTS];
