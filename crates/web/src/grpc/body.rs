//! The body of an answer: messages as they come, then the status as trailers.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use axum::http::HeaderMap;
use hyper::body::Frame;
use tokio::sync::mpsc;

use super::status::Status;

/// What a conversation hands over.
pub(super) enum Piece {
    /// A message in its frame.
    Message(Bytes),
    /// The end.
    End(Status),
}

/// Messages on their way out. Dropped when the client is gone, which the conversation hears.
pub(super) struct StreamBody {
    from: mpsc::Receiver<Piece>,
    ended: bool,
}

impl StreamBody {
    pub(super) fn new(from: mpsc::Receiver<Piece>) -> Self {
        Self { from, ended: false }
    }
}

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let piece = std::task::ready!(self.from.poll_recv(cx));
        // A conversation that ends without a word panicked.
        let status = match piece {
            Some(Piece::Message(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
            Some(Piece::End(status)) => status,
            None => Status::internal(),
        };
        self.ended = true;
        let mut trailers = HeaderMap::new();
        status.add_to(&mut trailers);
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }
}
