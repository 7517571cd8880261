//! Where a request comes from: the peer of the connection, or what a proxy that we trust says of it.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::HeaderMap;
use axum::http::header::HeaderName;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Hops that are looked at.
const HOPS_MAX: usize = 16;

/// The other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// A network of addresses: `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// Whether an address lies in it.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                same(network.to_bits().into(), address.to_bits().into(), 32 - u32::from(self.prefix))
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                same(network.to_bits(), address.to_bits(), 128 - u32::from(self.prefix))
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// Whether two numbers agree but for the lowest bits.
fn same(one: u128, other: u128, lowest: u32) -> bool {
    one.checked_shr(lowest) == other.checked_shr(lowest)
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is neither an address nor a network such as 10.0.0.0/8");
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.parse().map_err(|_| wrong()))?;
        if prefix > longest { Err(wrong()) } else { Ok(Self { address, prefix }) }
    }
}

/// The client's address. Proxies append to X-Forwarded-For, so it is read from its end: the first hop there that is no proxy of ours
/// is the client; what stands before it is the client's own invention.
pub(crate) fn client(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|network| network.contains(address));
    let mut client = peer.to_canonical();
    for hop in hops_from_the_end(headers).take(HOPS_MAX) {
        if !is_proxy(client) {
            break;
        }
        let Some(address) = address_of(hop) else { break };
        client = address;
    }
    client
}

fn hops_from_the_end(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values: Vec<_> = headers.get_all(X_FORWARDED_FOR).iter().map(|value| value.to_str().unwrap_or("")).collect();
    values.into_iter().rev().flat_map(|value| value.rsplit(',')).map(str::trim)
}

/// An address, with or without a port.
fn address_of(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    hop.parse::<IpAddr>().ok().or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, forwarded: &[&str], expected: &str) {
        let proxies: Vec<Network> = ["10.0.0.0/8", "192.0.2.1", "fd00::/8"].map(|text| text.parse().unwrap()).to_vec();
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(X_FORWARDED_FOR, value.parse().unwrap());
        }
        assert_eq!(client(peer.parse().unwrap(), &headers, &proxies).to_string(), expected, "{peer} {forwarded:?}");
    }

    #[test]
    fn ker_33_only_a_trusted_proxy_can_tell_another_address() {
        check("203.0.113.9", &["198.51.100.1"], "203.0.113.9");
        check("10.1.2.3", &["198.51.100.1"], "198.51.100.1");
        check("::ffff:10.1.2.3", &["198.51.100.1"], "198.51.100.1");
        check("fd00::1", &["2001:db8::7"], "2001:db8::7");
        check("10.1.2.3", &[], "10.1.2.3");
    }

    #[test]
    fn ker_33_what_stands_before_the_last_untrusted_hop_is_the_clients_invention() {
        check("10.1.2.3", &["1.1.1.1, 198.51.100.1, 192.0.2.1"], "198.51.100.1");
        check("10.1.2.3", &["1.1.1.1", "198.51.100.1:4711, 10.9.9.9"], "198.51.100.1");
        check("10.1.2.3", &["1.1.1.1, nonsense"], "10.1.2.3");
        check("10.1.2.3", &["nonsense, 192.0.2.1"], "192.0.2.1");
        check("10.1.2.3", &[&["10.0.0.1"; 40].join(",")], "10.0.0.1");
    }

    #[test]
    fn ker_33_networks_are_addresses_with_a_prefix() {
        let all: Network = "0.0.0.0/0".parse().unwrap();
        assert!(all.contains("203.0.113.9".parse().unwrap()) && !all.contains("2001:db8::1".parse().unwrap()));
        assert!("::/0".parse::<Network>().unwrap().contains("2001:db8::1".parse().unwrap()));
        for bad in ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "host", "::/129", "10.0.0.0/8/8"] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }
}
