//! The server as a library: [`main`] is the whole program for a given list of services.
//!
//! The `fastness` binary calls it with our services; a program of your own (see `examples/ledger`) calls it with yours
//! added. This crate is the one place that names engines and host parts.
//!
//! Invariants: nothing below this crate reads the environment, the command line or a configuration file.

mod admin;
mod alone;
mod archive;
mod backup;
mod blobs;
mod broker;
mod carry;
mod change_engine;
mod check;
mod cli;
pub mod config;
mod doctor;
mod exchanging;
mod filing;
mod first;
mod flowing;
#[doc(hidden)]
pub mod fuzzing;
mod heir;
mod keeper;
mod log;
mod obstacle;
mod outbound;
mod progress;
mod report;
mod restore;
mod sensing;
mod server;
mod stop;
mod stores;
mod supervise;
mod tasks;
mod tls;
mod traces;
mod watch;
mod watchdog;
mod welcome;
mod work;

use std::process::ExitCode;

/// Runs the command line with these services and gives the exit code: 0 done, 1 failed, 2 wrong use or configuration.
#[must_use]
pub fn main(services: Vec<web::Service>) -> ExitCode {
    cli::run(services)
}

/// The services that the `fastness` binary has; a program of your own takes them and adds its own.
#[must_use]
pub fn services() -> Vec<web::Service> {
    vec![documents::service(), sensors::service(), exchange::service(), workflow::service(), folders::service()]
}
