//! What a name may be, and when two are the same (FLD-18). Pure.

/// How a directory compares names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// By folded NFC: `A` and `a` are twins.
    Folded,
    /// Byte by byte.
    Exact,
}

/// The slot of a name: what is unique within a folder.
#[must_use]
pub fn slot(_policy: Policy, _name: &str) -> String {
    todo!("C writes this")
}

/// The parts of a path, if each may be a name; why not, for people.
///
/// # Errors
/// Absolute, `..`, NUL, backslash, drive, a part over 255 bytes, our own temporary names, an empty part.
pub fn parts(_path: &str) -> Result<Vec<&str>, String> {
    todo!("C writes this")
}
