//! Documents on the real SQLite engine, in one thread.

mod cache;
mod commits;
mod grants;
mod kit;
mod syncs;
