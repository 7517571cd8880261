//! Workers of the client's crate, and of Python, against a real server (WFL-1).
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test has threads, and fails by panicking")]

mod functions;
mod kit;
mod lost;
#[path = "../connect/proxy.rs"]
#[expect(dead_code, reason = "workers are cut off here, and not killed")]
mod proxy;
mod python;
mod silence;
mod stop;
