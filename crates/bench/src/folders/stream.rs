//! A client of the stream: HTTP/2, frames of gRPC, messages of the `.proto`.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use folders::wire::client_message::Message as Say;
use folders::wire::server_message::Message as Hear;
use folders::wire::{ClientMessage, FileMetadata, ServerMessage};
use h2::client::SendRequest;
use h2::{RecvStream, SendStream};
use prost::Message as _;
use prost::bytes::Bytes;
use tokio::net::TcpStream;

/// Where streams are opened; many share one connection.
pub struct Line(SendRequest<Bytes>);

/// One stream.
pub struct Stream {
    to: SendStream<Bytes>,
    from: RecvStream,
    heard: Vec<u8>,
}

impl Line {
    pub async fn open(address: SocketAddr) -> Result<Self> {
        let socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(1 << 24).initial_connection_window_size(1 << 26);
        let (client, connection) = builder.handshake(socket).await?;
        tokio::spawn(connection);
        Ok(Self(client))
    }

    pub async fn stream(&self, key: &str) -> Result<Stream> {
        let request = http::Request::builder()
            .method("POST")
            .uri("http://bench/synxpo.SyncService/Stream")
            .header("te", "trailers")
            .header("content-type", "application/grpc")
            .header("authorization", format!("Bearer {key}"))
            .header("fastness-namespace", "main")
            .body(())?;
        let (answer, to) = self.0.clone().ready().await?.send_request(request, false)?;
        let answer = answer.await?;
        let status = answer.headers().get("grpc-status").cloned();
        ensure!(answer.status() == 200 && status.is_none(), "no stream: {:?}", answer.headers());
        Ok(Stream { to, from: answer.into_body(), heard: vec![] })
    }
}

impl Stream {
    pub async fn say(&mut self, message: Say) -> Result<()> {
        let message = ClientMessage { message: Some(message), ..ClientMessage::default() };
        let length = u32::try_from(message.encoded_len())?;
        let mut frame = Vec::with_capacity(5 + length as usize);
        frame.push(0);
        frame.extend_from_slice(&length.to_be_bytes());
        message.encode(&mut frame)?;
        self.send(frame.into()).await
    }

    /// Never more than the other side takes: what is queued here would be memory of the client.
    async fn send(&mut self, mut frame: Bytes) -> Result<()> {
        while !frame.is_empty() {
            self.to.reserve_capacity(frame.len());
            let room = std::future::poll_fn(|cx| self.to.poll_capacity(cx)).await.context("the stream ended")??;
            let part = frame.split_to(room.min(frame.len()));
            self.to.send_data(part, false)?;
        }
        Ok(())
    }

    pub async fn hear(&mut self) -> Result<Hear> {
        loop {
            if let Some((head, rest)) = self.heard.split_first_chunk::<5>() {
                let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
                if rest.len() >= length {
                    let message = ServerMessage::decode(&rest[..length])?;
                    self.heard.drain(..5 + length);
                    return message.message.context("an empty message");
                }
            }
            let data = self.from.data().await.context("the stream ended")??;
            self.from.flow_control().release_capacity(data.len())?;
            self.heard.extend_from_slice(&data);
        }
    }

    /// The next message that is one of these; events in between are passed over, an error is one.
    pub async fn hear_until<T>(&mut self, wanted: impl Fn(Hear) -> Option<T>) -> Result<T> {
        loop {
            let heard = self.hear().await?;
            if let Hear::Error(error) = &heard {
                bail!("{error:?}");
            }
            if let Some(told) = wanted(heard) {
                return Ok(told);
            }
        }
    }

    pub async fn increased(&mut self) -> Result<Vec<FileMetadata>> {
        self.hear_until(|heard| match heard {
            Hear::VersionIncreased(told) => Some(told.files),
            _ => None,
        })
        .await
    }
}
