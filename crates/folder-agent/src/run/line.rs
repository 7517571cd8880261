//! One stream of gRPC: HTTP/2, frames, messages of the `.proto`.

use std::io;

use h2::client::SendRequest;
use h2::{RecvStream, SendStream};
use prost::Message as _;
use prost::bytes::Bytes;
use synxpo::wire::{ClientMessage, ServerMessage};

use super::connection::Address;

/// A message that is larger is none of ours.
const MESSAGE_MAX: usize = 64 << 20;

/// Where messages are sent to.
pub(super) struct Sender(SendStream<Bytes>);

/// Where they come from.
pub(super) struct Receiver {
    from: RecvStream,
    heard: Frames,
}

/// Bytes that came, as messages.
#[derive(Default)]
struct Frames {
    held: Vec<u8>,
    taken: usize,
}

/// Opens the stream of an address on a connection.
pub(super) async fn open(client: SendRequest<Bytes>, address: &Address) -> io::Result<(Sender, Receiver)> {
    let request = http::Request::builder()
        .method("POST")
        .uri(address.stream_uri())
        .header("te", "trailers")
        .header("content-type", "application/grpc")
        .header("authorization", format!("Bearer {}", address.key))
        .header("fastness-namespace", &address.namespace)
        .header("synxpo-caps", "chunks,tree,links")
        .body(())
        .map_err(io::Error::other)?;
    let (answer, to) =
        client.ready().await.map_err(io::Error::other)?.send_request(request, false).map_err(io::Error::other)?;
    let answer = answer.await.map_err(io::Error::other)?;
    let status = answer.headers().get("grpc-status").and_then(|status| status.to_str().ok());
    if answer.status() != 200 || status.is_some_and(|status| status != "0") {
        let words = answer.headers().get("grpc-message").and_then(|words| words.to_str().ok()).unwrap_or("");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, refusal(answer.status(), words)));
    }
    Ok((Sender(to), Receiver { from: answer.into_body(), heard: Frames::default() }))
}

/// What a person is told, and can do.
fn refusal(status: http::StatusCode, words: &str) -> String {
    match words {
        "" => format!("the server refuses the stream ({status})"),
        words if words.starts_with("SKEY") => format!(
            "the server does not know the key of this folder (any more): `fastness folders config PATH --rekey` gives it the one that you \
             are logged in with ({words})"
        ),
        words => format!("the server refuses the stream: {words}"),
    }
}

impl Sender {
    /// Sends a message; waits while the other side takes nothing.
    pub(super) async fn say(&mut self, message: &ClientMessage) -> io::Result<()> {
        let length = u32::try_from(message.encoded_len()).map_err(io::Error::other)?;
        let mut frame = Vec::with_capacity(5 + length as usize);
        frame.push(0);
        frame.extend_from_slice(&length.to_be_bytes());
        message.encode(&mut frame).map_err(io::Error::other)?;
        self.send(frame.into()).await
    }

    async fn send(&mut self, mut frame: Bytes) -> io::Result<()> {
        while !frame.is_empty() {
            self.0.reserve_capacity(frame.len());
            let room = std::future::poll_fn(|cx| self.0.poll_capacity(cx)).await;
            let room = room.ok_or(io::ErrorKind::BrokenPipe)?.map_err(io::Error::other)?;
            let part = frame.split_to(room.min(frame.len()));
            self.0.send_data(part, false).map_err(io::Error::other)?;
        }
        Ok(())
    }
}

impl Receiver {
    /// The next message; `None` at the end of the stream.
    pub(super) async fn hear(&mut self) -> io::Result<Option<ServerMessage>> {
        loop {
            if let Some(message) = self.heard.next()? {
                return Ok(Some(message));
            }
            let Some(data) = self.from.data().await else { return self.ended().await };
            let data = data.map_err(io::Error::other)?;
            self.from.flow_control().release_capacity(data.len()).map_err(io::Error::other)?;
            self.heard.held.extend_from_slice(&data);
        }
    }

    /// Why it ended, if that was said.
    async fn ended(&mut self) -> io::Result<Option<ServerMessage>> {
        let trailers = self.from.trailers().await.ok().flatten();
        let said = |name: &str| trailers.as_ref().and_then(|all| all.get(name)).and_then(|value| value.to_str().ok());
        match said("grpc-status") {
            None | Some("0") => Ok(None),
            Some(status) => Err(io::Error::other(format!("{status} {}", said("grpc-message").unwrap_or("")))),
        }
    }
}

impl Frames {
    fn next(&mut self) -> io::Result<Option<ServerMessage>> {
        let held = &self.held[self.taken..];
        let Some((head, rest)) = held.split_first_chunk::<5>() else { return Ok(self.drop_taken()) };
        if head[0] != 0 {
            return Err(io::Error::other("a message that is compressed"));
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > MESSAGE_MAX {
            return Err(io::Error::other(format!("a message of {length} bytes")));
        }
        if rest.len() < length {
            return Ok(self.drop_taken());
        }
        let message = ServerMessage::decode(&rest[..length]).map_err(io::Error::other)?;
        self.taken += 5 + length;
        Ok(Some(message))
    }

    /// Once for many messages: what was taken is dropped when more is needed.
    fn drop_taken(&mut self) -> Option<ServerMessage> {
        self.held.drain(..self.taken);
        self.taken = 0;
        None
    }
}

/// The messages in these bytes, in the pieces that they came in; `None` behind them if one is refused. For the fuzz targets.
pub fn messages<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Option<ServerMessage>> {
    let (mut frames, mut found) = (Frames::default(), vec![]);
    for piece in pieces {
        frames.held.extend_from_slice(piece);
        loop {
            match frames.next() {
                Ok(Some(message)) => found.push(Some(message)),
                Ok(None) => break,
                Err(_) => {
                    found.push(None);
                    return found;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_20_a_compressed_message_and_one_that_is_too_large_are_refused() {
        let empty = [0, 0, 0, 0, 0];
        assert_eq!(messages([&empty[..], &empty[..3], &empty[3..]]), vec![Some(ServerMessage::default()); 2]);
        assert_eq!(messages([&[1, 0, 0, 0, 0][..]]), [None]);
        assert_eq!(messages([&[0, 255, 0, 0, 0][..]]), [None]);
    }

    #[test]
    fn fld_22_a_refused_key_is_told_with_what_a_person_can_do() {
        let gone = refusal(http::StatusCode::OK, "SKEY: the access key is not valid");
        assert!(gone.starts_with("the server does not know the key of this folder (any more): "), "{gone}");
        assert!(gone.contains("`fastness folders config PATH --rekey`") && gone.contains("SKEY: "), "{gone}");
        let other = refusal(http::StatusCode::OK, "SROLE: a reader may not");
        assert_eq!(other, "the server refuses the stream: SROLE: a reader may not");
        assert_eq!(refusal(http::StatusCode::BAD_GATEWAY, ""), "the server refuses the stream (502 Bad Gateway)");
    }
}
