//! The guard against private addresses (KER-19): nothing connects, whatever the target is called.

use std::net::TcpListener;

use host::{HostOutbound, OutboundSettings};

use crate::calls::{answered, http, not_made, post};
use crate::servers::Server;

fn guarded() -> HostOutbound {
    HostOutbound::new(OutboundSettings::default()).unwrap()
}

/// Nobody has connected to this listener.
fn is_untouched(listener: &TcpListener) -> bool {
    listener.set_nonblocking(true).unwrap();
    listener.accept().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
}

#[test]
fn ker_19_no_spelling_of_loopback_is_called() {
    let outbound = guarded();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let spellings = [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "0.0.0.0",
        "0",
        "127.255.255.254",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
    ];
    for host in spellings {
        for scheme in ["http", "https"] {
            let reason = not_made(http(&outbound, post(format!("{scheme}://{host}:{port}/"))));
            assert!(reason.contains("not a public address"), "{host}: {reason}");
        }
    }
    assert!(is_untouched(&listener));
}

#[test]
fn ker_19_neighbours_and_the_clouds_metadata_are_not_called() {
    let outbound = guarded();
    for host in [
        "169.254.169.254",
        "2852039166",
        "[fd00:ec2::254]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[fe80::1]",
        "[fc00::1]",
        "[ff02::1]",
        "[2001:db8::1]",
    ] {
        let reason = not_made(http(&outbound, post(format!("http://{host}/latest/meta-data/"))));
        assert!(reason.contains("not a public address"), "{host}: {reason}");
    }
}

#[test]
fn ker_19_private_addresses_are_called_when_allowed() {
    let outbound = crate::calls::outbound();
    let server = Server::says("HTTP/1.1 204 No Content\r\n\r\n");
    let port = server.addr.port();
    for host in ["127.0.0.1", "localhost", "2130706433"] {
        assert_eq!(answered(http(&outbound, post(format!("http://{host}:{port}/")))).status, 204, "{host}");
    }
}
