//! Processes (WFL-2): started, looked at, aborted, begun anew.

mod abort;
pub(crate) mod restart;
pub(crate) mod row;
mod show;
mod signal;
pub(crate) mod start;
mod tasks;

pub(crate) use abort::abort_held;
pub use abort::{ABORT, Abort};
pub use restart::{CLONE, Clone as CloneProcess, RESTART, Restart};
pub(crate) use restart::{from_start, from_task};
pub use show::{PROCESS, ProcessView};
pub use signal::{SIGNAL, Signal};
pub use start::{START, Start, Started};
pub use tasks::{HISTORY, HistoryView, TASKS, TaskView};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[row::STATEMENTS, restart::STATEMENTS, tasks::STATEMENTS];
