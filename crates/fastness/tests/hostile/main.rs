//! The program with all its services, and callers who mean harm: what one tenant knows of another is worth nothing, and what is no body is none on any
//! route. Both walk the program's own description of its API, so that a new route is walked without any change here.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests: a panic is the finding")]
#![expect(clippy::disallowed_methods, reason = "a receiver of its own, and waiting for the server")]

mod bodies;
mod kit;
mod logs;
mod scopes;
mod tenants;
