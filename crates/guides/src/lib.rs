//! The guides of `docs/` as they are, for the help of the console: without pictures, decisions and reports of benchmarks.
//!
//! Invariant: depends on nothing, and only the server's library depends on it: whoever edits a guide waits for nothing else.

/// Each guide: its path below `docs/`, and its text.
pub const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));
