//! Documents on the real SQLite engine, in one thread.

mod commits;
mod copies;
mod kit;
mod syncs;
