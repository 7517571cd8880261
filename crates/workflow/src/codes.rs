//! The service's own error codes.

use base::Code;

/// What is said of a process, a task or an actor cannot be.
pub const AWORKFLOW: Code = Code::new("AWORKFLOW", 422);
/// Tasks that wait for each other, or for something that is not there.
pub const AGRAPH: Code = Code::new("AGRAPH", 422);
/// The process cannot do that in its state.
pub const AFLOW: Code = Code::new("AFLOW", 409);
/// No such process.
pub const NFLOW: Code = Code::new("NFLOW", 404);
/// No such task in this process.
pub const NFLOWTASK: Code = Code::new("NFLOWTASK", 404);
/// No such job, schedule or saved search.
pub const NFLOWJOB: Code = Code::new("NFLOWJOB", 404);

/// All of them.
pub const ALL: &[Code] = &[AFLOW, AGRAPH, AWORKFLOW, NFLOW, NFLOWJOB, NFLOWTASK];
