//! A server of your own: everything Fastness has, and the ledger.
//!
//! Try it: `cargo run -p ledger -- serve`, then the requests in this folder's README.

use std::process::ExitCode;

fn main() -> ExitCode {
    fastness::main(vec![ledger::service()])
}
