//! The HTTP edge over real TCP, with a real store. Tests are named after the requirement that they prove.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the finding")]
#![expect(clippy::disallowed_methods, reason = "looks at the process's own memory")]

mod accounts;
mod alerts;
mod auth;
mod blobs;
mod bodies;
mod client;
mod console_admin;
mod console_frame;
mod console_help;
mod console_tasks;
mod console_watch;
mod description;
mod echo;
mod edge;
mod errors;
mod events;
mod frames;
mod grpc;
mod http2;
mod journal;
mod keys;
mod namespaces;
mod overload;
mod probe;
mod requests;
mod sessions;
mod system;
mod tasks;
mod tls;
mod valve;
mod walk;
mod world;
