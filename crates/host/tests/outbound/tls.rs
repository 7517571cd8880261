//! HTTPS: a certificate that nobody vouches for is refused before anything is sent.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base::HttpCall;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::calls::{LONG, answered, http, not_made, outbound, post, with};

/// A server with a self-signed certificate of this name, for one connection; gives what it read.
struct TlsServer {
    addr: SocketAddr,
    certificate_pem: String,
    served: JoinHandle<String>,
}

pub fn server_config(name: &str) -> (Arc<ServerConfig>, String) {
    let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (Arc::new(config), made.cert.pem())
}

impl TlsServer {
    fn new(name: &str) -> Self {
        let (config, certificate_pem) = server_config(name);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let served = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(LONG)).unwrap();
            let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).unwrap_or(0);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            String::from_utf8_lossy(&bytes[..count]).into_owned()
        });
        Self { addr, certificate_pem, served }
    }

    fn url(&self, host: &str) -> String {
        format!("https://{host}:{}/", self.addr.port())
    }
}

#[test]
fn ker_19_a_certificate_that_is_not_trusted_is_refused_before_a_byte_of_the_request_leaves() {
    let server = TlsServer::new("localhost");
    let reason = not_made(http(&outbound(), post(server.url("localhost"))));
    assert!(reason.contains("no TLS with localhost"), "{reason}");
    assert_eq!(server.served.join().unwrap(), "");
}

#[test]
fn ker_19_a_configured_certificate_is_trusted_for_its_own_name_only() {
    let server = TlsServer::new("localhost");
    let trusting = with(|settings| settings.certificates = server.certificate_pem.clone().into_bytes());
    assert_eq!(answered(http(&trusting, post(server.url("localhost")))).body, b"ok");
    assert!(server.served.join().unwrap().starts_with("POST / HTTP/1.1\r\n"));
    let other = TlsServer::new("elsewhere.example");
    let trusting = with(|settings| settings.certificates = other.certificate_pem.clone().into_bytes());
    not_made(http(&trusting, post(other.url("localhost"))));
    assert_eq!(other.served.join().unwrap(), "");
}

#[test]
fn ker_14_a_server_that_speaks_no_tls_or_nothing_is_not_made() {
    let server = crate::servers::Server::says("HTTP/1.1 400 Bad Request\r\n\r\n");
    let url = format!("https://{}/", server.addr);
    let hurried = with(|settings| settings.connect_timeout = Duration::from_millis(300));
    not_made(http(&hurried, post(url)));
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    let url = format!("https://{}/", silent.local_addr().unwrap());
    not_made(http(&outbound(), HttpCall { timeout_ms: 300, ..post(url) }));
    assert!(start.elapsed() >= Duration::from_millis(300));
}
