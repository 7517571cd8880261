//! Names to addresses, on threads of their own: the system resolves while blocking, and cannot be told to stop.
//!
//! A lookup that nobody waits for any more keeps its thread until the system gives up. So there is room for twice as many
//! as there are calls at once, and what works under a name (see [`work`](super::work)) has threads beside these: names
//! whose servers never answer hold up neither.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Lookups at once. Threads come when they are needed and go when they are not.
pub(super) const LOOKUPS_MAX: usize = 1_024;

/// Resolves names.
#[derive(Clone)]
pub(super) struct Resolver(Arc<Semaphore>);

impl Resolver {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(LOOKUPS_MAX)))
    }

    /// All addresses of a name; at least one. The caller sets the time.
    pub(super) async fn addresses(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
        let place = Arc::clone(&self.0).acquire_owned().await.map_err(|error| error.to_string())?;
        let asked = (name.to_owned(), port);
        let looked = spawn_blocking(move || {
            let found = (asked.0.as_str(), asked.1).to_socket_addrs();
            drop(place);
            found
        });
        let found = looked.await.map_err(|error| format!("no address of {name}: {error}"))?;
        let found: Vec<_> = found.map_err(|error| format!("no address of {name}: {error}"))?.collect();
        if found.is_empty() { Err(format!("no address of {name}")) } else { Ok(found) }
    }
}
