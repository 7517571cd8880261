//! The contacts as a process, used by `client` as programs use it: what the replica holds is compared with what the server says.
#![expect(clippy::disallowed_methods, reason = "tests of the whole program use the real clock, files and threads")]

mod contention;
mod contention_postgres;
mod copies;
mod guide;
mod killed;
mod kit;
mod operations;
mod operations_postgres;
mod private;
mod random;
