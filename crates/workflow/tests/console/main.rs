//! The console's pages of the workflow (CON-4, CON-9, WFL-23), by requests, on the real SQLite engine.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod groups;
mod lists;
mod pages;
mod pictures;
mod seen;
mod strangers;
