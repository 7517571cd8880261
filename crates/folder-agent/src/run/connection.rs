//! Where the server is, and how it is reached.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use prost::bytes::Bytes;
use serde::{Deserialize, Serialize};
use synxpo::wire::client_message::Message as Say;
use synxpo::wire::server_message::Message as Hear;
use synxpo::wire::{ClientMessage, DirectoryCreate};
use tokio::net::TcpStream;
use url::Url;

use super::line::{self, Receiver, Sender};

/// What is on its way here at once.
const WINDOW: u32 = 8 << 20;
/// Nothing on the wire for so long: is anybody there?
const PING: Duration = Duration::from_secs(20);
const CONNECT: Duration = Duration::from_secs(15);

/// Where a directory is, and by what right.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// `https://host` or `http://host:port`.
    pub server: Url,
    /// The namespace.
    pub namespace: String,
    /// The key.
    pub key: String,
}

/// The key is not shown.
impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.server, self.namespace)
    }
}

impl Address {
    pub(super) fn stream_uri(&self) -> String {
        let base = self.server.as_str().trim_end_matches('/');
        format!("{base}/synxpo.SyncService/Stream")
    }

    /// Opens a stream; the connection ends with it.
    pub(super) async fn open(&self) -> io::Result<(Sender, Receiver)> {
        let opened = tokio::time::timeout(CONNECT, self.try_to_open()).await;
        opened.unwrap_or_else(|_| Err(self.unreached(&io::ErrorKind::TimedOut.into())))
    }

    async fn try_to_open(&self) -> io::Result<(Sender, Receiver)> {
        let host = self.server.host_str().ok_or_else(|| io::Error::other("the address has no host"))?;
        let port = self.server.port_or_known_default().ok_or_else(|| io::Error::other("the address has no port"))?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let socket = TcpStream::connect((bare, port)).await.map_err(|error| self.unreached(&error))?;
        socket.set_nodelay(true)?;
        match self.server.scheme() {
            "https" => {
                let name = rustls::pki_types::ServerName::try_from(bare.to_owned()).map_err(io::Error::other)?;
                let socket = tokio_rustls::TlsConnector::from(tls()?).connect(name, socket).await?;
                self.shake(socket).await
            }
            _ => self.shake(socket).await,
        }
    }

    fn unreached(&self, error: &io::Error) -> io::Error {
        let place = self.server.origin().ascii_serialization();
        io::Error::new(error.kind(), base::unreached(&place, Some(error.kind()), &error.to_string()))
    }

    async fn shake(
        &self,
        socket: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<(Sender, Receiver)> {
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
        let (client, mut connection) = builder.handshake::<_, Bytes>(socket).await.map_err(io::Error::other)?;
        let mut ping = connection.ping_pong().ok_or_else(|| io::Error::other("no pings"))?;
        tokio::spawn(async move {
            // A peer that is gone without a word is noticed by its silence.
            let watch = async {
                loop {
                    super::world::pause(PING).await;
                    let pong = tokio::time::timeout(PING, ping.ping(h2::Ping::opaque())).await;
                    if !matches!(pong, Ok(Ok(_))) {
                        return;
                    }
                }
            };
            tokio::select! { _ = &mut connection => {} () = watch => {} }
        });
        line::open(client, self).await
    }
}

/// Judged by the system's roots.
fn tls() -> io::Result<Arc<rustls::ClientConfig>> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = config.map_err(io::Error::other)?.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Arc::new(config))
}

/// Makes a directory; its id.
///
/// # Errors
/// The server is not reached, or refuses.
pub async fn create_directory(address: &Address, name: &str, device: &str) -> io::Result<String> {
    let (mut to, mut from) = address.open().await?;
    let create = DirectoryCreate { name: Some(name.to_owned()) };
    let message = ClientMessage {
        request_id: Some("1".to_owned()),
        message: Some(Say::DirectoryCreate(create)),
        client_id: None,
        device: Some(device.to_owned()),
    };
    to.say(&message).await?;
    while let Some(heard) = from.hear().await? {
        match heard.message {
            Some(Hear::OkDirectoryCreated(created)) => return Ok(created.directory_id),
            Some(Hear::Error(error)) => return Err(io::Error::other(error.message)),
            _ => {}
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}
