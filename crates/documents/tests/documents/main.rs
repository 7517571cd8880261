//! Documents on the real SQLite engine, in one thread.

mod commits;
mod kit;
mod syncs;
