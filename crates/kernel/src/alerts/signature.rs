//! Signatures of webhooks in the form of Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,…`.

use base::{OpError, OpResult, Wall, codes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::secret::sign;

const PREFIX: &str = "whsec_";

/// The bytes of a secret: 24 to 64, as base64 behind `whsec_`.
pub(crate) fn key(secret: &str) -> OpResult<Vec<u8>> {
    let decoded = secret.strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok());
    let wrong = || OpError::new(codes::ABODY, "a webhook's secret is whsec_ and the base64 of 24 to 64 bytes");
    decoded.filter(|bytes| (24..=64).contains(&bytes.len())).ok_or_else(wrong)
}

/// The headers of one try. Without a secret nothing is signed, but the id still tells a repeat.
pub(crate) fn headers(secret: Option<&str>, id: &str, wall: Wall, body: &[u8]) -> Vec<(String, String)> {
    let timestamp = (wall.0 / 1000).to_string();
    let mut headers = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("webhook-id".to_owned(), id.to_owned()),
        ("webhook-timestamp".to_owned(), timestamp.clone()),
    ];
    if let Some(key) = secret.and_then(|secret| key(secret).ok()) {
        headers.push(("webhook-signature".to_owned(), sign(&key, id, &timestamp, body)));
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hand with `openssl dgst -sha256 -hmac` over `id.timestamp.body`.
    #[test]
    fn ker_27_a_signature_is_the_one_that_others_compute() {
        let key = b"0123456789abcdef01234567";
        assert_eq!(sign(key, "msg_1", "1794744000", br#"{"a":1}"#), "v1,CYBAqSuUnZ43NGsBFn0l+V6t0q41gzrWZH2YxX6/i1E=");
    }

    #[test]
    fn ker_27_headers_name_the_message_also_when_it_is_not_signed() {
        let names = |secret| -> Vec<String> {
            headers(secret, "m", Wall(5_000), b"").into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(None), ["content-type", "webhook-id", "webhook-timestamp"]);
        let secret = format!("whsec_{}", STANDARD.encode([7; 24]));
        assert_eq!(names(Some(&secret)).last().map(String::as_str), Some("webhook-signature"));
    }
}
