//! A body of any media type, as it came.

use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use base::codes;

use super::{Asked, JsonBody, bytes_of, route_of};
use crate::app::Shared;
use crate::error::ApiError;

/// A body of any media type, within the route's limits.
#[derive(Debug)]
pub(crate) struct RawBody {
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Its Content-Type; empty if it has none.
    pub(crate) media_type: String,
    asked: Asked,
}

impl RawBody {
    /// The input of an operation out of bytes and media type; the fingerprint stays.
    pub(crate) fn map<I>(self, change: impl FnOnce(Vec<u8>, String) -> I) -> JsonBody<I> {
        JsonBody { value: change(self.bytes, self.media_type), asked: self.asked }
    }
}

impl FromRequest<Shared> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, shared: &Shared) -> Result<Self, ApiError> {
        if request.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(ApiError::refused(codes::ATYPE, "an encoded body (Content-Encoding) is not taken"));
        }
        let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().to_owned();
        let route = route_of(&request);
        let (bytes, asked) = bytes_of(request, shared, &route).await?;
        Ok(Self { bytes, media_type, asked })
    }
}
