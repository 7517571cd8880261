//! Looks after what nobody calls about (WFL-10 to WFL-15, WFL-20, WFL-25, WFL-27): workers that are silent, processes in which nothing
//! happens, what was lost.
//!
//! - `decisions`: tasks whose worker is silent, or whose time is over; `begin`: tasks whose time has come;
//! - `judge` and `mend` are pure: what is wrong with a ready task, and with a graph; `examine` reads what they need, `repair` carries out;
//! - `look`: graphs and processes whose time passed, found in a read (`well`: by counts); `watch` keeps looking;
//! - `verdict`: why a process does not go on; `analyse`: what would be repaired, page by page.

#[macro_use]
mod well;

mod analyse;
mod begin;
mod decisions;
mod examine;
pub mod judge;
mod look;
mod lost;
pub mod mend;
pub(crate) mod repair;
mod verdict;
mod watch;

pub use analyse::{ANALYSE, Analyse, Analysed, Ill, PAGE_MAX};
pub use decisions::{ANY_OVERDUE, OVERDUE};
pub use look::Whose;
pub use repair::{RECOVER, Repair, Repaired};
pub use verdict::{VERDICT, VerdictView};
pub use watch::Watch;

pub(crate) use begin::TASK as BEGIN;
pub(crate) use examine::{CALENDAR_GRACE_MS, Examined, examine, is_large};
pub(crate) use lost::LostGraphs;
pub(crate) use verdict::verdict;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] =
    &[decisions::STATEMENTS, examine::STATEMENTS, repair::STATEMENTS, look::STATEMENTS, analyse::STATEMENTS];
