//! The service's own error codes.

use base::Code;

/// What is said of a sensor, a client or a signal cannot be.
pub const ASENSOR: Code = Code::new("ASENSOR", 422);
/// A client of that name is there already.
pub const ACLIENT: Code = Code::new("ACLIENT", 422);
/// No such sensor.
pub const NSENSOR: Code = Code::new("NSENSOR", 404);
/// No such client.
pub const NCLIENT: Code = Code::new("NCLIENT", 404);
/// No such import.
pub const NIMPORT: Code = Code::new("NIMPORT", 404);
/// The archive of history does not answer.
pub const XHISTORY: Code = Code::new("XHISTORY", 503);

/// All of them.
pub const ALL: &[Code] = &[ACLIENT, ASENSOR, NCLIENT, NIMPORT, NSENSOR, XHISTORY];
