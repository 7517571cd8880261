//! Doors for the fuzz targets: readers of bytes from the network that nobody else may call.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;

use axum::http::HeaderMap;

pub use crate::edge::passes;
pub use crate::grpc::messages;

/// Whether the headers that we read ourselves can be read.
#[must_use]
pub fn takes_headers(headers: &HeaderMap) -> bool {
    crate::head::OurHeaders::read(headers).is_ok()
}

/// The bytes that a `Range` asks for of a blob of this size: all of it, some, or none that are there.
#[must_use]
pub fn ranged(header: &str, size: u64) -> Option<Range<u64>> {
    crate::blobs::ranged(header, size)
}

/// What lets a caller in: the text of a key or of a session, if it has the form of one.
#[must_use]
pub fn shown(headers: &HeaderMap) -> Option<&str> {
    crate::auth::shown(headers)
}

/// Where a request comes from that came by a proxy on this machine.
#[must_use]
pub fn client(headers: &HeaderMap) -> IpAddr {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let proxies: Vec<_> = ["127.0.0.0/8", "::1"].iter().filter_map(|network| network.parse().ok()).collect();
    crate::address::client(here, headers, &proxies)
}

/// The digests that a browser says it has.
#[must_use]
pub fn digests(headers: &HeaderMap) -> Vec<String> {
    crate::namespaces::digests(headers)
}
