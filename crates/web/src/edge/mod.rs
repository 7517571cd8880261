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

/// How many of these bytes may pass, in the pieces that they came in. For the fuzz targets.
#[must_use]
pub fn passes<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> usize {
    let (mut gate, mut all) = (gate::Gate::new(), 0);
    for piece in pieces {
        let passed = gate.pass(piece);
        all += passed;
        if passed < piece.len() {
            break;
        }
    }
    all
}
