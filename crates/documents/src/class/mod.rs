//! Classes of documents: what may be in them, what is indexed, what is copied (DOC-2, DOC-13, DOC-14).

mod compile;
mod decl;
mod declare;
mod ensure;
mod load;
mod offered;
mod show;

pub use compile::{Compiled, Field, FieldKind, Source};
pub use decl::{ClassDecl, IndexType, ItemDecl};
pub(crate) use declare::{ALL_CLASSES, ALL_FIELDS, INSERT_FIELD, PUT_CLASS, SET_FIELD_STATE, put_compiled};
pub use declare::{DECLARE, Declared, LIST_CLASSES, declare};
pub(crate) use ensure::ensure_offered;
pub(crate) use load::{GET_CLASS, load, load_in, parse};
pub use offered::{Asking, DocClass, ItemClass, Keyed, Singleton, SyncFilter, Verdict};
pub use show::{ClassView, SHOW_CLASSES};

/// The item class of attachments, in every class (DOC-12).
pub const ATTACHMENT: &str = "P";
/// Name of the index over the keys of copies.
pub(crate) const KEY_FIELD: &str = "$key";
