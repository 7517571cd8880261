//! The handshake between devices, server and databases.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod clerk;
mod kit;
mod messages;
mod scan;
mod shelf;
