//! Bounds of one listener and its connections (KER-34).

use std::time::Duration;

use base::limits::{HEADERS_BYTES_MAX, HEADERS_MAX};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;

/// Hyper's own maximum of headers: above ours, so that a moderate excess gets an answer with a code.
const PARSED_HEADERS_MAX: usize = 4 * HEADERS_MAX;
/// Hyper's own maximum of header bytes, likewise. It is also the largest read buffer of a connection.
const PARSED_BYTES_MAX: usize = 2 * HEADERS_BYTES_MAX;
/// Streams that a client may reset before we accepted them: more is the "rapid reset" attack.
const PENDING_RESETS_MAX: usize = 20;
/// Streams that we may have to reset for a client's errors before the connection is closed.
const ERROR_RESETS_MAX: usize = 256;

/// What one listener allows.
#[derive(Debug, Clone)]
pub struct EdgeLimits {
    /// Connections at once; further ones wait unaccepted.
    pub connections_max: usize,
    /// Time for the TLS handshake, from the beginning of the connection.
    pub handshake_timeout: Duration,
    /// Time for the head of an HTTP/1 request; for the first one, from the beginning of the conversation.
    pub header_timeout: Duration,
    /// Time after which a connection without any request is closed, whatever it speaks (at most twice that).
    pub idle_timeout: Duration,
    /// Time for the other side to take any more of our answer.
    pub write_timeout: Duration,
    /// Requests at once on one HTTP/2 connection.
    pub streams_max: u32,
    /// Pause between pings on a silent HTTP/2 connection.
    pub ping_interval: Duration,
    /// Time for the answer to a ping.
    pub ping_timeout: Duration,
    /// Time for requests in flight when the server stops.
    pub drain_timeout: Duration,
}

impl Default for EdgeLimits {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            handshake_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            streams_max: 128,
            ping_interval: Duration::from_secs(20),
            ping_timeout: Duration::from_secs(10),
            drain_timeout: Duration::from_secs(8),
        }
    }
}

impl EdgeLimits {
    /// Hyper's builder with these limits.
    pub(super) fn builder(&self) -> Builder<TokioExecutor> {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            // Ours, in the socket: hyper's also runs between requests.
            .header_read_timeout(None)
            .max_headers(PARSED_HEADERS_MAX)
            .max_buf_size(PARSED_BYTES_MAX);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(self.streams_max)
            .max_header_list_size(u32::try_from(HEADERS_BYTES_MAX).unwrap_or(u32::MAX))
            .max_pending_accept_reset_streams(PENDING_RESETS_MAX)
            .max_local_error_reset_streams(ERROR_RESETS_MAX)
            .initial_stream_window_size(256 * 1024)
            .initial_connection_window_size(1024 * 1024)
            .keep_alive_interval(self.ping_interval)
            .keep_alive_timeout(self.ping_timeout);
        builder
    }
}
