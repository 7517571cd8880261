//! The whole way of a message: a phone, the server, `fastness exchange connect` as a process, and a real database; with answers that are
//! lost and connectors that are killed between every two steps.

#![expect(clippy::unwrap_used, reason = "tests end by panicking")]
#![expect(clippy::disallowed_methods, reason = "processes of the real world are waited for in real time")]

mod books;
mod firebird;
mod kit;
mod postgres;
mod proxy;
mod sqlite;
mod story;
