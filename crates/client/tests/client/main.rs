//! Replicas on both kinds of shelf, and the client against a small server of its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod atomic;
mod epochs;
mod http;
mod late;
mod property;
mod relay;
mod source;
