//! The `fastness` binary: the server with its services and nothing else.
//!
//! Everything is in the library, so that a program with services of its own is as short as this one: see
//! `examples/ledger`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fastness::main(fastness::services())
}
