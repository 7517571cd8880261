//! A body of any bytes, taken in portions: memory stays the same however large it is.
//!
//! A sender that pauses is cut off as everywhere; so is one that drips: it has the general time for a body, and a second more
//! for every [`SLOWEST`] bytes that arrived.

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use base::codes;
use tokio::time::Instant;

use super::read::next_frame;
use crate::app::Shared;
use crate::error::ApiError;
use crate::wait::now;

/// Bytes per second below which a sender is cut off in the end.
const SLOWEST: u64 = 64 << 10;
/// Bytes of one portion, but for what a single frame has too much.
pub(crate) const PORTION: usize = 256 << 10;

/// A streamed body.
pub struct StreamedBody {
    body: Body,
    length: Option<u64>,
    begun: Instant,
    idle_timeout: Duration,
    timeout: Duration,
    received: u64,
}

impl StreamedBody {
    /// How long it is, if the sender said so.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// The next portion; `None` at the end.
    ///
    /// # Errors
    /// `ASLOW`: it did not come in time; `ABODY`: it broke off.
    pub async fn portion(&mut self) -> Result<Option<Vec<u8>>, ApiError> {
        let mut portion = Vec::new();
        while portion.len() < PORTION {
            let Some(data) = self.next().await? else { break };
            self.received += data.len() as u64;
            portion.extend_from_slice(&data);
        }
        Ok((!portion.is_empty()).then_some(portion))
    }

    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        let end = self.begun + self.timeout + Duration::from_secs(self.received / SLOWEST);
        loop {
            match next_frame(&mut self.body, end, self.idle_timeout).await?.map(|frame| frame.into_data()) {
                Some(Ok(data)) => return Ok(Some(data)),
                // Trailers say nothing to us.
                Some(Err(_)) => {}
                None => return Ok(None),
            }
        }
    }
}

impl FromRequest<Shared> for StreamedBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Shared) -> Result<Self, ApiError> {
        if request.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(ApiError::refused(codes::ATYPE, "an encoded body (Content-Encoding) is not taken"));
        }
        let limits = &shared.config().body;
        let (idle_timeout, timeout) = (limits.idle_timeout, limits.timeout);
        let said = request.headers().contains_key(CONTENT_LENGTH);
        let body = request.into_body();
        let length = body.size_hint().exact().filter(|length| said || *length == 0);
        Ok(Self { body, length, begun: now(), idle_timeout, timeout, received: 0 })
    }
}
