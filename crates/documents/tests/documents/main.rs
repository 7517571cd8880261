//! Documents on the real SQLite engine, in one thread; searches on PostgreSQL too.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cache;
mod commits;
mod copies;
mod edge;
mod fills;
mod grants;
mod kit;
mod pages;
mod postgres;
mod routes;
mod search_model;
mod searches;
mod syncs;
mod upgrade;
mod who;
