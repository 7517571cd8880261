//! One connection's socket as hyper sees it: strict on the way in, bounded in time both ways, patient at the end.
//!
//! What hyper has no bound for: a connection that does not even say which protocol it speaks, and a peer that does not
//! read. What it bounds together: the time for a head and the time between two requests, which may be much longer. What
//! it does not do: wait a moment after the answer, so that a client that is still sending its refused body reads the
//! refusal and not a reset.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::gate::Gate;
use crate::wait::{now, pause};

/// What hyper is given in place of a refused byte: it ends every head and can be part of none.
const POISON: &[u8] = b"\0\r\n\r\n";
/// How long we wait for the other side to close after we did.
const LINGER: Duration = Duration::from_secs(2);
/// How much of what it still sends we throw away meanwhile.
const LINGER_BYTES_MAX: usize = 16 << 20;

/// What still may be read.
enum Reading {
    Open,
    /// A byte was refused; so much of [`POISON`] is still to be given, then the end.
    Refused(&'static [u8]),
}

/// The socket; `S` is what carries it, with or without TLS.
pub(super) struct Socket<S> {
    stream: S,
    gate: Gate,
    reading: Reading,
    header_timeout: Duration,
    /// While a head is on its way, the first one from the beginning.
    head: Option<Pin<Box<Sleep>>>,
    write_timeout: Duration,
    /// Since the other side takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    lingering: Option<(Pin<Box<Sleep>>, usize)>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    pub(super) fn new(stream: S, header_timeout: Duration, write_timeout: Duration) -> Self {
        Self {
            stream,
            gate: Gate::new(),
            reading: Reading::Open,
            header_timeout,
            head: Some(Box::pin(pause(header_timeout))),
            write_timeout,
            stalled: None,
            lingering: None,
        }
    }

    fn poll_read_open(&mut self, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = to.filled().len();
        if Pin::new(&mut self.stream).poll_read(cx, to)?.is_pending() {
            return self.poll_head(cx);
        }
        let passed = before + self.gate.pass(&to.filled()[before..]);
        if passed < to.filled().len() {
            to.set_filled(passed);
            self.reading = Reading::Refused(POISON);
            self.give_poison(to);
        }
        self.watch_head();
        Poll::Ready(Ok(()))
    }

    fn watch_head(&mut self) {
        if !self.gate.is_within_head() {
            self.head = None;
        } else if self.head.is_none() {
            self.head = Some(Box::pin(pause(self.header_timeout)));
        }
    }

    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.head {
            Some(timer) => timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into())),
            None => Poll::Pending,
        }
    }

    fn give_poison(&mut self, to: &mut ReadBuf<'_>) {
        if let Reading::Refused(left) = &mut self.reading {
            let (now, later) = left.split_at(left.len().min(to.remaining()));
            to.put_slice(now);
            *left = later;
        }
    }

    /// Passes on what a write said; a peer that takes nothing for too long is given up.
    fn bounded<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let timeout = self.write_timeout;
        let timer = self.stalled.get_or_insert_with(|| Box::pin(pause(timeout)));
        timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Throws away what still comes until the other side closes, too much came, or the time is over.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let (timer, left) = self.lingering.get_or_insert_with(|| (Box::pin(pause(LINGER)), LINGER_BYTES_MAX));
        let mut scrap = [0; 8192];
        loop {
            let mut to = ReadBuf::new(&mut scrap);
            match Pin::new(&mut self.stream).poll_read(cx, &mut to) {
                Poll::Pending => return timer.as_mut().poll(cx),
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(())) => {
                    let more = to.filled().len();
                    *left = left.saturating_sub(more);
                    if more == 0 || *left == 0 || timer.deadline() <= now() {
                        return Poll::Ready(());
                    }
                }
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Socket<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.reading {
            Reading::Open => self.poll_read_open(cx, to),
            Reading::Refused(_) => {
                self.give_poison(to);
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.bounded(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.bounded(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.bounded(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        }
        if self.gate.is_within_body() || matches!(self.reading, Reading::Refused(_)) {
            ready!(self.poll_linger(cx));
        }
        Poll::Ready(Ok(()))
    }
}
