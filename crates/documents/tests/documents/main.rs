//! Documents on the real SQLite engine, in one thread; searches on PostgreSQL too.

mod commits;
mod fills;
mod kit;
mod postgres;
mod search_model;
mod searches;
mod syncs;
