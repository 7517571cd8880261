//! KER-3: namespaces are carried between engines, into archives and out of them, while the server runs and when it is killed; KER-37: texts in packs come back from backups.
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test starts processes, looks at their files, and gives up in the end"
)]

mod archives;
mod engine_postgres;
mod killed_postgres;
mod kit;
mod moves_postgres;
mod nodes_postgres;
mod packs;
mod shapes_postgres;
mod tenant;
