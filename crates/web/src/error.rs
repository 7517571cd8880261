//! Errors as JSON (KER-9): one shape for refusals of operations, of the edge and of the framework.
//!
//! Invariant: what a client reads of a fault or a bug is a fixed text. The engine's own words (paths, statements, panic
//! texts) go to the log, where the operator reads them.

use std::sync::{Arc, LazyLock};

use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base::{Code, OpError, StoreError, codes};
use serde::Serialize;
use utoipa::ToSchema;

/// The media type of everything that is not a page.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// What a refusal for want of room says.
pub(crate) const BUSY: &str = "more work is waiting than we take, try again";

/// An error as the answer of a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError(pub OpError);

/// What went wrong.
// The shape of `OpError`, which cannot describe itself: `base` knows no OpenAPI. A test compares the two.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
    /// Letter and short name. The letter says what to do next: A and N change the request, C and X try again, D update
    /// the client, S get another key, T ask for less, O wait for the namespace, B tell us.
    #[schema(example = "CSERIAL")]
    pub code: String,
    /// Number of the letter's class.
    #[schema(minimum = 1, maximum = 8)]
    pub major: u8,
    /// Where in its cycle the operation was: 0 before it began, 1 work, 2 validation; from 3 on it is committed.
    #[schema(minimum = 0, maximum = 5)]
    pub phase: u8,
    /// For a person.
    pub message: String,
    /// Further facts.
    pub detail: Vec<String>,
    /// The version under which the operation was committed all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub version: Option<i64>,
    /// `unknown`: the work may have been done; asking again with the same Idempotency-Key tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub outcome: Option<String>,
}

/// The whole error, for the log; never sent.
#[derive(Debug, Clone)]
pub(crate) struct Failure(pub(crate) Arc<OpError>);

impl ApiError {
    /// A refusal from before any operation began.
    #[must_use]
    pub fn refused(code: Code, message: impl Into<String>) -> Self {
        Self(OpError::before_start(code, message))
    }
}

impl From<OpError> for ApiError {
    fn from(error: OpError) -> Self {
        Self(error)
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let status = StatusCode::from_u16(error.code.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = body_of(&error);
        let mut response = (status, [(CONTENT_TYPE, JSON)], body).into_response();
        add_headers(response.headers_mut(), &error);
        response.extensions_mut().insert(Failure(Arc::new(error)));
        response
    }
}

/// The one refusal that comes in floods is made once.
fn body_of(error: &OpError) -> Bytes {
    static BUSY_BODY: LazyLock<(OpError, Bytes)> = LazyLock::new(|| {
        let busy = OpError::before_start(codes::XBUSY, BUSY);
        let body = written(&busy);
        (busy, body)
    });
    let (busy, body) = &*BUSY_BODY;
    if error == busy { body.clone() } else { written(error) }
}

fn written(error: &OpError) -> Bytes {
    serde_json::to_vec(&as_told(error)).unwrap_or_default().into()
}

fn add_headers(headers: &mut HeaderMap, error: &OpError) {
    if error.code.passes() {
        let known = error.retry_after_s.map(HeaderValue::from);
        headers.insert(RETRY_AFTER, known.unwrap_or_else(|| retry_after(error.code)));
    }
    if error.code.status == 401 {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"fastness\""));
    }
}

/// Seconds after which another try is worth it: a queue drains sooner than a disk.
fn retry_after(code: Code) -> HeaderValue {
    HeaderValue::from_static(match (code.letter(), code.name) {
        ('O', _) => "30",
        (_, "XDISK" | "XHISTORY") => "10",
        (_, "XSTORE") => "2",
        _ => "1",
    })
}

/// The error as the client reads it.
pub(crate) fn as_told(error: &OpError) -> OpError {
    let told = match error.code.letter() {
        'X' => OpError { message: fault_text(error), detail: vec![], ..error.clone() },
        'B' => OpError { message: bug_text(error.code).to_owned(), detail: vec![], ..error.clone() },
        'T' => OpError { detail: vec![], ..error.clone() },
        _ => return error.clone(),
    };
    if told.outcome_unknown {
        return told.with("the work may have been done: asking again with the same Idempotency-Key tells");
    }
    told
}

fn fault_text(error: &OpError) -> String {
    let text = match error.code.name {
        "XBLOB" => "the stored bytes of this blob are damaged or missing; uploading them again heals it",
        "XBUSY" => BUSY,
        "XDISK" => "no room on the disk, new work is refused until there is",
        "XHISTORY" => "the archive of history does not answer now, try again; nothing of it is lost",
        "XSTORE" => "the store is not available now, try again",
        _ => "something unexpected went wrong, the server's log tells more",
    };
    text.to_owned()
}

fn bug_text(code: Code) -> &'static str {
    match code.name {
        "BPANIC" => "a part of the server panicked; this request alone failed, the server's log tells more",
        _ => "a bug was detected; this request alone failed, the server's log tells more",
    }
}

/// Turns an error that the framework made by itself into one of ours; anything else passes.
pub(crate) fn sealed(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.headers().get(CONTENT_TYPE) == Some(&JSON) {
        return response;
    }
    let (parts, _) = response.into_parts();
    let mut ours = ApiError::refused(code_of(status), text_of(status)).into_response();
    for (name, value) in &parts.headers {
        if *name == ALLOW || (!ours.headers().contains_key(name) && *name != CONTENT_LENGTH) {
            ours.headers_mut().insert(name.clone(), value.clone());
        }
    }
    *ours.status_mut() = status;
    ours
}

fn code_of(status: StatusCode) -> Code {
    match status.as_u16() {
        401 => codes::SKEY,
        403 => codes::SROLE,
        404 => codes::NROUTE,
        405 => codes::AMETHOD,
        408 => codes::ASLOW,
        413 => codes::ATOOBIG,
        415 => codes::ATYPE,
        416 => codes::ARANGE,
        422 => codes::ALIMIT,
        431 => codes::ATOOMANYHEADERS,
        503 => codes::XBUSY,
        500..=599 => codes::XUNEXPECTED,
        _ => codes::ABODY,
    }
}

fn text_of(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or("refused").to_ascii_lowercase()
}

/// A body as one of ours, for tests of what the framework made.
#[cfg(test)]
pub(crate) fn foreign(status: u16) -> Response {
    let mut response = Response::new(Body::from("words of the framework"));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use base::Phase;

    use super::*;

    fn header(response: &Response, name: &str) -> Option<String> {
        Some(response.headers().get(name)?.to_str().unwrap().to_owned())
    }

    #[test]
    fn ker_9_every_code_has_its_status_and_says_when_to_come_again() {
        for code in codes::ALL {
            let response = ApiError::refused(*code, "x").into_response();
            assert_eq!(response.status().as_u16(), code.status, "{}", code.name);
            assert_eq!(header(&response, "content-type").as_deref(), Some("application/json"));
            assert_eq!(header(&response, "retry-after").is_some(), code.passes(), "{}", code.name);
            assert_eq!(header(&response, "www-authenticate").is_some(), code.status == 401, "{}", code.name);
        }
    }

    #[test]
    fn ker_9_the_engines_own_words_are_not_told() {
        for code in [codes::XSTORE, codes::XDISK, codes::BPANIC, codes::BDETECTED, codes::XUNEXPECTED] {
            let error = OpError::new(code, "/var/lib/fastness/z.db: I/O error").with("at src/core.rs:17");
            let told = serde_json::to_string(&as_told(&error.at(Phase::Validation))).unwrap();
            assert!(!told.contains('/') && told.contains("\"phase\":2"), "{told}");
        }
        let refusal = OpError::new(codes::NKEY, "no key `a/b`").with("a fact");
        assert_eq!(as_told(&refusal), refusal);
    }

    #[test]
    fn ker_41_an_unknown_outcome_is_called_unknown() {
        let unknown = OpError { outcome_unknown: true, ..OpError::new(codes::XSTORE, "commit lost") };
        let told = serde_json::to_string(&as_told(&unknown)).unwrap();
        assert!(told.contains(r#""outcome":"unknown""#) && told.contains("same Idempotency-Key"), "{told}");
    }

    #[test]
    fn ker_9_errors_of_the_framework_become_ours() {
        for (status, code) in
            [(404, "NROUTE"), (405, "AMETHOD"), (413, "ATOOBIG"), (415, "ATYPE"), (500, "XUNEXPECTED")]
        {
            let sealed = sealed(foreign(status));
            assert_eq!(sealed.status().as_u16(), status);
            assert_eq!(sealed.extensions().get::<Failure>().unwrap().0.code.name, code);
        }
        assert_eq!(sealed(empty(StatusCode::NO_CONTENT)).status(), StatusCode::NO_CONTENT);
    }

    #[test]
    fn ker_9_the_described_error_is_the_sent_one() {
        let error =
            OpError { outcome_unknown: true, version: Some(base::Stamp::MIN), ..OpError::new(codes::ABODY, "m") };
        let described = ErrorBody {
            code: "ABODY".into(),
            major: 1,
            phase: 1,
            message: "m".into(),
            detail: vec![],
            version: Some(base::Stamp::MIN.number()),
            outcome: Some("unknown".into()),
        };
        assert_eq!(serde_json::to_value(&error).unwrap(), serde_json::to_value(described).unwrap());
    }
}
