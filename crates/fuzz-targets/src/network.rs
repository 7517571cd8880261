//! Bytes from the network: requests before they are requests, headers, answers of others, where calls may go.

use axum::http::header::{ACCEPT_LANGUAGE, RANGE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base::is_public;
use web::ui::text::Language;

use crate::text;

/// Whatever is let pass is the same, whole or byte by byte.
pub(crate) fn http1(bytes: &[u8]) {
    let whole = web::fuzzing::passes([bytes]);
    assert!(whole <= bytes.len());
    assert_eq!(web::fuzzing::passes(bytes.chunks(1)), whole, "byte by byte");
    assert_eq!(web::fuzzing::passes(bytes.chunks(7)), whole, "in sevens");
}

/// `name: value` on each line.
pub(crate) fn headers(bytes: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n').take(100) {
        let Some(at) = line.windows(2).position(|two| two == b": ") else { continue };
        let name = HeaderName::from_bytes(&line[..at]);
        let value = HeaderValue::from_bytes(&line[at + 2..]);
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    let taken = web::fuzzing::takes_headers(&headers);
    for name in ["idempotency-key", "fastness-op-time", "fastness-build", "fastness-auth"] {
        assert!(!taken || headers.get_all(name).iter().count() <= 1, "{name} twice");
    }
    browsers(&headers);
}

/// What browsers and proxies say.
fn browsers(headers: &HeaderMap) {
    for value in headers.get_all(RANGE).iter().filter_map(|value| value.to_str().ok()) {
        for size in [0, 1, 10, u64::MAX] {
            let part = web::fuzzing::ranged(value, size);
            assert!(part.is_none_or(|part| part.start <= part.end && part.end <= size), "{value} of {size}");
        }
    }
    for value in headers.get_all(ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok()) {
        let _ = Language::of_accepted(value);
    }
    let secret = web::fuzzing::shown(headers);
    assert!(secret.is_none_or(|secret| secret.bytes().all(|byte| byte.is_ascii_graphic())), "{secret:?}");
    assert!(web::fuzzing::digests(headers).iter().all(|digest| digest.len() == 64));
    let said = headers.contains_key("x-forwarded-for");
    assert!(said || web::fuzzing::client(headers).is_loopback(), "an address that nobody said");
}

/// An answer of Redis.
pub(crate) fn redis(bytes: &[u8]) {
    let _ = host::fuzzing::reads_reply(bytes);
}

/// Whatever may be called by a URL has a host; an address in it is judged as what it is.
pub(crate) fn outbound(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Some((host, port)) = host::fuzzing::reads_target(text) else { return };
    assert!(!host.is_empty() && !text.contains('\\'), "{host}:{port}");
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse::<std::net::IpAddr>();
    if sensors::check_url(text, base::Reach::Public).is_ok()
        && let Ok(address) = address
    {
        assert!(is_public(address), "{text} leads to {address}");
    }
}

/// Id, secret and body, a line each: the headers of a call have no line breaks, and another body has another signature.
pub(crate) fn signature(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let (Some(id), Some(secret), Some(body)) = (parts.next(), parts.next(), parts.next()) else { return };
    let Some(id) = text(id) else { return };
    let headers = kernel::secret::webhook_headers(secret, id, 1_794_744_000, body);
    assert_eq!(headers.len(), 3);
    let signature = &headers[2].1;
    assert!(signature.starts_with("v1,") && signature.bytes().all(|byte| byte.is_ascii_graphic()));
    let other = kernel::secret::webhook_headers(secret, id, 1_794_744_000, &[body, b"x"].concat());
    assert_ne!(&other[2].1, signature);
}
