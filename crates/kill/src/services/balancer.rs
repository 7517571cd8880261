//! What stands in front of the nodes: gives each connection to the next one that says it is ready, as `docs/scaling.md` advises.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::client::Client;
use crate::machine::Front;
use crate::proxy::Proxy;

/// Between two looks at a node.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A node that says nothing for so long is taken for gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a node was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    Ready,
    /// It takes no new work, and says so or takes no new connections: what it has under way it may end.
    Leaving,
    Silent,
}

struct Inner {
    proxy: Proxy,
    nodes: Mutex<Vec<(Option<SocketAddr>, Health)>>,
    over: AtomicBool,
}

/// The balancer; ends when dropped.
pub(super) struct Balancer(Arc<Inner>);

impl Balancer {
    pub(super) fn start(nodes: usize) -> Result<Self> {
        let proxy = Proxy::start(SocketAddr::from(([127, 0, 0, 1], 1)))?;
        let nodes = Mutex::new(vec![(None, Health::Silent); nodes]);
        let inner = Arc::new(Inner { proxy, nodes, over: AtomicBool::new(false) });
        for node in 0..inner.lock().len() {
            let inner = inner.clone();
            thread::spawn(move || inner.watch(node));
        }
        Ok(Self(inner))
    }

    /// Where a node is, if it runs.
    pub(super) fn set(&self, node: usize, address: Option<SocketAddr>) {
        self.0.lock()[node] = (address, Health::Silent);
        self.0.pass_on();
    }

    pub(super) fn is_ready(&self, node: usize) -> bool {
        self.0.lock()[node].1 == Health::Ready
    }
}

impl Front for Balancer {
    fn address(&self) -> Result<SocketAddr> {
        Ok(self.0.proxy.address())
    }

    fn restart(&self) -> Result<()> {
        bail!("clients restart no nodes")
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Relaxed);
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Vec<(Option<SocketAddr>, Health)>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, node: usize) {
        while !self.over.load(Ordering::Relaxed) {
            let address = self.lock()[node].0;
            if let Some(address) = address {
                self.found(node, address, health(address));
            }
            thread::sleep(LOOK_EVERY); // tidy: sleep — balancers look now and then
        }
    }

    fn found(&self, node: usize, address: SocketAddr, health: Health) {
        let is_news = {
            let mut nodes = self.lock();
            // It may have moved meanwhile.
            let is_news = nodes[node].0 == Some(address) && nodes[node].1 != health;
            if is_news {
                nodes[node].1 = health;
            }
            is_news
        };
        if is_news {
            self.pass_on();
        }
        if is_news && health == Health::Silent {
            self.proxy.cut_to(address);
        }
    }

    fn pass_on(&self) {
        let is_ready = |(address, health): &(Option<SocketAddr>, Health)| address.filter(|_| *health == Health::Ready);
        self.proxy.point_to_all(self.lock().iter().filter_map(is_ready).collect());
    }
}

fn health(address: SocketAddr) -> Health {
    match Client::new(address, "").with_patience(PATIENCE).get("/readyz") {
        Ok(answer) if answer.status == 200 => Health::Ready,
        Ok(_) => Health::Leaving,
        // A node that stops closes its door first, and answers what it has. One that is gone took its connections with it.
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Health::Leaving,
        Err(_) => Health::Silent,
    }
}
