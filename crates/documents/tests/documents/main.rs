//! Documents on the real SQLite engine, in one thread.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the finding")]

mod cache;
mod commits;
mod grants;
mod kit;
mod syncs;
