//! A server of your own: everything Fastness has, documents among it, and the contacts.
//!
//! Try it: `cargo run -p contacts -- serve`, then the requests in this folder's README.
//! The library beside this file is the application; there is nothing else to write.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut services = fastness::services();
    services.push(contacts::service());
    fastness::main(services)
}
