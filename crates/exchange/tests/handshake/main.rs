//! The handshake between devices, server and databases.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod kit;
mod messages;
