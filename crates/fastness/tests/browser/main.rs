//! The server's pages in a real browser (CON-10): `cargo xtask services run -- cargo nextest run -p fastness --test browser`.
//!
//! Each test has a server and a browser of its own.

mod public;
mod site;
