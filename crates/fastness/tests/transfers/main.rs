//! KER-3: namespaces are carried between engines, into archives and out of them, while the server runs and when it is killed.
#![expect(
    clippy::disallowed_methods,
    reason = "a test starts processes, looks at their files, and gives up in the end"
)]

mod archives;
mod killed_postgres;
mod kit;
mod moves_postgres;
mod nodes_postgres;
mod shapes_postgres;
mod tenant;
