//! The guides of `docs/` as they are, for the help of the console.
//!
//! Invariant: depends on nothing, and only the server's library depends on it: whoever edits a guide waits for nothing else.
//! Deliberately not here: pictures, decisions, reports of benchmarks, the list of requirements; and how a guide becomes a page.

/// Each guide: its path below `docs/`, and its text.
pub const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));
