//! Files of messages as people see them (EXC-4, EXC-5): what lies in a folder, what is in a file, and back into the queue with it.
//!
//! Lists are made from the index; no file is opened for them.

mod list;
mod requeue;
mod text;

pub use list::{FILES_IN, FileView, FilesIn};
pub use requeue::{REQUEUE, Requeue, Requeued};
pub(crate) use text::{FIND_FILE, Filed, is_named};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&list::PAGE, &list::IS_THERE, &text::GET, &requeue::GET, &requeue::BACK, &requeue::KEEP_BODY];
