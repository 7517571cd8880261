//! A server of your own: everything Fastness has, and the ledger.
//!
//! Try it: `cargo run -p ledger -- serve`, then the requests in this folder's README.
//! The library beside this file is the service; there is nothing else to write.

use std::process::ExitCode;

fn main() -> ExitCode {
    fastness::main(vec![ledger::service()])
}
