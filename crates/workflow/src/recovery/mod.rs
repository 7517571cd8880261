//! Looks after what nobody calls about (WFL-10 to WFL-15): workers that are silent, processes in which nothing happens.

mod begin;
mod decisions;

pub use decisions::{ANY_OVERDUE, OVERDUE};

pub(crate) use begin::TASK as BEGIN;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[decisions::STATEMENTS];
