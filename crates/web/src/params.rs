//! Parts of the path and of the query, with errors of ours.

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use base::{Id, codes};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use crate::app::Shared;
use crate::error::ApiError;

/// Items of a page where the caller does not say.
const PAGE_DEFAULT: u32 = 100;

/// The query, as a struct with `deny_unknown_fields`.
#[derive(Debug, Clone)]
pub struct QueryOf<T>(pub T);

/// Named parts of the path, as a struct; the namespace is not among them, see [`crate::Api::namespace`].
#[derive(Debug, Clone)]
pub struct PathOf<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Shared> for QueryOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, ApiError> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        read.map(|Query(value)| Self(value)).map_err(|rejection| {
            let words =
                std::error::Error::source(&rejection).map_or_else(|| rejection.to_string(), ToString::to_string);
            ApiError::refused(codes::ABODY, format!("query: {}", short(&words)))
        })
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Shared> for PathOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, ApiError> {
        let read = Path::<T>::from_request_parts(parts, shared).await;
        read.map(|Path(value)| Self(value)).map_err(|rejection| match rejection {
            PathRejection::FailedToDeserializePathParams(wrong) => {
                ApiError::refused(codes::ABODY, format!("path: {}", short(&wrong.body_text())))
            }
            other => ApiError::refused(codes::BDETECTED, format!("path: {other}")),
        })
    }
}

fn short(words: &str) -> String {
    words.chars().take(200).collect()
}

/// What a filter of a page holds: one that was left empty is none.
#[must_use]
pub fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Which page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PageQuery {
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    pub limit: Option<u32>,
    /// Only items after this one: `next` of the page before.
    #[param(nullable = false)]
    pub after: Option<String>,
}

/// A page that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// At most so many items.
    pub limit: u32,
    /// Only items after this one.
    pub after: Option<Id>,
}

impl PageQuery {
    /// Refuses absurd limits and edited cursors.
    pub(crate) fn checked(&self, page_max: u32) -> Result<Page, ApiError> {
        let limit = self.limit.unwrap_or(PAGE_DEFAULT.min(page_max));
        if !(1..=page_max).contains(&limit) {
            return Err(ApiError::refused(codes::ALIMIT, format!("limit is {limit}, it must be 1 to {page_max}")));
        }
        let after = self.after.as_deref().map(str::parse).transpose();
        let after = after.map_err(|invalid| ApiError::refused(codes::ABODY, format!("after: {invalid}")))?;
        Ok(Page { limit, after })
    }
}

impl Page {
    /// One item more than the page has, to know whether there is a next one.
    #[must_use]
    pub const fn and_one(self) -> u32 {
        self.limit + 1
    }

    /// The cursor as text; empty at the beginning.
    #[must_use]
    pub fn after_text(self) -> String {
        self.after.map(|id| id.to_string()).unwrap_or_default()
    }
}
