//! The HTTP edge over real TCP, with a real store. Tests are named after the requirement that they prove.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the finding")]
#![expect(clippy::disallowed_methods, reason = "looks at the process's own memory")]

mod auth;
mod blobs;
mod bodies;
mod client;
mod description;
mod edge;
mod errors;
mod http2;
mod keys;
mod overload;
mod probe;
mod requests;
mod system;
mod valve;
mod world;
