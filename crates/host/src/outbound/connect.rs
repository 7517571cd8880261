//! Connecting: name, guard, TCP, TLS. Until this has succeeded, no byte of a request has left.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base::Reach;
use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use url::Host;

use super::resolve::Resolver;
use super::roots::Roots;
use super::target::Target;

/// Addresses of one name that are tried.
const ADDRESSES_MAX: usize = 8;

/// A connection, whatever carries it.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Connects to targets.
pub(super) struct Connector {
    timeout: Duration,
    tls: TlsConnector,
    resolver: Resolver,
}

impl Connector {
    pub(super) fn new(timeout: Duration, roots: &Roots, resolver: Resolver) -> Self {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring can do what rustls thinks safe")
            .with_root_certificates(roots.store.clone())
            .with_no_client_auth();
        Self { timeout, tls: TlsConnector::from(Arc::new(config)), resolver }
    }

    /// A fresh connection to `target`, or why there is none.
    pub(super) async fn connect(
        &self,
        target: &Target,
        reach: Reach,
        deadline: Instant,
    ) -> Result<Box<dyn Stream>, String> {
        let deadline = deadline.min(Instant::now() + self.timeout);
        let connecting = self.connect_within(target, reach, deadline);
        timeout_at(deadline, connecting).await.map_err(|_| format!("no connection to {} in time", target.authority))?
    }

    async fn connect_within(
        &self,
        target: &Target,
        reach: Reach,
        deadline: Instant,
    ) -> Result<Box<dyn Stream>, String> {
        let allowed = judge(target, reach, self.resolve(target).await?)?;
        let stream = connect_any(&allowed, deadline).await;
        let stream = stream.map_err(|error| format!("no connection to {}: {error}", target.authority))?;
        // Only a socket that is gone already refuses this.
        let _ = stream.set_nodelay(true);
        if target.secure { self.secure(target, stream).await } else { Ok(Box::new(stream)) }
    }

    async fn resolve(&self, target: &Target) -> Result<Vec<SocketAddr>, String> {
        match &target.host {
            Host::Domain(name) => self.resolver.addresses(name, target.port).await,
            Host::Ipv4(address) => Ok(vec![(*address, target.port).into()]),
            Host::Ipv6(address) => Ok(vec![(*address, target.port).into()]),
        }
    }

    async fn secure(&self, target: &Target, stream: TcpStream) -> Result<Box<dyn Stream>, String> {
        let secured = self.tls.connect(target.server_name()?, stream).await;
        let stream = secured.map_err(|error| format!("no TLS with {}: {error}", target.authority))?;
        Ok(Box::new(stream))
    }
}

/// The guard: those of the addresses that may be called. Exactly these are connected to, so that a name which means
/// something else a moment later gains nothing.
fn judge(target: &Target, reach: Reach, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, String> {
    let (allowed, refused): (Vec<_>, Vec<_>) = found.into_iter().partition(|address| reach.allows(address.ip()));
    match refused.first() {
        Some(refused) if allowed.is_empty() => {
            Err(format!("{} is not a public address ({}) and is not called", target.authority, refused.ip()))
        }
        _ => Ok(allowed),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(reach: Reach, addresses: &[&str]) -> Result<Vec<String>, String> {
        let target = Target::parse("http://mixed.example/").unwrap();
        let found = addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 80)).collect();
        Ok(judge(&target, reach, found)?.iter().map(|address| address.ip().to_string()).collect())
    }

    #[test]
    fn ker_19_of_a_names_addresses_only_the_public_ones_are_called() {
        let mixed = ["127.0.0.1", "8.8.8.8", "::ffff:10.0.0.1", "2606:4700::1", "169.254.169.254"];
        assert_eq!(judged(Reach::Public, &mixed).unwrap(), ["8.8.8.8", "2606:4700::1"]);
        assert_eq!(judged(Reach::All, &mixed).unwrap().len(), 5);
        assert_eq!(judged(Reach::Near, &mixed).unwrap(), ["127.0.0.1", "8.8.8.8", "2606:4700::1"]);
        let refused = judged(Reach::Near, &["10.0.0.1", "169.254.169.254"]).unwrap_err();
        assert!(refused.contains("10.0.0.1"), "{refused}");
        let refused = judged(Reach::Public, &["10.0.0.1", "::1"]).unwrap_err();
        assert_eq!(refused, "mixed.example is not a public address (10.0.0.1) and is not called");
    }
}
