//! TLS on the same edge (KER-33), with a real client: handshake, both protocols, a new certificate, slow handshakes.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Request;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use web::{EdgeLimits, Tls};

use crate::world::{ADMIN, Setup, World};

const ONE: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/// A certificate for `localhost` and its key.
struct Pair {
    certificate: String,
    key: String,
}

impl Pair {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        Self { certificate: made.cert.pem(), key: made.signing_key.serialize_pem() }
    }

    fn tls(&self) -> Tls {
        Tls::new(self.certificate.as_bytes(), self.key.as_bytes()).unwrap()
    }

    /// A client that trusts this certificate and no other.
    fn client(&self, protocols: &[&str]) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }

    /// A connection, or why the certificate that was shown is not this one.
    fn connect(&self, world: &World) -> Result<Connection, std::io::Error> {
        let stream = TcpStream::connect(world.addr)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let tls = ClientConnection::new(self.client(&["http/1.1"]), name()).unwrap();
        let mut stream = StreamOwned::new(tls, stream);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(Connection(stream))
    }

    fn asks(&self, world: &World) -> Result<u16, std::io::Error> {
        self.connect(world)?.ask(ONE)
    }
}

fn name() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}

struct Connection(StreamOwned<ClientConnection, TcpStream>);

impl Connection {
    /// The status of an answer that comes in one piece.
    fn ask(&mut self, request: &str) -> Result<u16, std::io::Error> {
        self.0.write_all(request.as_bytes())?;
        let mut bytes = [0; 4096];
        let count = self.0.read(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
        let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok());
        status.ok_or_else(|| std::io::Error::other(text))
    }
}

fn world(tls: &Tls, edge: EdgeLimits) -> World {
    World::with(Setup { tls: Some(tls.clone()), edge, ..Setup::default() })
}

/// Whether the server closes this connection.
fn is_closed(mut stream: TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
    }
}

#[test]
fn ker_33_requests_are_served_by_tls() {
    let pair = Pair::new();
    let world = world(&pair.tls(), EdgeLimits::default());
    let mut connection = pair.connect(&world).unwrap();
    assert_eq!(connection.0.conn.alpn_protocol(), Some(b"http/1.1".as_slice()));
    assert_eq!(connection.0.conn.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
    assert_eq!(connection.ask(ONE).unwrap(), 200);
    assert_eq!(connection.ask(ONE).unwrap(), 200, "and again on the same connection");
    let body = "{\"name\":\"t\"}";
    let request = format!(
        "POST /v1/main/probe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ADMIN}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(connection.ask(&request).unwrap(), 200);
    let smuggled = "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(connection.ask(smuggled).unwrap(), 400, "the gate stands behind TLS too");
}

#[test]
fn ker_33_http_2_is_agreed_on_in_the_handshake() {
    let pair = Pair::new();
    let world = world(&pair.tls(), EdgeLimits::default());
    world.block_on(async {
        let stream = tokio::net::TcpStream::connect(world.addr).await.unwrap();
        let connector = tokio_rustls::TlsConnector::from(pair.client(&["h2", "http/1.1"]));
        let stream = connector.connect(name(), stream).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
        let (client, connection) = h2::client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let mut client: h2::client::SendRequest<axum::body::Bytes> = client.ready().await.unwrap();
        let request = Request::builder().uri("https://localhost/healthz").body(()).unwrap();
        let (answer, _) = client.send_request(request, true).unwrap();
        assert_eq!(answer.await.unwrap().status(), 200);
        let call = Request::post("https://localhost/probe.Echo/Talk").header("content-type", "application/grpc");
        let (answer, _) = client.send_request(call.body(()).unwrap(), false).unwrap();
        assert_eq!(answer.await.unwrap().headers()["grpc-status"], "16", "gRPC by TLS, too");
    });
}

#[test]
fn ker_33_plain_http_and_a_client_that_does_not_trust_us_get_nothing() {
    let (pair, other) = (Pair::new(), Pair::new());
    let world = world(&pair.tls(), EdgeLimits::default());
    let mut plain = TcpStream::connect(world.addr).unwrap();
    plain.write_all(ONE.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    assert!(other.asks(&world).is_err());
    assert_eq!(pair.asks(&world).unwrap(), 200);
}

#[test]
fn ker_33_a_new_certificate_is_shown_without_a_restart_and_a_broken_one_never() {
    let (old, new) = (Pair::new(), Pair::new());
    let tls = old.tls();
    let world = world(&tls, EdgeLimits::default());
    let mut kept = old.connect(&world).unwrap();
    assert_eq!(kept.ask(ONE).unwrap(), 200);
    tls.renew(new.certificate.as_bytes(), new.key.as_bytes()).unwrap();
    assert_eq!(new.asks(&world).unwrap(), 200);
    assert!(old.asks(&world).is_err(), "the old one is not shown any more");
    assert_eq!(kept.ask(ONE).unwrap(), 200, "connections go on");
    tls.renew(old.certificate.as_bytes(), new.key.as_bytes()).unwrap_err();
    tls.renew(b"garbage", b"").unwrap_err();
    assert_eq!(new.asks(&world).unwrap(), 200);
}

#[test]
fn ker_33_slow_handshakes_harm_nobody() {
    let edge =
        EdgeLimits { connections_max: 8, handshake_timeout: Duration::from_secs(3_600), ..EdgeLimits::default() };
    let pair = Pair::new();
    let world = world(&pair.tls(), edge);
    // Far more than there are places, each with a beginning of a handshake or none at all.
    let mut slow: Vec<_> = (0..40).map(|_| TcpStream::connect(world.addr).unwrap()).collect();
    for (number, stream) in slow.iter_mut().enumerate() {
        let _ = stream.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01][..number % 7]);
    }
    for _ in 0..20 {
        assert_eq!(pair.asks(&world).unwrap(), 200);
    }
    assert!(is_closed(slow.swap_remove(0)), "the oldest has made room");
}

#[test]
fn ker_34_a_handshake_and_a_head_behind_it_end_at_their_time() {
    let time = Duration::from_millis(500);
    let edge = EdgeLimits { handshake_timeout: time, header_timeout: time, ..EdgeLimits::default() };
    let pair = Pair::new();
    let world = world(&pair.tls(), edge);
    assert!(is_closed(TcpStream::connect(world.addr).unwrap()), "silent");
    let mut begun = TcpStream::connect(world.addr).unwrap();
    begun.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01]).unwrap();
    assert!(is_closed(begun), "half a handshake");
    let mut within_head = pair.connect(&world).unwrap();
    within_head.0.write_all(b"GET / HT").unwrap();
    assert_eq!(within_head.0.read(&mut [0; 16]).unwrap_or(0), 0, "half a head");
}

#[test]
fn ker_35_a_stop_does_not_wait_for_handshakes() {
    let edge = EdgeLimits { handshake_timeout: Duration::from_secs(3_600), ..EdgeLimits::default() };
    let pair = Pair::new();
    let mut world = world(&pair.tls(), edge);
    let slow: Vec<_> = (0..4).map(|_| TcpStream::connect(world.addr).unwrap()).collect();
    assert_eq!(pair.asks(&world).unwrap(), 200, "those before have been accepted");
    assert_eq!(world.stop(), web::Drained { cut: 0 });
    assert!(slow.into_iter().all(is_closed));
}
