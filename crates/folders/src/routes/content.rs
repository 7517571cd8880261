//! The bytes of a version over HTTP, chunk by chunk: one in memory at a time, each compared with its digest before it is sent.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use axum::response::Response;
use base::{Blobs, OpError, Sha, codes};
use futures_util::stream::unfold;
use kernel::blobs::FIND_BLOB;
use serde::Deserialize;
use tokio::task::spawn_blocking;
use utoipa::IntoParams;
use web::{Api, ApiError, PathOf, QueryOf, Route};

use super::{IdPath, READERS, hidden, of_file, who_of_file};
use crate::care::{FILE, OfFile};
use crate::codes::{AFOLDER, NFILE};
use crate::desk::CONTENT;
use crate::form::{Content, ContentOf, Kind};
use crate::past::{HISTORY, HistoryOf};

/// What is said of bytes of which nothing is known.
const ANY_BYTES: &str = "application/octet-stream";

pub(super) fn routes() -> Vec<Route> {
    vec![
        of_file(Route::get("/v1/{ns}/folders/files/{id}/content", send))
            .summary("Download a file")
            .about("Its newest version, or the one that `version` names.")
            .query::<VersionQuery>()
            .roles(READERS)
            .answers_text(ANY_BYTES)
            .errors(&[AFOLDER, NFILE, codes::XBLOB]),
    ]
}

/// Which version.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct VersionQuery {
    /// Its number; not given: the newest.
    #[param(nullable = false)]
    version: Option<u64>,
}

async fn send(
    api: Api,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(query): QueryOf<VersionQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (who, directory) = who_of_file(&api, &id).await?;
    let of = OfFile { who: who.clone(), directory, file: id.clone() };
    let file = api.read(&FILE, of.clone()).await.map_err(|error| hidden(error, &id))?.out;
    let version = query.version.unwrap_or(file.version);
    let before = version.saturating_add(1);
    let found = api.read(&HISTORY, HistoryOf { of, before, limit: 1 }).await?.out;
    let none = || ApiError(OpError::new(NFILE, format!("file {id} has no version {version}")));
    let then =
        found.into_iter().next().map(|view| view.file).filter(|file| file.version == version).ok_or_else(none)?;
    if then.kind != Kind::File || then.deleted {
        return Err(ApiError(OpError::new(AFOLDER, format!("version {version} of {} has no bytes", then.path))));
    }
    let wanted = ContentOf { who, id, version, segment: 0 };
    let first = api.read(&CONTENT, wanted.clone()).await?.out;
    let response = match &first.chunks[..] {
        [(sha, _)] if first.is_last => api.send_blob(digest(sha)?, ANY_BYTES, &headers).await?,
        _ => streamed(api, wanted, first, then.size).await?,
    };
    Ok(named(response, &then.name))
}

fn digest(text: &str) -> Result<Sha, ApiError> {
    text.parse().map_err(|_| ApiError(OpError::new(codes::BDETECTED, "a chunk without a digest")))
}

/// To be saved under its name, never shown as a page of ours.
fn named(mut response: Response, name: &str) -> Response {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let name: String =
        name.bytes().map(|byte| if plain(byte) { char::from(byte).into() } else { format!("%{byte:02X}") }).collect();
    let value = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{name}"));
    response.headers_mut().extend(value.ok().map(|value| (CONTENT_DISPOSITION, value)));
    response
}

async fn streamed(api: Api, of: ContentOf, first: Content, size: u64) -> Result<Response, ApiError> {
    let mut sender = Sender { blobs: api.blobs()?, api, of, chunks: first.chunks.into(), is_last: first.is_last };
    // The first chunk is read before anything is answered: its faults get a code.
    let begun = sender.piece().await?;
    let stream = unfold((Some(begun), sender), |(begun, mut sender)| async move {
        let piece = match begun {
            Some(piece) => Ok(piece),
            None => sender.piece().await,
        };
        match piece {
            Ok(Some(bytes)) => Some((Ok(bytes), (None, sender))),
            Ok(None) => None,
            Err(error) => Some((Err(io::Error::other(error.0.message)), (None, sender.ended()))),
        }
    });
    let mut response = Response::new(Body::from_stream(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(ANY_BYTES));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(size));
    Ok(response)
}

/// A content on its way out.
struct Sender {
    /// The request counts as long as its answer is being sent.
    api: Api,
    blobs: Arc<dyn Blobs>,
    of: ContentOf,
    /// What is left of the segment.
    chunks: VecDeque<(String, u64)>,
    is_last: bool,
}

impl Sender {
    /// The bytes of the next chunk; none at the end.
    async fn piece(&mut self) -> Result<Option<Bytes>, ApiError> {
        while self.chunks.is_empty() && !self.is_last {
            self.of.segment += 1;
            let next = self.api.read(&CONTENT, self.of.clone()).await?.out;
            (self.chunks, self.is_last) = (next.chunks.into(), next.is_last);
        }
        let Some((sha, _)) = self.chunks.pop_front() else { return Ok(None) };
        let info = self.api.read(&FIND_BLOB, digest(&sha)?).await?.out;
        let blobs = self.blobs.clone();
        let read = spawn_blocking(move || info.read_piece(blobs.as_ref(), 0)).await;
        let damaged =
            |error: String| ApiError(OpError::new(codes::XBLOB, format!("chunk {sha} cannot be read: {error}")));
        let bytes = read.map_err(|panic| damaged(panic.to_string()))?.map_err(|fault| damaged(fault.to_string()))?;
        Ok(Some(bytes.into()))
    }

    /// Nothing follows a fault.
    fn ended(self) -> Self {
        Self { chunks: VecDeque::new(), is_last: true, ..self }
    }
}
