//! The handshake (EXC-10 to EXC-20): what waits for a database is given to it, and what it did with it is taken in exactly once.

mod finish;
mod moves;
mod narrow;
pub mod next;
mod prepare;
mod resume;
mod row;
mod show;
mod start;
mod timeouts;

pub use finish::{Answer, COMMIT, Finish, GIVE_UP, INTERRUPT, RESOLVE, ROLLBACK, Resolve, Status};
pub(crate) use finish::{forget, move_failed, moved};
pub(crate) use narrow::close_skipped_alert;
pub use narrow::{NARROW, Narrow};
pub use prepare::{MessageResult, PREPARE, Prepare, Processed, REPLIES_MAX};
pub use resume::{RESUME, Resume};
pub(crate) use row::Process;
pub use show::{GivenView, PROCESSES, ProcessOf, ProcessState, ProcessView, ProcessesOf, SHOW_PROCESS};
pub use start::{START, Start, StartAnswer, Started};
pub(crate) use timeouts::LATE_MAX;
pub use timeouts::{LATE, TIMEOUT};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &row::GET,
    &row::INSERT,
    &row::READY,
    &row::SET_STATE,
    &row::END,
    &start::ACTIVE,
    &start::QUEUE,
    &start::QUEUE_OF,
    &start::QUEUE_FROM,
    &start::HOLD,
    &start::GIVE,
    &start::GIVEN,
    &narrow::GIVEN,
    &narrow::LEAVE_OUT,
    &narrow::FORGET,
    &narrow::SKIPPED,
    &prepare::RESULT,
    &prepare::ALL_PROCESSED,
    &prepare::KEEP_ALL_PROCESSED,
    &prepare::REPLIED,
    &prepare::KEEP_RESULT,
    &moves::FREE,
    &moves::DROP_BODIES,
    &moves::DROP_DRAFTS,
    &moves::GIVE_UP_DRAFTS,
    &moves::LAY_DRAFTS,
    &moves::LAY,
    &moves::UNUSUAL,
    &moves::FINISH,
    &moves::LET_GO,
    &moves::SEND_DRAFTS,
    &moves::HOLDS,
    &moves::DROP_HELD_BODIES,
    &moves::DROP_GIVEN,
    &moves::GIVE_UP_GIVEN,
    &timeouts::OVERDUE,
    &timeouts::IS_OVERDUE,
    &resume::DUE_NOW,
    &show::ONE,
    &show::ALL,
    &show::OF,
    &show::IN_STATE,
    &show::OF_IN_STATE,
    &show::MESSAGES,
];
