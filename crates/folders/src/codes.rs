//! The service's own error codes.

use base::Code;

/// A change that can never be made, or a value that cannot be.
pub const AFOLDER: Code = Code::new("AFOLDER", 422);
/// The directory would hold more than its quota.
pub const AQUOTA: Code = Code::new("AQUOTA", 422);
/// No such directory, or none that this key may know of.
pub const NDIRECTORY: Code = Code::new("NDIRECTORY", 404);
/// No such file or version.
pub const NFILE: Code = Code::new("NFILE", 404);
/// The upload lapsed, was rolled back, or never was.
pub const NUPLOAD: Code = Code::new("NUPLOAD", 404);

/// All of them.
pub const ALL: &[Code] = &[AFOLDER, AQUOTA, NDIRECTORY, NFILE, NUPLOAD];
