//! The desk: the operations and queries that sessions call (`form` has their words). It knows no messages.
//!
//! Invariants: all of a group or nothing; a version is there only with its content; a seat without a holder's time left is nobody's; whoever
//! leaves a seat, in whatever way, calls out the directory's topic.

mod ask;
mod changes;
mod chunks;
pub(crate) mod commit;
pub(crate) mod content;
mod create;
mod cursor;
pub(crate) mod directory;
pub(crate) mod file;
mod files;
mod finish;
mod join;
mod known;
mod lapse;
mod missing;
mod moved;
pub(crate) mod numbers;
pub(crate) mod paths;
pub(crate) mod planned;
mod release;
mod renew;
pub(crate) mod rights;
pub(crate) mod seats;
pub(crate) mod segment;
pub(crate) mod tree;
mod upload;
mod watch;

use base::Sql;

pub use ask::{ASK, CHANGES_MAX};
pub use changes::{CHANGES, LISTING};
pub use chunks::{CONTENT, SEGMENTS};
pub use content::SEGMENTS_MAX;
pub use create::CREATE;
pub(crate) use create::check_name;
#[doc(hidden)]
pub use cursor::reads as reads_cursor;
pub use files::FILES;
pub use finish::FINISH;
pub use join::JOIN;
pub use known::{KNOWN, KNOWN_MAX};
pub use lapse::{ANY_LAPSED, LAPSE};
pub use missing::MISSING;
pub use release::RELEASE;
pub use renew::RENEW;
pub use rights::Right;
pub use segment::{CHUNK_MAX, SEGMENT};
pub use watch::Watch;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[
    changes::STATEMENTS,
    chunks::STATEMENTS,
    content::STATEMENTS,
    content::unused::STATEMENTS,
    create::STATEMENTS,
    directory::STATEMENTS,
    file::STATEMENTS,
    join::STATEMENTS,
    lapse::STATEMENTS,
    moved::STATEMENTS,
    paths::STATEMENTS,
    rights::STATEMENTS,
    seats::STATEMENTS,
    segment::STATEMENTS,
    tree::STATEMENTS,
    upload::STATEMENTS,
];
