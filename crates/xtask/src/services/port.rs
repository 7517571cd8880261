//! A private free port.
//!
//! Taken from below the kernel's range for outgoing connections. A port from that range (which is what
//! binding to port 0 gives) can be lost while its server is stopped: a client that keeps reconnecting to
//! it may be given this very port as its own source, connect to itself, and the server cannot bind again.

use crate::Result;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

const LOWEST: u16 = 10_000;

/// Where Linux begins unless told otherwise.
const USUAL_EPHEMERAL_START: u16 = 32_768;

/// Each call in one process tries other ports than those before.
static NEXT: AtomicU16 = AtomicU16::new(0);

pub(super) fn free() -> Result<u16> {
    let size = ephemeral_start().max(LOWEST + 1) - LOWEST;
    let own = u16::try_from(std::process::id() % u32::from(size)).unwrap_or(0);
    let tries = (0..size).map(|_| NEXT.fetch_add(1, Ordering::Relaxed));
    let mut ports = tries.map(|turn| LOWEST + (own.wrapping_add(turn)) % size);
    ports.find(|&port| is_free(port)).ok_or_else(|| format!("no free port from {LOWEST} on"))
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

fn ephemeral_start() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    range.split_whitespace().next().and_then(|start| start.parse().ok()).unwrap_or(USUAL_EPHEMERAL_START)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ports_differ_and_lie_below_the_range_of_outgoing_connections() {
        let (first, second) = (free().unwrap(), free().unwrap());
        assert_ne!(first, second);
        assert!(first < ephemeral_start() && second < ephemeral_start(), "{first} {second}");
    }
}
