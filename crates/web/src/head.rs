//! The head of a request: its size, its Host, and the headers of ours that it may carry.

use axum::extract::Request;
use axum::http::header::{HOST, HeaderName};
use axum::http::{HeaderMap, Version};
use base::limits::{HEADERS_BYTES_MAX, HEADERS_MAX, IDEMPOTENCY_KEY_MAX};
use base::{Stamp, codes};
use kernel::Properties;

use crate::error::ApiError;

/// The caller's wish that a repeat gives the first answer (KER-10).
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Marks the answer of a repeat.
pub(crate) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// When the caller says that it asked, a stamp (KER-10).
pub(crate) const OP_TIME: HeaderName = HeaderName::from_static("fastness-op-time");
/// The caller's build (KER-11).
pub(crate) const BUILD: HeaderName = HeaderName::from_static("fastness-build");
/// What the application says of itself, JSON (KER-32).
pub(crate) const AUTH: HeaderName = HeaderName::from_static("fastness-auth");
/// The version under which an operation was committed.
pub(crate) const VERSION: HeaderName = HeaderName::from_static("fastness-version");

/// Refuses a head that is too large, and one that does not say for which host it is.
pub(crate) fn check(request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    if headers.len() > HEADERS_MAX {
        let message = format!("{} headers, at most {HEADERS_MAX}", headers.len());
        return Err(ApiError::refused(codes::ATOOMANYHEADERS, message));
    }
    let bytes = bytes_of(request);
    if bytes > HEADERS_BYTES_MAX {
        let message = format!("{bytes} bytes of headers, at most {HEADERS_BYTES_MAX}");
        return Err(ApiError::refused(codes::ATOOMANYHEADERS, message));
    }
    let hosts = headers.get_all(HOST).iter().count();
    if hosts > 1 || (hosts == 0 && request.version() == Version::HTTP_11) {
        return Err(ApiError::refused(codes::AHEADER, format!("{hosts} Host headers, exactly one is needed")));
    }
    Ok(())
}

/// Refuses what no text of a store can hold.
pub(crate) fn check_url(request: &Request) -> Result<(), ApiError> {
    let url = request.uri().path_and_query().map_or("", |url| url.as_str());
    if url.contains("%00") {
        return Err(ApiError::refused(codes::ABODY, "NUL (%00) in the path or query"));
    }
    Ok(())
}

/// As on the wire of HTTP/1: the request line, and each header with its colon, space and line end.
fn bytes_of(request: &Request) -> usize {
    let url = request.uri().path_and_query().map_or(0, |url| url.as_str().len());
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    request.method().as_str().len() + url + 12 + headers
}

/// What a request carries for the kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OurHeaders {
    pub(crate) idempotency_key: Option<String>,
    pub(crate) op_time: Option<Stamp>,
    pub(crate) build: Option<u64>,
    pub(crate) properties: Properties,
}

impl OurHeaders {
    pub(crate) fn read(headers: &HeaderMap) -> Result<Self, ApiError> {
        Ok(Self {
            idempotency_key: single(headers, &IDEMPOTENCY_KEY)?.map(idempotency_key).transpose()?,
            op_time: single(headers, &OP_TIME)?.map(op_time).transpose()?,
            build: single(headers, &BUILD)?.map(build).transpose()?,
            properties: single(headers, &AUTH)?.map(properties).transpose()?.unwrap_or_default(),
        })
    }
}

/// The value of a header that may come once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(unreadable(format!("{name} comes more than once")));
    }
    let readable = |value: &'a axum::http::HeaderValue| {
        value.to_str().map_err(|_| unreadable(format!("{name} holds other than visible ASCII characters")))
    };
    first.map(readable).transpose()
}

fn idempotency_key(text: &str) -> Result<String, ApiError> {
    let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if visible && (1..=IDEMPOTENCY_KEY_MAX).contains(&text.len()) {
        return Ok(text.to_owned());
    }
    let rule = format!("idempotency-key takes 1 to {IDEMPOTENCY_KEY_MAX} visible ASCII characters");
    Err(unreadable(format!("{rule}, not these {}", text.len())))
}

fn op_time(text: &str) -> Result<Stamp, ApiError> {
    let number = digits(text).and_then(|text| text.parse().ok());
    let wrong = || unreadable(format!("fastness-op-time is `{}`, not a stamp (yyMMddHHmmssSSS, UTC)", short(text)));
    number.and_then(|number| Stamp::new(number).ok()).ok_or_else(wrong)
}

fn build(text: &str) -> Result<u64, ApiError> {
    let wrong = || unreadable(format!("fastness-build is `{}`, not a number below 2^64", short(text)));
    digits(text).and_then(|text| text.parse().ok()).ok_or_else(wrong)
}

/// Nothing of what it holds is repeated: it may be a secret.
fn properties(text: &str) -> Result<Properties, ApiError> {
    // An array would do for serde as well.
    let object = Some(text).filter(|text| text.starts_with('{'));
    let read = object.and_then(|text| serde_json::from_str(text).ok()).filter(Properties::fits);
    let rule = "fastness-auth takes a JSON object of the texts account, key and admin";
    read.ok_or_else(|| unreadable(format!("{rule}, each of at most {} bytes", Properties::MAX)))
}

/// Digits only: `parse` would also take a sign.
fn digits(text: &str) -> Option<&str> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

fn short(text: &str) -> &str {
    text.get(..40).unwrap_or(text)
}

fn unreadable(message: String) -> ApiError {
    ApiError::refused(codes::AHEADER, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: HeaderName, values: &[&str]) -> Result<OurHeaders, ApiError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, axum::http::HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        OurHeaders::read(&headers)
    }

    fn check_refused(name: HeaderName, values: &[&str]) {
        let refusal = read(name.clone(), values).expect_err("refused");
        assert_eq!(refusal.0.code, codes::AHEADER, "{name} {values:?}");
        assert!(refusal.0.message.contains(name.as_str()), "{}", refusal.0.message);
    }

    #[test]
    fn ker_10_an_idempotency_key_has_1_to_255_visible_characters() {
        let longest = "k".repeat(255);
        assert_eq!(read(IDEMPOTENCY_KEY, &[&longest]).unwrap().idempotency_key, Some(longest));
        assert_eq!(read(IDEMPOTENCY_KEY, &[]).unwrap(), OurHeaders::default());
        for bad in ["", "a b", "a\tb", "ä"] {
            check_refused(IDEMPOTENCY_KEY, &[bad]);
        }
        check_refused(IDEMPOTENCY_KEY, &[&"k".repeat(256)]);
        check_refused(IDEMPOTENCY_KEY, &["a", "a"]);
    }

    #[test]
    fn ker_10_an_op_time_is_a_stamp() {
        assert_eq!(read(OP_TIME, &["160714223045697"]).unwrap().op_time.unwrap().number(), 160_714_223_045_697);
        for bad in ["", "161314223045697", "+160714223045697", "-1", "2016-07-14", "1e14", "99999999999999999999"] {
            check_refused(OP_TIME, &[bad]);
        }
    }

    #[test]
    fn ker_11_a_build_is_a_number() {
        assert_eq!(read(BUILD, &["42"]).unwrap().build, Some(42));
        for bad in ["", "-1", "+1", "18446744073709551616", "1.0"] {
            check_refused(BUILD, &[bad]);
        }
        check_refused(BUILD, &["1", "2"]);
    }

    #[test]
    fn ker_32_properties_of_the_application_are_three_texts_and_never_repeated() {
        let given = read(AUTH, &[r#"{"account":"anna","key":"secret"}"#]).unwrap();
        assert_eq!((given.properties.account.as_deref(), given.properties.admin.as_deref()), (Some("anna"), None));
        assert!(!format!("{given:?}").contains("secret"), "{given:?}");
        let long = format!(r#"{{"key":"{}"}}"#, "x".repeat(1025));
        for bad in ["", "secret", "[]", r#"{"secret":"x"}"#, r#"{"account":7}"#, &long] {
            check_refused(AUTH, &[bad]);
            assert!(!read(AUTH, &[bad]).unwrap_err().0.message.contains("secret"));
        }
        check_refused(AUTH, &["{}", "{}"]);
    }
}
