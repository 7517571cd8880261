//! The message broker for real: a RabbitMQ of `cargo xtask services` that is asked, stopped, frozen and killed.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the finding")]

mod basket;
mod broker;
mod consumer;
mod faults;
mod level;
mod publisher;
mod silent;
