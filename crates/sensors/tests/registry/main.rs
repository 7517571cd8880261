//! What is registered of sensors, and what is read of them, over HTTP on the real SQLite engine; the same on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clients;
mod console;
mod edge;
mod imports;
mod links;
mod postgres;
mod sensors;
mod told;
