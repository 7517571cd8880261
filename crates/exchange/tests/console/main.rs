//! The console's pages of the exchange (CON-3, CON-9), by requests, on the real SQLite engine.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "shared with the tests over HTTP, which use the rest")]
#[path = "../http/edge.rs"]
mod edge;
mod pages;
mod seen;
mod strangers;
