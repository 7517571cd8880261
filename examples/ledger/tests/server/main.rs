//! The server as a process: started, loaded, killed, starved of disk and of its database, and asked afterwards.
//!
//! Everything goes over HTTP to the real binary on a port of its own; what was acknowledged is compared with what is
//! there. Tests that need strace, a mount or PostgreSQL have it in their module's name.
#![expect(clippy::disallowed_methods, reason = "tests of the whole program use the real clock, files and threads")]

mod client;
mod faults_strace;
mod kill;
mod load;
mod postgres;
mod postgres_faults;
mod process;
mod start;
