//! Which addresses are public: the guard's one question (KER-19).
//!
//! The list is that of the special-purpose registries, read narrowly: whatever is not plainly an address of the public
//! internet is refused, also where it only wraps another address (mapped, 6to4, NAT64, Teredo), because somebody on the
//! way may unwrap it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public, as (address, bits).
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network, unspecified
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // carriers' address translation
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, metadata of clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocols
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved
    (Ipv4Addr::new(255, 255, 255, 255), 32),
];

/// All public IPv6 addresses begin so; mapped, compatible, NAT64, unique-local, link-local, site-local and multicast
/// addresses lie outside.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks within [`GLOBAL_V6`] that are not public.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 5] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocols: Teredo, benchmarking, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3ffe, 0, 0, 0, 0, 0, 0, 0), 16), // 6bone, given back
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Which addresses a call may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those of the public internet.
    Public,
    /// Those, and this machine itself at its loopback addresses.
    Near,
    /// All.
    All,
}

impl Reach {
    /// Whether an address is among them.
    #[must_use]
    pub fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            // As it is written, and not an IPv4 address in another dress: that is refused as everywhere.
            Self::Near => is_public(address) || address.is_loopback(),
            Self::All => true,
        }
    }
}

/// Whether an address is plainly one of the public internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4.iter().any(|network| v4_within(address, *network)),
        IpAddr::V6(address) => {
            v6_within(address, GLOBAL_V6) && !NOT_PUBLIC_V6.iter().any(|network| v6_within(address, *network))
        }
    }
}

fn v4_within(address: Ipv4Addr, (network, bits): (Ipv4Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
}

fn v6_within(address: Ipv6Addr, (network, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First and last of every network, so that a wrong number of bits shows.
    const NOT_PUBLIC: &str = "
        0.0.0.0 0.255.255.255  10.0.0.0 10.255.255.255  100.64.0.0 100.127.255.255  127.0.0.0 127.0.0.1 127.255.255.255
        169.254.0.0 169.254.169.254 169.254.255.255  172.16.0.0 172.31.255.255  192.0.0.0 192.0.0.255
        192.0.2.0 192.0.2.255  192.88.99.0 192.88.99.255  192.168.0.0 192.168.255.255  198.18.0.0 198.19.255.255
        198.51.100.0 198.51.100.255  203.0.113.0 203.0.113.255  224.0.0.0 239.255.255.255  240.0.0.0 255.255.255.254
        255.255.255.255
        :: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1
        64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 100:0:0:1::1 1fff::1
        2001::1 2001:0:7f00:1::1 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1
        2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff
        2002:: 2002:7f00:1::1 2002:808:808::1 2002:ffff::1  3ffe::1  3fff:: 3fff:fff:ffff::1  4000::1 5f00::1
        fc00::1 fd00::1 fdff:ffff::1 fe00::1 fe80::1 febf::1 fec0::1 feff::1 ff00::1 ff02::1 ffff::1";

    /// The nearest public ones around them, and some well-known.
    const PUBLIC: &str = "
        1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
        169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255
        192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255
        203.0.114.0 223.255.255.255
        2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700:4700::1111 3ffd::1
        3fff:1000::1 2a00:1450:4001::1";

    #[test]
    fn ker_19_only_addresses_of_the_public_internet_are_public() {
        for text in NOT_PUBLIC.split_whitespace() {
            assert!(!is_public(text.parse().unwrap()), "{text} is not public");
        }
        for text in PUBLIC.split_whitespace() {
            assert!(is_public(text.parse().unwrap()), "{text} is public");
        }
    }
}
