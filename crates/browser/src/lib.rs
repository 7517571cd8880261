//! Pages seen with a real browser: headless Chromium through WebDriver.
//!
//! [`Eyes`] is one browser with an empty profile: it goes to pages, finds what a person would find (by role and name),
//! waits for what the page does by itself, takes pictures, and [judges](Eyes::judge) a page: nothing on the console, no
//! breach of the policy, nothing that shuts people out. The program `look` does this for any address; the tests are those
//! of the server (`crates/fastness/tests/browser`).
//!
//! Invariants: calls wait, bounded, and block; a browser ends with its [`Eyes`], a driver that was started here with its
//! [`Driver`], also after a kill. Nothing of the server is known here, so that this crate is built once.
//! Deliberately not here: starting servers (see `kill`), other browsers.

mod command;
pub mod driver;
pub mod eyes;
pub mod judge;
pub mod shrink;
pub mod sight;

pub use driver::Driver;
pub use eyes::Eyes;
pub use fantoccini::key::Key;
pub use sight::{Sight, Theme};
