//! Connections to the broker: each within a time, and each ended with its thread.

use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use lapin::options::QueueDeclareOptions;
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::tcp::{AsyncTcpStream, OwnedTLSConfig};
use lapin::types::{AMQPValue, FieldTable};
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{Channel, Connection, ConnectionProperties, ErrorKind};
use tokio::time::timeout;

use super::{AmqpSettings, QueueType};

/// Why a connection is of no use any more.
pub(super) type Lost = String;

/// Whether a URL can be used.
///
/// # Errors
/// Why not, without its password.
pub fn check_amqp_url(url: &str) -> Result<(), String> {
    let uri: AMQPUri = url.parse().map_err(|_| "it is not amqp://user:password@host:port/vhost".to_owned())?;
    if uri.authority.host.is_empty() { Err("it names no host".into()) } else { Ok(()) }
}

/// Makes connections.
pub(super) struct Linker {
    pub(super) settings: AmqpSettings,
    uri: AMQPUri,
}

/// A connection. Its socket is shut with it, so that its thread ends also when the other side is silent.
pub(super) struct Link {
    pub(super) connection: Connection,
    socket: Socket,
    queue_type: QueueType,
}

/// The socket of a connection, once there is one.
#[derive(Clone, Default)]
struct Socket(Arc<Mutex<Option<TcpStream>>>);

impl Linker {
    pub(super) fn new(settings: AmqpSettings) -> Result<Self, String> {
        check_amqp_url(&settings.url)?;
        let mut uri: AMQPUri = settings.url.parse()?;
        let heartbeat_s = u16::try_from(settings.heartbeat.as_secs().max(1)).unwrap_or(u16::MAX);
        uri.query.heartbeat = Some(heartbeat_s);
        Ok(Self { settings, uri })
    }

    /// Connects. The other side may be one that takes connections and then is silent.
    pub(super) async fn open(&self) -> Result<Link, Lost> {
        let socket = Socket::default();
        let within = self.settings.connect_timeout;
        let made = timeout(within, self.connect(socket.clone())).await;
        let refused = match made {
            Ok(Ok(connection)) => return Ok(Link { connection, socket, queue_type: self.settings.queue_type }),
            Ok(Err(error)) => text(&error),
            Err(_) => format!("no connection within {} s", within.as_secs_f32()),
        };
        socket.shut();
        Err(refused)
    }

    async fn connect(&self, socket: Socket) -> lapin::Result<Connection> {
        let name = ConnectionProperties::default().with_connection_name(self.settings.name.as_str().into());
        let certificates = Some(self.settings.certificates.clone()).filter(|pem| !pem.is_empty());
        let tls = OwnedTLSConfig { identity: None, cert_chain: certificates };
        let within = self.settings.connect_timeout;
        let runtime = lapin::runtime::default_runtime()?;
        Connection::connector(
            self.uri.clone(),
            runtime,
            async move |uri: AMQPUri, runtime| {
                let found = tokio::net::lookup_host((uri.authority.host.as_str(), uri.authority.port));
                let addresses: Vec<_> = timeout(within, found).await.map_err(std::io::Error::from)??.collect();
                let stream = timeout(within, AsyncTcpStream::connect(&runtime, addresses)).await;
                let stream = stream.map_err(std::io::Error::from)??;
                if let AsyncTcpStream::Plain(plain) = &stream {
                    plain.get_ref().set_nodelay(true)?;
                    socket.keep(plain.get_ref().as_fd().try_clone_to_owned()?.into());
                }
                match uri.scheme {
                    AMQPScheme::AMQP => Ok(stream),
                    AMQPScheme::AMQPS => Ok(stream.into_tls(&uri.authority.host, tls.as_ref()).await?),
                }
            },
            name,
        )
        .await
    }
}

impl Link {
    /// A channel on which the queue is known to be there, and how many messages wait in it. A durable one is made if there is none.
    pub(super) async fn channel_with(&self, queue: &str) -> Result<(Channel, u64), Lost> {
        match self.find(queue).await? {
            Some(found) => Ok(found),
            None => self.declare(queue).await,
        }
    }

    /// How many messages wait in a queue; `None` if it is not there.
    pub(super) async fn count(&self, queue: &str) -> Result<Option<u64>, Lost> {
        Ok(self.find(queue).await?.map(|(_, count)| count))
    }

    /// A queue that is there: of the type that was asked for, if one was.
    async fn find(&self, queue: &str) -> Result<Option<(Channel, u64)>, Lost> {
        let channel = self.channel().await?;
        match (look(&channel, queue).await, self.queue_type) {
            (Ok(count), QueueType::AsItIs) => Ok(Some((channel, count))),
            // A passive declaration does not compare: the same words again make nothing, and tell.
            (Ok(_), QueueType::Classic | QueueType::Quorum) => self.declare(queue).await.map(Some),
            (Err(error), _) if is(&error, AMQPSoftError::NOTFOUND) => Ok(None),
            (Err(error), _) => Err(text(&error)),
        }
    }

    /// A refusal ends the channel that it came on: each try has one of its own.
    async fn declare(&self, queue: &str) -> Result<(Channel, u64), Lost> {
        let channel = self.channel().await?;
        let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        let declared = channel.queue_declare(queue.into(), durable, arguments(self.queue_type)).await;
        declared
            .map(|declared| (channel, u64::from(declared.message_count())))
            .map_err(|error| refusal(queue, self.queue_type, &error))
    }

    async fn channel(&self) -> Result<Channel, Lost> {
        self.connection.create_channel().await.map_err(|error| text(&error))
    }

    /// Says goodbye.
    pub(super) async fn close(&self, within: std::time::Duration) {
        let _ = timeout(within, self.connection.close(200, "stopped".into())).await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.socket.shut();
    }
}

/// How many messages wait in a queue.
pub(super) async fn look(channel: &Channel, queue: &str) -> lapin::Result<u64> {
    let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    let found = channel.queue_declare(queue.into(), passive, FieldTable::default()).await?;
    Ok(u64::from(found.message_count()))
}

fn arguments(queue_type: QueueType) -> FieldTable {
    let mut arguments = FieldTable::default();
    if let Some(word) = word(queue_type) {
        arguments.insert("x-queue-type".into(), AMQPValue::LongString(word.into()));
    }
    arguments
}

/// The broker's word for a type.
fn word(queue_type: QueueType) -> Option<&'static str> {
    match queue_type {
        QueueType::AsItIs => None,
        QueueType::Classic => Some("classic"),
        QueueType::Quorum => Some("quorum"),
    }
}

/// Why a queue could not be declared. One that is there as another one stays so until a person decides: it may hold messages.
fn refusal(queue: &str, queue_type: QueueType, error: &lapin::Error) -> Lost {
    match word(queue_type) {
        Some(word) if is(error, AMQPSoftError::PRECONDITIONFAILED) => format!(
            "the queue {queue} is there already, and not as {word}: take what waits in it and delete it, so that it is made anew, or ask for no \
             type, so that it is taken as it is ({})",
            text(error)
        ),
        _ => text(error),
    }
}

fn is(error: &lapin::Error, kind: AMQPSoftError) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(error) if *error.kind() == AMQPErrorKind::Soft(kind))
}

/// What a person reads of an error.
pub(super) fn text(error: &lapin::Error) -> Lost {
    error.to_string()
}

impl Socket {
    fn keep(&self, socket: TcpStream) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(socket);
    }

    fn shut(&self) {
        if let Some(socket) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // It may be shut already.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_2_a_url_that_cannot_be_used_is_refused_without_its_password() {
        for good in ["amqp://127.0.0.1", "amqp://a:b@host:5673/%2f", "amqps://a:b@host/vhost"] {
            check_amqp_url(good).unwrap();
        }
        for bad in ["", "host", "http://a:secret@host", "amqp://a:secret@host:port", "amqp://a:secret@"] {
            let error = check_amqp_url(bad).expect_err(bad);
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
