//! The stream of a client, message by message: what comes in, what goes out, and what is called for it. Pure: no store, no socket.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the finding")]

mod directories;
mod downloads;
mod numbers;
mod talk;
mod uploads;
mod waiters;
