//! Doors for the fuzz targets: readers of bytes from the network that nobody else may call.

use axum::http::HeaderMap;

pub use crate::edge::passes;
pub use crate::grpc::messages;

/// Whether the headers that we read ourselves can be read.
#[must_use]
pub fn takes_headers(headers: &HeaderMap) -> bool {
    crate::head::OurHeaders::read(headers).is_ok()
}
