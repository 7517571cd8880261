//! Connecting: name, guard, TCP, TLS. Until this has succeeded, no byte of a request has left.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use url::Host;

use super::public::is_public;
use super::roots::Roots;
use super::target::Target;

/// Addresses of one name that are tried.
const ADDRESSES_MAX: usize = 8;

/// A connection, whatever carries it.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Connects to targets.
pub(super) struct Connector {
    allow_private: bool,
    timeout: Duration,
    tls: TlsConnector,
}

impl Connector {
    pub(super) fn new(allow_private: bool, timeout: Duration, roots: &Roots) -> Self {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring can do what rustls thinks safe")
            .with_root_certificates(roots.store.clone())
            .with_no_client_auth();
        Self { allow_private, timeout, tls: TlsConnector::from(Arc::new(config)) }
    }

    /// A fresh connection to `target`, or why there is none.
    pub(super) async fn connect(&self, target: &Target, deadline: Instant) -> Result<Box<dyn Stream>, String> {
        let deadline = deadline.min(Instant::now() + self.timeout);
        let connecting = self.connect_within(target, deadline);
        timeout_at(deadline, connecting).await.map_err(|_| format!("no connection to {} in time", target.authority))?
    }

    async fn connect_within(&self, target: &Target, deadline: Instant) -> Result<Box<dyn Stream>, String> {
        let found = resolve(target).await?;
        let allowed: Vec<_> = found.iter().copied().filter(|address| self.allows(address.ip())).collect();
        if allowed.is_empty() {
            let refused = found.first().map(|address| address.ip().to_string()).unwrap_or_default();
            return Err(format!("{} is not a public address ({refused}) and is not called", target.authority));
        }
        let stream = connect_any(&allowed, deadline).await;
        let stream = stream.map_err(|error| format!("no connection to {}: {error}", target.authority))?;
        // Only a socket that is gone already refuses this.
        let _ = stream.set_nodelay(true);
        if target.secure { self.secure(target, stream).await } else { Ok(Box::new(stream)) }
    }

    fn allows(&self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }

    async fn secure(&self, target: &Target, stream: TcpStream) -> Result<Box<dyn Stream>, String> {
        let secured = self.tls.connect(target.server_name()?, stream).await;
        let stream = secured.map_err(|error| format!("no TLS with {}: {error}", target.authority))?;
        Ok(Box::new(stream))
    }
}

/// All addresses of the target; at least one.
async fn resolve(target: &Target) -> Result<Vec<SocketAddr>, String> {
    let name = match &target.host {
        Host::Domain(name) => name,
        Host::Ipv4(address) => return Ok(vec![(*address, target.port).into()]),
        Host::Ipv6(address) => return Ok(vec![(*address, target.port).into()]),
    };
    let found = lookup_host((name.as_str(), target.port)).await;
    let found: Vec<_> = found.map_err(|error| format!("no address of {name}: {error}"))?.collect();
    if found.is_empty() { Err(format!("no address of {name}")) } else { Ok(found) }
}

/// One after the other. Each has an equal part of the time left, so that one that swallows packets leaves some for the
/// others.
async fn connect_any(addresses: &[SocketAddr], deadline: Instant) -> io::Result<TcpStream> {
    let tried = &addresses[..addresses.len().min(ADDRESSES_MAX)];
    let mut last = io::ErrorKind::AddrNotAvailable.into();
    for (left, address) in (1..=tried.len()).rev().zip(tried) {
        let part = deadline.saturating_duration_since(Instant::now()) / u32::try_from(left).unwrap_or(1);
        match timeout(part, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}
