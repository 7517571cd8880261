//! The demos against a real server that nobody configured (CON-12): each tells its story, keeps what it claims, and leaves nothing; also when it
//! is stopped or killed in the middle.
#![expect(clippy::disallowed_methods, reason = "a test starts processes and looks at their files")]
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]

mod interrupted;
mod kit;
mod manners;
mod on_postgres;
mod stories;
mod temporary;
