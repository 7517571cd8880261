//! A blob goes out: piece by piece, each read and compared with its digest before it is sent.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderValue, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::Response;
use base::limits::BLOB_PIECE;
use base::{Blobs, Sha, codes};
use hyper::body::{Frame, SizeHint};
use kernel::blobs::{BlobInfo, Damaged, FIND_BLOB, REPORT_DAMAGE, ReadFault};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{JoinHandle, spawn_blocking};

use super::BlobPath;
use super::range::{Wanted, wanted};
use crate::api::Api;
use crate::error::{ApiError, empty};
use crate::params::PathOf;

/// What is said of bytes of which nothing is known.
const ANY_BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// What was uploaded never acts as our own page.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox");

pub(super) async fn get(api: Api, PathOf(path): PathOf<BlobPath>, headers: HeaderMap) -> Result<Response, ApiError> {
    api.send_blob(path.sha()?, "application/octet-stream", &headers).await
}

impl Api {
    /// Answers with the bytes of a blob of the namespace, as the media type that the caller knows for them. `Range`, `If-Range`
    /// and `If-None-Match` of the request's headers hold, and HEAD. Whether this caller may see the blob is the handler's
    /// to know.
    ///
    /// # Errors
    /// `NBLOB`, `ARANGE`, `XBLOB` (damaged), or a fault.
    pub async fn send_blob(&self, sha: Sha, mime: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
        let info = self.read(&FIND_BLOB, sha).await?.out;
        let etag = format!("\"{sha}\"");
        if lists(headers, &IF_NONE_MATCH, &etag) {
            return Ok(described(empty(StatusCode::NOT_MODIFIED), &etag));
        }
        if info.is_damaged {
            return Err(damaged(sha));
        }
        let range = headers.get(RANGE).filter(|_| !headers.contains_key(IF_RANGE) || lists(headers, &IF_RANGE, &etag));
        let (status, part) = match wanted(range.and_then(|value| value.to_str().ok()), info.size) {
            Wanted::Whole => (StatusCode::OK, 0..info.size),
            Wanted::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
            Wanted::Nothing => return Err(outside(info.size)),
        };
        let size = info.size;
        let response =
            if self.wants_head() { empty(status) } else { sent(self.clone(), info, part.clone(), status).await? };
        Ok(with_type(with_length(described(response, &etag), &part, size), mime))
    }
}

fn outside(size: u64) -> ApiError {
    ApiError::refused(codes::ARANGE, format!("the range lies outside of the blob's {size} bytes"))
}

fn damaged(sha: Sha) -> ApiError {
    ApiError::refused(codes::XBLOB, format!("the bytes of blob {sha} are damaged"))
}

/// Whether a header names this tag, weakly or not, or any.
fn lists(headers: &HeaderMap, name: &HeaderName, etag: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag)
}

fn described(mut response: Response, etag: &str) -> Response {
    let headers = response.headers_mut();
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    // Kept by the client alone, which asks each time whether it still may.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.extend(HeaderValue::from_str(etag).ok().map(|etag| (ETAG, etag)));
    response
}

fn with_length(mut response: Response, part: &Range<u64>, size: u64) -> Response {
    let status = response.status();
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, HeaderValue::from(part.end - part.start));
    if status == StatusCode::PARTIAL_CONTENT {
        let range = format!("bytes {}-{}/{size}", part.start, part.end - 1);
        headers.extend(HeaderValue::from_str(&range).ok().map(|range| (CONTENT_RANGE, range)));
    }
    response
}

/// A text that is no media type is not sent.
fn with_type(mut response: Response, mime: &str) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(mime).unwrap_or(ANY_BYTES));
    headers.insert(CONTENT_SECURITY_POLICY, SANDBOX);
    response
}

/// The first piece is read before anything is answered: most blobs have no other, and their faults get a code.
async fn sent(api: Api, info: BlobInfo, part: Range<u64>, status: StatusCode) -> Result<Response, ApiError> {
    let sha = info.name.sha;
    let memory = api.memory(BLOB_PIECE)?;
    let source = Arc::new(Source { blobs: api.blobs()?, info });
    let mut pieces = Pieces { source, part, first: None, reading: None, api, _memory: memory };
    if !pieces.part.is_empty() {
        match pieces.read_next().await {
            Ok(Ok(bytes)) => pieces.take(bytes),
            Ok(Err(fault)) => return Err(pieces.told(sha, fault).await),
            Err(panic) => return Err(ApiError::refused(codes::BPANIC, panic.to_string())),
        }
    }
    let mut response = Response::new(Body::new(pieces));
    *response.status_mut() = status;
    Ok(response)
}

/// Where pieces come from.
struct Source {
    blobs: Arc<dyn Blobs>,
    info: BlobInfo,
}

type Reading = JoinHandle<Result<Vec<u8>, ReadFault>>;

/// The rest of a blob on its way out: one piece in memory, one being read, never both.
struct Pieces {
    source: Arc<Source>,
    /// What is not read yet.
    part: Range<u64>,
    first: Option<Bytes>,
    reading: Option<Reading>,
    /// The request counts as long as its answer is being sent.
    api: Api,
    _memory: Option<OwnedSemaphorePermit>,
}

impl Pieces {
    fn read_next(&self) -> Reading {
        let (source, part) = (self.source.clone(), self.part.clone());
        spawn_blocking(move || source.info.read_part(source.blobs.as_ref(), part))
    }

    fn take(&mut self, bytes: Vec<u8>) {
        self.part.start += bytes.len() as u64;
        self.first = Some(bytes.into());
    }

    /// The error of a fault, after it was reported. The bytes may be others by now, or gone with their row.
    async fn told(&self, sha: Sha, fault: ReadFault) -> ApiError {
        let reason = match fault {
            ReadFault::Unavailable(error) => {
                return ApiError::refused(codes::XSTORE, format!("blob {sha} cannot be read: {error}"));
            }
            ReadFault::Damaged(reason) => reason,
        };
        if let Err(error) = report(&self.api, &self.source.info, reason).await {
            return error;
        }
        match self.api.read(&FIND_BLOB, sha).await {
            Ok(now) if now.out.name == self.source.info.name => damaged(sha),
            Ok(_) => ApiError::refused(codes::XBUSY, format!("blob {sha} has just got other bytes")),
            Err(error) => error,
        }
    }

    /// Breaks the transfer off: what was sent is good, what would follow is not.
    fn broken(&self, fault: ReadFault) -> axum::Error {
        let text = fault.to_string();
        tracing::warn!(name = %self.source.info.name, fault = text, "a transfer of a blob breaks off");
        if let ReadFault::Damaged(reason) = fault {
            let (api, source) = (self.api.clone(), self.source.clone());
            tokio::spawn(async move { report(&api, &source.info, reason).await.map(drop) });
        }
        axum::Error::new(io::Error::other(text))
    }
}

/// It is the server that reports: whoever reads may not change anything, and the namespace may be read-only.
async fn report(api: &Api, info: &BlobInfo, reason: String) -> Result<bool, ApiError> {
    Ok(api.by_server("blobs").call_natural(&REPORT_DAMAGE, Damaged { name: info.name, reason }).await?.out)
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        if self.part.is_empty() {
            return Poll::Ready(None);
        }
        let mut reading = self.reading.take().unwrap_or_else(|| self.read_next());
        let Poll::Ready(read) = Pin::new(&mut reading).poll(cx) else {
            self.reading = Some(reading);
            return Poll::Pending;
        };
        Poll::Ready(Some(match read {
            Ok(Ok(bytes)) => {
                self.part.start += bytes.len() as u64;
                Ok(Frame::data(bytes.into()))
            }
            Ok(Err(fault)) => Err(self.broken(fault)),
            Err(panic) => Err(axum::Error::new(panic)),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.part.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let first = self.first.as_ref().map_or(0, Bytes::len) as u64;
        SizeHint::with_exact(first + self.part.end - self.part.start)
    }
}
