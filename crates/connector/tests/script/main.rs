//! The connector against a server that follows a script, with a real SQLite file: what the real server cannot be made to do at will.
#![expect(clippy::disallowed_methods, reason = "tests work on the real world")]
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]

mod held_up;
mod http;
mod rounds;
mod server;
mod site;
mod slow_line;
