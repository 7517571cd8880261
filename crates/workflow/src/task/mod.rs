//! Tasks (WFL-3): as they are asked for, as they are kept, as they are handed out.

mod args;
mod form;
mod retry;
pub(crate) mod row;

pub(crate) use args::{Args, Kept as KeptArgument};
pub use args::{Argument, Filled};
pub use form::{ErrorForm, TaskForm, VALUE_BYTES_MAX, check_value, promised};
pub use retry::{Growth, Retry};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = row::STATEMENTS;
