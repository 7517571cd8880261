//! The service's own error codes.

use base::Code;

/// A class of documents, or one of its items, cannot be declared like this.
pub const ACLASS: Code = Code::new("ACLASS", 422);
/// The document exists already.
pub const AEXISTS: Code = Code::new("AEXISTS", 422);
/// A change of a document is not one that its class allows.
pub const AITEM: Code = Code::new("AITEM", 422);
/// A search that the class's indexes do not answer.
pub const ASEARCH: Code = Code::new("ASEARCH", 422);
/// A copy is ahead of the server's document.
pub const AVERSION: Code = Code::new("AVERSION", 422);
/// The index is not ready yet.
pub const CINDEX: Code = Code::new("CINDEX", 409);
/// The document has another version than the caller expected.
pub const CVERSION: Code = Code::new("CVERSION", 409);
/// No such class of documents.
pub const NCLASS: Code = Code::new("NCLASS", 404);
/// No such document.
pub const NDOC: Code = Code::new("NDOC", 404);
/// No such attachment.
pub const NATTACHMENT: Code = Code::new("NATTACHMENT", 404);

/// All of them.
pub const ALL: &[Code] = &[ACLASS, AEXISTS, AITEM, ASEARCH, AVERSION, CINDEX, CVERSION, NATTACHMENT, NCLASS, NDOC];
