//! The edge towards the network: accepting, limits per connection, draining.
//!
//! Invariants: a connection that sends nothing, too slowly, or does not read its answers is ended by a bound that is
//! configured here; a request that two parsers could read differently never reaches a handler ([`gate`]).

mod activity;
mod gate;
mod handshakes;
mod limits;
mod serve;
mod socket;
mod tls;

pub use limits::EdgeLimits;
pub use serve::{Drained, serve, serve_tls};
pub use tls::{Tls, TlsError};
