//! The service's own error codes.

use base::Code;

/// What is said of a company, subsystem, database, device or message cannot be.
pub const AEXCHANGE: Code = Code::new("AEXCHANGE", 422);
/// It is there already, or a message of this id with other content is.
pub const ATAKEN: Code = Code::new("ATAKEN", 409);
/// The process cannot do that in its state.
pub const APROCESS: Code = Code::new("APROCESS", 409);
/// A version that nobody knows.
pub const AFORM: Code = Code::new("AFORM", 422);
/// No such company, subsystem, database or device.
pub const NPARTY: Code = Code::new("NPARTY", 404);
/// No such message.
pub const NMESSAGE: Code = Code::new("NMESSAGE", 404);
/// No such process.
pub const NPROCESS: Code = Code::new("NPROCESS", 404);
/// No such activation code, or one that is over.
pub const SCODE: Code = Code::new("SCODE", 403);
/// The device is blocked.
pub const SBLOCKED: Code = Code::new("SBLOCKED", 403);

/// All of them.
pub const ALL: &[Code] = &[AEXCHANGE, APROCESS, ATAKEN, AFORM, NMESSAGE, NPARTY, NPROCESS, SBLOCKED, SCODE];
