//! What passed on the wire, each way: a counting proxy stands in front of whatever is dialled.

use std::net::SocketAddr;

use anyhow::Result;
use tokio::runtime::Runtime;

use crate::documents::Proxy;

/// Bytes by the end that sent or got them. Without a server between, what A sends is what B gets.
#[derive(Debug, Clone, Copy, Default)]
pub struct Passed {
    pub a_sends: u64,
    pub a_gets: u64,
    pub b_gets: u64,
    pub b_sends: u64,
}

impl Passed {
    pub fn all(self) -> u64 {
        self.a_sends + self.a_gets + self.b_gets + self.b_sends
    }

    pub fn and(self, more: Self) -> Self {
        Self {
            a_sends: self.a_sends + more.a_sends,
            a_gets: self.a_gets + more.a_gets,
            b_gets: self.b_gets + more.b_gets,
            b_sends: self.b_sends + more.b_sends,
        }
    }
}

/// The wires of one side.
pub enum Wire {
    /// Both dial a server.
    Server { a: Proxy, b: Proxy },
    /// A dials B.
    Direct(Proxy),
}

impl Wire {
    /// What passed since this was asked last.
    pub fn passed(&self) -> Passed {
        match self {
            Self::Server { a, b } => {
                let (a, b) = (a.passed(), b.passed());
                Passed { a_sends: a.up_bytes, a_gets: a.down_bytes, b_gets: b.down_bytes, b_sends: b.up_bytes }
            }
            Self::Direct(proxy) => {
                let passed = proxy.passed();
                let (up, down) = (passed.up_bytes, passed.down_bytes);
                Passed { a_sends: up, a_gets: down, b_gets: up, b_sends: down }
            }
        }
    }
}

/// A proxy to an address.
pub fn proxy(runtime: &Runtime, to: SocketAddr) -> Result<Proxy> {
    runtime.block_on(Proxy::start(to))
}
