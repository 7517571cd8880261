//! Requests that a browser sends without its person's will (KER-33): a foreign page can make it send our cookie, but can neither
//! read nor send the session's token, nor hide where the page came from.

use axum::extract::Request;
use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, Method, Uri};
use base::codes;

use crate::error::ApiError;

/// The token that a change must carry.
pub(crate) const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");

/// Refuses a change that a session's own page did not send.
pub(crate) fn check(request: &Request, token: &str, own_origin: Option<&str>) -> Result<(), ApiError> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(());
    }
    check_origin(request.headers(), request.uri(), own_origin)?;
    let mut given = request.headers().get_all(CSRF_TOKEN).iter();
    match (given.next(), given.next()) {
        (Some(given), None) if same(given.as_bytes(), token.as_bytes()) => Ok(()),
        _ => Err(forged("a change by a session needs its token: X-CSRF-Token, from the answer of the login")),
    }
}

/// Refuses a page of another origin; programs send none.
pub(crate) fn check_origin(headers: &HeaderMap, uri: &Uri, own_origin: Option<&str>) -> Result<(), ApiError> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return Ok(()) };
    let origin = origin.to_str().ok().filter(|_| origins.next().is_none());
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| uri.authority().map(|authority| authority.as_str()));
    let ours = |origin: &str| match own_origin {
        Some(own) => origin.eq_ignore_ascii_case(own),
        // Which of http and https it was only a proxy knows.
        None => origin.split_once("://").is_some_and(|(_, of)| host.is_some_and(|host| of.eq_ignore_ascii_case(host))),
    };
    if origin.is_some_and(ours) { Ok(()) } else { Err(forged("the request comes from a page of another origin")) }
}

fn forged(message: &str) -> ApiError {
    ApiError::refused(codes::SCSRF, message)
}

/// Takes as long whatever differs.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differs = one.iter().zip(other).fold(0, |differs, (a, b)| std::hint::black_box(differs | (a ^ b)));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn checked(method: &str, headers: &[(&str, &str)], own_origin: Option<&str>) -> Result<(), &'static str> {
        let mut request = Request::builder().method(method).uri("/v1/main/keys").header("host", "box:7400");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check(&request.body(Body::empty()).unwrap(), "token", own_origin).map_err(|refused| refused.0.code.name)
    }

    #[test]
    fn ker_33_a_change_needs_the_token_and_looking_does_not() {
        assert_eq!(checked("GET", &[], None), Ok(()));
        assert_eq!(checked("POST", &[("x-csrf-token", "token")], None), Ok(()));
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            assert_eq!(checked(method, &[], None), Err("SCSRF"));
            for wrong in ["", "toke", "tokem", "tokens", "TOKEN"] {
                assert_eq!(checked(method, &[("x-csrf-token", wrong)], None), Err("SCSRF"), "{wrong}");
            }
        }
        assert_eq!(checked("POST", &[("x-csrf-token", "token"), ("x-csrf-token", "token")], None), Err("SCSRF"));
    }

    #[test]
    fn ker_33_a_change_from_a_foreign_page_is_refused_though_it_has_the_token() {
        let from = |origin: &str, own| checked("POST", &[("x-csrf-token", "token"), ("origin", origin)], own);
        assert_eq!(from("http://box:7400", None), Ok(()));
        assert_eq!(from("https://box:7400", None), Ok(()));
        assert_eq!(from("https://fast.example", Some("https://fast.example")), Ok(()));
        for foreign in ["null", "", "http://box", "http://evil:7400", "box:7400", "http://box:7400.evil"] {
            assert_eq!(from(foreign, None), Err("SCSRF"), "{foreign}");
        }
        for foreign in ["http://fast.example", "https://box:7400", "https://fast.example.evil"] {
            assert_eq!(from(foreign, Some("https://fast.example")), Err("SCSRF"), "{foreign}");
        }
        let twice = [("x-csrf-token", "token"), ("origin", "http://box:7400"), ("origin", "http://box:7400")];
        assert_eq!(checked("POST", &twice, None), Err("SCSRF"));
    }
}
