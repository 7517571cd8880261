//! A server of your own: everything Fastness has, and the ledger. (The drill is for the kill harness; yours needs none.)
//!
//! Try it: `cargo run -p ledger -- serve`, then the requests in this folder's README.
//! The library beside this file is the service; there is nothing else to write.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "mutants")]
    switch_mutant();
    fastness::main(vec![ledger::service(), ledger::drill()])
}

/// Breaks a promise on purpose, to see whether the kill harness notices. Not in any build but the harness's own.
#[cfg(feature = "mutants")]
fn switch_mutant() {
    let Ok(name) = std::env::var("FASTNESS_MUTANT") else { return };
    let mutant = base::mutants::Mutant::named(&name);
    base::mutants::switch(mutant);
    eprintln!("mutant {name} is {}", if mutant.is_some() { "on" } else { "not known" });
}
