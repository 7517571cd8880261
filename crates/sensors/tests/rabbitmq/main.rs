//! Signals and notification tasks through a real RabbitMQ of `cargo xtask services`.

#![expect(clippy::unwrap_used, reason = "tests end by panicking")]
#![expect(clippy::disallowed_methods, reason = "a broker of the real world is waited for in real time")]

mod intake;
mod kit;
mod notify;
