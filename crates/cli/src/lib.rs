//! The command line against a running server: `fastness <service> <noun> <verb>`.
//!
//! A service is one file below `services/` with its nouns and verbs, named in [`services::ALL`]. A verb makes calls of the public
//! API and hands what came to [`output`], which knows tables and JSON.
//!
//! Invariants: nothing here knows the server's inside, only its HTTP; what the server or a person wrote never reaches a
//! terminal unescaped; a change carries one Idempotency-Key; what is dangerous is asked about or needs `--yes`; the exit
//! code says what became of it.

mod access;
mod address;
mod completions;
mod demo;
mod failure;
mod flags;
#[doc(hidden)]
pub mod fuzzing;
mod input;
mod local;
mod login;
mod output;
mod page;
mod profile;
mod program;
mod reference;
mod search;
mod services;
mod session;
mod shell;
mod status;
mod stop;

pub use failure::EXIT_CODES;
pub use program::{joined, parse, run};
pub use shell::quoted;
