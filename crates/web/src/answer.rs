//! Good answers: the result, the status that the route's table entry names, and what the kernel tells beside it.

use std::borrow::Cow;

use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base::{OpError, Phase, Stamp, codes};
use serde::Serialize;
use utoipa::openapi::schema::{Array, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::error::{ApiError, JSON, empty};
use crate::head::{IDEMPOTENCY_REPLAYED, VERSION};

/// What a handler returns.
pub type ApiResult<O> = Result<Answer<O>, ApiError>;

/// A good answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<O> {
    /// The result; not sent where the status is 204.
    pub out: O,
    /// Status.
    pub status: StatusCode,
    /// The version under which it was committed.
    pub version: Option<Stamp>,
    /// Whether it is the stored answer of an earlier call.
    pub replayed: bool,
}

impl<O> Answer<O> {
    /// The same answer with another result.
    pub fn map<P>(self, change: impl FnOnce(O) -> P) -> Answer<P> {
        let Self { out, status, version, replayed } = self;
        Answer { out: change(out), status, version, replayed }
    }
}

impl<O: Serialize> IntoResponse for Answer<O> {
    fn into_response(self) -> Response {
        let mut response = match self.status {
            StatusCode::NO_CONTENT => empty(self.status),
            status => match serde_json::to_vec(&self.out) {
                Ok(body) => (status, [(CONTENT_TYPE, JSON)], body).into_response(),
                Err(error) => return unsendable(self.version, &error).into_response(),
            },
        };
        self.add_headers(response.headers_mut());
        response
    }
}

impl<O> Answer<O> {
    fn add_headers(&self, headers: &mut HeaderMap) {
        if self.replayed {
            headers.insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
        }
        if let Some(version) = self.version {
            headers.insert(VERSION, HeaderValue::from(version.number()));
        }
    }
}

/// Committed, but the result has no JSON: a bug of ours, told with the version.
fn unsendable(version: Option<Stamp>, error: &serde_json::Error) -> ApiError {
    let error = OpError::new(codes::BDETECTED, format!("the answer has no JSON: {error}")).at(Phase::Answer);
    ApiError(OpError { version, ..error })
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct List<T: ToSchema> {
    /// The items, oldest first.
    pub items: Vec<T>,
    /// Give this as `after` to read on; null at the end.
    pub next: Option<String>,
}

impl<T: ToSchema> List<T> {
    /// A page of at most `limit` items out of one more: whether there is one more tells whether there is a next page.
    #[must_use]
    pub fn cut(items: Vec<T>, limit: u32, cursor: impl Fn(&T) -> String) -> Self {
        let (items, next) = cut(items, limit, cursor);
        Self { items, next }
    }
}

/// At most `limit` items out of one more, and the cursor of the next page if there is one.
pub(crate) fn cut<T>(mut items: Vec<T>, limit: u32, cursor: impl Fn(&T) -> String) -> (Vec<T>, Option<String>) {
    let limit = limit as usize;
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more).map(cursor);
    (items, next)
}

/// By hand, because a page of keys and a page of entries are two schemas and must have two names.
impl<T: ToSchema> ToSchema for List<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

impl<T: ToSchema> PartialSchema for List<T> {
    fn schema() -> RefOr<Schema> {
        let items = Array::new(Ref::from_schema_name(T::name()));
        let text = SchemaType::Array(vec![Type::String, Type::Null]);
        ObjectBuilder::new()
            .description(Some("A page of a list."))
            .property("items", items)
            .required("items")
            .property(
                "next",
                ObjectBuilder::new()
                    .schema_type(text)
                    .description(Some("Give this as `after` to read on; null at the end.")),
            )
            .required("next")
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: StatusCode) -> Response {
        Answer { out: 7, status, version: Some(Stamp::MAX), replayed: true }.into_response()
    }

    #[test]
    fn ker_10_a_repeat_and_a_version_are_told_in_headers() {
        let response = answer(StatusCode::CREATED);
        assert_eq!(response.status(), 201);
        assert_eq!(response.headers()["idempotency-replayed"], "true");
        assert_eq!(response.headers()["fastness-version"], "991231235959999");
    }

    #[test]
    fn an_empty_answer_has_no_type() {
        assert!(!answer(StatusCode::NO_CONTENT).headers().contains_key("content-type"));
    }

    #[test]
    fn a_page_ends_where_nothing_follows() {
        let page = |count: u32| List::cut((0..count).collect(), 2, u32::to_string);
        assert_eq!(page(2), List { items: vec![0, 1], next: None });
        assert_eq!(page(3), List { items: vec![0, 1], next: Some("1".into()) });
        assert_eq!(page(0), List { items: vec![], next: None });
    }
}
