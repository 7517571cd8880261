//! Clients of sensors through the whole program, with real receivers on loopback (SEN-7, SEN-9, SEN-10).
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests: a panic is the finding")]
#![expect(
    clippy::disallowed_methods,
    reason = "receivers have threads of their own, and the server's memory is looked at"
)]

mod answers;
mod fairness;
mod guard;
mod kit;
mod receiver;
mod signature;
