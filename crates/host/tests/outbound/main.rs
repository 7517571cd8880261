//! Calls to the outside against real servers on loopback. Tests are named after the requirement that they prove.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the finding")]

mod calls;
mod end;
mod guard;
mod http;
mod mail;
mod mail_server;
mod servers;
mod smtp;
mod tls;
mod work;
