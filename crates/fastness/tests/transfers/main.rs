//! KER-3: namespaces are carried between engines, into archives and out of them, while the server runs and when it is killed.

mod archives;
mod killed_postgres;
mod kit;
mod moves_postgres;
mod shapes_postgres;
mod tenant;
