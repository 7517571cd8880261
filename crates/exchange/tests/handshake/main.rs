//! The handshake between devices, server and databases.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "an administrator who moves, removes and breaks files")]

mod calls;
mod clerk;
mod kit;
mod messages;
mod packs;
mod scan;
mod shelf;
mod vault;
