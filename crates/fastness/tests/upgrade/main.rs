//! Upgrades and downgrades by a schema step (KER-39, cell P9-X), with real servers on both engines: a store that a newer program has written is
//! refused by name and left as it is; a store of an older schema comes up to date with everything that is in flight, which goes on.
//!
//! No older program is needed: each step is taken back in the store itself ([`older`]), which a test compares with a store that only the older steps
//! made.
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test starts processes, looks at their files, and gives up in the end"
)]

mod flight;
mod newer;
mod older;
mod place;
