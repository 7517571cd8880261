//! Bodies: JSON of one type, nothing, or a stream of bytes, read within limits of size, time and memory.
//!
//! Invariants: a body that says it is too large is refused before a byte of it is read, one that does not say is cut at
//! the limit; all bodies being read or waiting as a job's input
//! together stay below one bound; a sender that pauses or drips is cut off; a text with
//! NUL never comes in, because one of the engines cannot store it.

mod json;
mod raw;
mod read;
mod stream;

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Uri};
use base::{codes, limits};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::admission::Stay;
use crate::app::Shared;
use crate::error::ApiError;
use crate::head::IDEMPOTENCY_KEY;
use crate::route::RouteInfo;
pub(crate) use raw::RawBody;
pub(crate) use read::{hold, memory};
pub(crate) use stream::PORTION;
pub use stream::StreamedBody;

/// Limits of bodies; a route may have its own size and time.
#[derive(Debug, Clone)]
pub struct BodyLimits {
    /// Bytes of one body.
    pub max: usize,
    /// Longest pause of the sender.
    pub idle_timeout: Duration,
    /// Time for the whole body.
    pub timeout: Duration,
    /// Bytes of all bodies being read or waiting for their operation, over all requests.
    pub memory_max: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            max: limits::BODY_MAX,
            idle_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            memory_max: 256 << 20,
        }
    }
}

/// A JSON body, or whatever input was made of it.
#[derive(Debug)]
pub struct JsonBody<T> {
    /// What it says.
    pub value: T,
    asked: Asked,
}

/// No body: any byte is refused.
#[derive(Debug, Clone)]
pub struct NoBody {
    asked: Asked,
}

/// What was asked, as a fingerprint.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// SHA-256 over method, path, query and body; nothing where no Idempotency-Key would remember it.
    pub(crate) hash: [u8; 32],
}

impl Asked {
    /// The fingerprint as text.
    pub(crate) fn text(&self) -> String {
        self.hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl<T> JsonBody<T> {
    /// The body.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The input of an operation out of the body (and the path, say); the fingerprint stays.
    pub fn map<I>(self, change: impl FnOnce(T) -> I) -> JsonBody<I> {
        JsonBody { value: change(self.value), asked: self.asked }
    }

    /// The same where there may be none of it.
    ///
    /// # Errors
    /// What `change` says.
    pub fn try_map<I, E>(self, change: impl FnOnce(T) -> Result<I, E>) -> Result<JsonBody<I>, E> {
        Ok(JsonBody { value: change(self.value)?, asked: self.asked })
    }

    /// The body alone, for an operation whose input is its own natural key: no answer of it is kept.
    pub fn into_value(self) -> T {
        self.value
    }

    pub(crate) fn into_parts(self) -> (T, Asked) {
        (self.value, self.asked)
    }
}

impl NoBody {
    /// The input of an operation that takes no body.
    pub fn with<I>(self, input: I) -> JsonBody<I> {
        JsonBody { value: input, asked: self.asked }
    }
}

impl<T: DeserializeOwned + 'static> FromRequest<Shared> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Shared) -> Result<Self, ApiError> {
        let route = route_of(&request);
        // A bug that the first request of any test finds.
        assert!(
            route.takes_type(TypeId::of::<T>()),
            "the handler of {} takes another body than its table",
            route.label()
        );
        check_type(request.headers())?;
        let (bytes, asked) = bytes_of(request, shared, &route).await?;
        Ok(Self { value: json::parse(&bytes)?, asked })
    }
}

impl FromRequest<Shared> for NoBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Shared) -> Result<Self, ApiError> {
        let route = route_of(&request);
        let (bytes, asked) = bytes_of(request, shared, &route).await?;
        if bytes.is_empty() {
            return Ok(Self { asked });
        }
        Err(ApiError::refused(codes::ABODY, format!("this route takes no body, not {} bytes", bytes.len())))
    }
}

fn route_of(request: &Request) -> Arc<RouteInfo> {
    request.extensions().get::<Arc<RouteInfo>>().expect("handlers run below a route of the table").clone()
}

async fn bytes_of(request: Request, shared: &Shared, route: &RouteInfo) -> Result<(Vec<u8>, Asked), ApiError> {
    let label = route.label();
    let uri = request.uri().clone();
    let is_once = request.headers().contains_key(IDEMPOTENCY_KEY);
    let stay = request.extensions().get::<Arc<Stay>>().expect("handlers run within a stay").clone();
    let limits = read::Limits::of(shared.kernel(), &shared.config().body, route.limits);
    let (bytes, memory) = read::all(request.into_body(), &limits, shared.body_memory()).await?;
    let hash = if is_once { fingerprint(&label, &uri, &bytes) } else { [0; 32] };
    memory.into_iter().for_each(|memory| stay.keep_memory(memory));
    Ok((bytes, Asked { hash }))
}

/// SHA-256 over what was asked; each part with its length, so that none can pass for another's end.
fn fingerprint(label: &str, uri: &Uri, body: &[u8]) -> [u8; 32] {
    let parts = [label.as_bytes(), uri.path().as_bytes(), uri.query().unwrap_or_default().as_bytes(), body];
    let add = |hash: Sha256, part: &[u8]| hash.chain_update((part.len() as u64).to_le_bytes()).chain_update(part);
    parts.into_iter().fold(Sha256::new(), add).finalize().into()
}

/// Only `application/json`, in no encoding, is taken.
fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let media_type = text(CONTENT_TYPE).and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        let given = media_type.get(..80).unwrap_or(media_type);
        let message = format!("the body must be application/json, Content-Type is `{given}`");
        return Err(ApiError::refused(codes::ATYPE, message));
    }
    match text(axum::http::header::CONTENT_ENCODING) {
        None | Some("identity") => Ok(()),
        Some(_) => Err(ApiError::refused(codes::ATYPE, "an encoded body (Content-Encoding) is not taken")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_10_the_fingerprint_tells_what_was_asked_apart() {
        let print = |label: &str, uri: &str, body: &[u8]| fingerprint(label, &uri.parse().unwrap(), body);
        let one = print("POST /a", "/a?b=c", b"{}");
        assert_eq!(one, print("POST /a", "/a?b=c", b"{}"));
        for other in [
            print("PUT /a", "/a?b=c", b"{}"),
            print("POST /a", "/b?b=c", b"{}"),
            print("POST /a", "/a?b=d", b"{}"),
            print("POST /a", "/a?b=c", b"{} "),
            print("POST /a", "/a?b=", b"c{}"),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn ker_34_only_plain_json_is_taken() {
        let check = |given: &[(&str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.insert(name.parse::<axum::http::HeaderName>().unwrap(), value.parse().unwrap());
            }
            check_type(&headers).map_err(|refusal| refusal.0.code)
        };
        for good in ["application/json", "Application/JSON; charset=utf-8", " application/json"] {
            assert_eq!(check(&[("content-type", good)]), Ok(()), "{good}");
        }
        for bad in ["", "text/plain", "application/jsonx", "application/json2", "multipart/form-data"] {
            assert_eq!(check(&[("content-type", bad)]), Err(codes::ATYPE), "{bad}");
        }
        assert_eq!(check(&[]), Err(codes::ATYPE));
        assert_eq!(check(&[("content-type", "application/json"), ("content-encoding", "gzip")]), Err(codes::ATYPE));
    }
}
